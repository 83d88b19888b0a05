//! Anthropic.

use ln_agent_core::adapter::RemoteConfig;
use ln_agent_core::adapter::anthropic::AnthropicBackend;
use ln_agent_core::llm::{LlmBackend, LlmError, LlmErrorKind, LlmRequest, Message};
use serde_json::{Value, json};

use super::contract::{Dialect, KEY, Said, USAGE, contract, request, tool_request};
use super::server::{Answer, Request, Server};

struct Anthropic;

contract!(Anthropic);

fn frame(value: &Value) -> Vec<u8> {
    let name = value["type"].as_str().unwrap();
    format!("event: {name}\ndata: {value}\n\n").into_bytes()
}

/// Tokens of the prompt, of which most are in the cache.
fn usage() -> Value {
    json!({"input_tokens": 1, "cache_creation_input_tokens": 10, "cache_read_input_tokens": USAGE.0 - 11,
        "output_tokens": USAGE.1, "service_tier": "standard"})
}

fn stop_reason(said: &Said) -> &'static str {
    match (said.cut_off, said.calls.is_empty()) {
        (true, _) => "max_tokens",
        (false, true) => "end_turn",
        (false, false) => "tool_use",
    }
}

fn message(content: &Value, stop_reason: Option<&str>, usage: &Value) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "model-x-1", "content": content,
        "stop_reason": stop_reason, "stop_sequence": null, "stop_details": null, "usage": usage,
    })
}

fn tool_use(at: usize, name: &str, input: &Value) -> Value {
    json!({"type": "tool_use", "id": format!("toolu_{at}"), "name": name, "input": input})
}

fn start(index: usize, block: &Value) -> Vec<u8> {
    frame(&json!({"type": "content_block_start", "index": index, "content_block": block}))
}

fn delta(index: usize, delta: &Value) -> Vec<u8> {
    frame(&json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

fn stop(index: usize) -> Vec<u8> {
    frame(&json!({"type": "content_block_stop", "index": index}))
}

impl Dialect for Anthropic {
    const NAME: &'static str = "claude";
    const STREAM_TYPE: &'static str = "text/event-stream; charset=utf-8";
    const QUOTA: (u16, &'static str) = (429, "enforced_spend_limit_reached");

    fn backend(config: &RemoteConfig) -> Result<Box<dyn LlmBackend>, LlmError> {
        Ok(Box::new(AnthropicBackend::new(config)?))
    }

    fn whole(said: &Said) -> Value {
        let text = said.text.iter().map(|text| json!({"type": "text", "text": text}));
        let calls = said.calls.iter().enumerate().map(|(at, (name, args))| tool_use(at, name, args));
        message(&text.chain(calls).collect(), Some(stop_reason(said)), &usage())
    }

    fn streamed(said: &Said) -> Vec<u8> {
        let mut bytes = [Self::begun(&said.text), stop(0)].concat();
        for (at, (name, args)) in said.calls.iter().enumerate() {
            bytes.extend(start(at + 1, &tool_use(at, name, &json!({}))));
            let text = args.to_string();
            let middle = text.chars().count() / 2;
            let halves: [String; 3] =
                [String::new(), text.chars().take(middle).collect(), text.chars().skip(middle).collect()];
            for half in halves {
                bytes.extend(delta(at + 1, &json!({"type": "input_json_delta", "partial_json": half})));
            }
            bytes.extend(stop(at + 1));
        }
        let ended = json!({"stop_reason": stop_reason(said), "stop_sequence": null});
        bytes.extend(frame(
            &json!({"type": "message_delta", "delta": ended, "usage": {"output_tokens": USAGE.1}}),
        ));
        bytes.extend(frame(&json!({"type": "message_stop"})));
        bytes
    }

    fn begun(text: &[&str]) -> Vec<u8> {
        let mut counted = usage();
        counted["output_tokens"] = json!(1);
        let mut bytes =
            frame(&json!({"type": "message_start", "message": message(&json!([]), None, &counted)}));
        bytes.extend(start(0, &json!({"type": "text", "text": ""})));
        bytes.extend(frame(&json!({"type": "ping"})));
        bytes.extend(text.iter().flat_map(|text| delta(0, &json!({"type": "text_delta", "text": text}))));
        bytes
    }

    fn overloaded_frame() -> Vec<u8> {
        frame(&json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}))
    }

    fn declined() -> Answer {
        let mut reply = message(&json!([]), Some("refusal"), &usage());
        reply["stop_details"] = json!({"type": "refusal", "category": "cyber", "explanation": "Not that."});
        Answer::json(200, &reply)
    }

    fn error(status: u16, code: &str, message: &str) -> Value {
        let kind = match status {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            408 => "timeout_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            529 => "overloaded_error",
            500..=599 => "api_error",
            _ => "invalid_request_error",
        };
        let details = json!({"error_code": code});
        let error = json!({"type": kind, "message": message, "details": details});
        json!({"type": "error", "error": error, "request_id": "req_1"})
    }

    fn check_sent(sent: &Request, asked: &LlmRequest, streamed: bool) {
        assert_eq!(sent.path, "/v1/messages");
        assert_eq!(sent.header("x-api-key"), Some(KEY));
        assert_eq!(sent.header("authorization"), None);
        assert_eq!(sent.header("anthropic-version"), Some("2023-06-01"));
        let mut expected = json!({
            "model": "model-x", "max_tokens": 512,
            "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": [{"type": "text", "text": "Grüße 👋"}]}],
        });
        if streamed {
            expected["stream"] = json!(true);
        }
        if let [tool] = asked.tools.as_slice() {
            let mut schema = tool.parameters.clone();
            schema["additionalProperties"] = json!(false);
            expected["tools"] = json!([{
                "name": tool.name, "description": tool.description, "input_schema": schema}]);
            expected["tool_choice"] = json!({"type": "auto"});
        }
        if let Some(schema) = &asked.response_schema {
            expected["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
        }
        assert_eq!(sent.body, expected);
    }
}

/// What the adapter answers, and what it was asked with.
async fn exchange(
    answer: Answer,
    asked: &LlmRequest,
    configure: impl FnOnce(&mut RemoteConfig),
) -> (Result<ln_agent_core::llm::LlmResponse, LlmError>, Request) {
    let server = Server::answering([answer]).await;
    let mut config = RemoteConfig::new(&server.base, "model-x").with_key(KEY);
    configure(&mut config);
    let result = AnthropicBackend::new(&config).unwrap().step(asked).await;
    (result, server.requests().remove(0))
}

#[tokio::test]
async fn a_server_of_ones_own_needs_no_key() {
    let answer = Answer::json(200, &message(&json!([]), Some("end_turn"), &usage()));
    let (result, sent) = exchange(answer, &request(), |config| config.api_key = None).await;
    assert_eq!(result.unwrap().content, "");
    assert_eq!((sent.header("x-api-key"), sent.header("authorization")), (None, None));
}

#[tokio::test]
async fn a_temperature_is_sent_when_the_configuration_says_so() {
    let answer = Answer::json(200, &message(&json!([]), Some("end_turn"), &usage()));
    let (_, sent) = exchange(answer, &request(), |config| config.send_temperature = Some(true)).await;
    assert_eq!(sent.body["temperature"], json!(0.5));
}

#[tokio::test]
async fn cached_tokens_count_as_tokens_of_the_prompt() {
    let answer = Answer::json(200, &message(&json!([]), Some("end_turn"), &usage()));
    let usage = exchange(answer, &request(), |_| ()).await.0.unwrap().usage;
    assert_eq!((usage.prompt_tokens, usage.cached_tokens), (USAGE.0, USAGE.0 - 11));
}

#[tokio::test]
async fn thoughts_go_back_with_the_call_that_they_led_to() {
    let content = json!([
        {"type": "thinking", "thinking": "Which node?", "signature": "c2lnbmF0dXJl"},
        {"type": "redacted_thinking", "data": "aGlkZGVu"},
        {"type": "text", "text": "Looking."},
        tool_use(0, "ln_getinfo", &json!({"node": 1})),
    ]);
    let called = Answer::json(200, &message(&content, Some("tool_use"), &usage()));
    let response = exchange(called, &tool_request(), |_| ()).await.0.unwrap();
    assert_eq!((response.reasoning.as_str(), response.content.as_str()), ("Which node?", "Looking."));

    let mut next = tool_request();
    next.messages.push(Message::of_response(&response));
    next.messages.push(Message::tool_result(response.tool_calls[0].clone(), "{\"alias\":\"one\"}"));
    let answer = Answer::json(200, &message(&json!([]), Some("end_turn"), &usage()));
    let sent = exchange(answer, &next, |_| ()).await.1.body;

    assert_eq!(sent["messages"][1], json!({"role": "assistant", "content": content}));
    let result = json!({"type": "tool_result", "tool_use_id": "toolu_0", "content": "{\"alias\":\"one\"}"});
    assert_eq!(sent["messages"][2], json!({"role": "user", "content": [result]}));
}

#[tokio::test]
async fn a_spending_limit_is_no_short_wait_and_too_many_requests_are() {
    for (code, kind) in [
        ("contract_spend_limit_reached", LlmErrorKind::Quota),
        ("enforced_spend_limit_reached", LlmErrorKind::Quota),
        ("of_tomorrow", LlmErrorKind::RateLimited),
    ] {
        let answer = Answer::json(429, &Anthropic::error(429, code, "limit"));
        let error = exchange(answer, &request(), |_| ()).await.0.unwrap_err();
        assert_eq!((error.kind, error.code.as_deref()), (kind, Some(code)));
    }
}

#[tokio::test]
async fn the_providers_number_of_a_refused_request_is_told() {
    let answer =
        Answer::json(400, &Anthropic::error(400, "x", "max_tokens: too many")).header("request-id", "req_9");
    let error = exchange(answer, &request(), |_| ()).await.0.unwrap_err();
    assert_eq!((error.kind, error.request_id.as_deref()), (LlmErrorKind::BadRequest, Some("req_9")));
}
