//! Gemini.

use std::sync::Mutex;
use std::time::Duration;

use ln_agent_core::adapter::RemoteConfig;
use ln_agent_core::adapter::gemini::GeminiBackend;
use ln_agent_core::llm::{LlmBackend, LlmError, LlmErrorKind, LlmRequest, LlmResponse, Message};
use serde_json::{Value, json};

use super::contract::{Dialect, KEY, Said, USAGE, contract, request, schema_request, tool_request};
use super::server::{Answer, Request, Server};

struct Gemini;

contract!(Gemini);

const STREAM_TYPE: &str = "text/event-stream";

/// Lines end as Google ends them, and nothing says that there are no more.
fn frame(value: &Value) -> Vec<u8> {
    format!("data: {value}\r\n\r\n").into_bytes()
}

/// Thoughts are counted beside the candidate.
fn usage(candidate: u64) -> Value {
    json!({"promptTokenCount": USAGE.0, "candidatesTokenCount": candidate, "thoughtsTokenCount": 5,
        "totalTokenCount": USAGE.0 + candidate + 5})
}

fn reply(parts: &Value, finish: Option<&str>, usage: &Value) -> Value {
    let mut candidate =
        json!({"index": 0, "content": {"role": "model", "parts": parts}, "safetyRatings": []});
    if let Some(finish) = finish {
        candidate["finishReason"] = json!(finish);
    }
    json!({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "model-x-1", "responseId": "r1"})
}

fn ended(said: &Said) -> &'static str {
    if said.cut_off { "MAX_TOKENS" } else { "STOP" }
}

fn calls(said: &Said) -> impl Iterator<Item = Value> {
    said.calls.iter().map(|(name, args)| json!({"functionCall": {"name": name, "args": args}}))
}

impl Dialect for Gemini {
    const NAME: &'static str = "gemini";
    const STREAM_TYPE: &'static str = STREAM_TYPE;
    const QUOTA: (u16, &'static str) = (429, "GenerateRequestsPerDayPerProjectPerModel-FreeTier");
    const EMPTY_IS_A_FAULT: bool = true;

    fn backend(config: &RemoteConfig) -> Result<Box<dyn LlmBackend>, LlmError> {
        Ok(Box::new(GeminiBackend::new(config)?))
    }

    fn whole(said: &Said) -> Value {
        let text = said.text.iter().map(|text| json!({"text": text}));
        reply(&text.chain(calls(said)).collect(), Some(ended(said)), &usage(USAGE.1 - 5))
    }

    fn streamed(said: &Said) -> Vec<u8> {
        let mut bytes = Self::begun(&said.text);
        bytes.extend(calls(said).flat_map(|call| frame(&reply(&json!([call]), None, &usage(3)))));
        bytes.extend(frame(&reply(&json!([{"text": ""}]), Some(ended(said)), &usage(USAGE.1 - 5))));
        bytes
    }

    fn begun(text: &[&str]) -> Vec<u8> {
        let mut bytes = frame(&reply(&json!([{"text": "hm", "thought": true}]), None, &usage(1)));
        bytes.extend(text.iter().flat_map(|text| frame(&reply(&json!([{"text": text}]), None, &usage(2)))));
        bytes
    }

    fn overloaded_frame() -> Vec<u8> {
        frame(
            &json!({"error": {"code": 503, "status": "UNAVAILABLE", "message": "The model is overloaded."}}),
        )
    }

    fn declined() -> Answer {
        let feedback = json!({"blockReason": "PROHIBITED_CONTENT", "safetyRatings": []});
        Answer::json(200, &json!({"promptFeedback": feedback, "usageMetadata": {"promptTokenCount": 5}}))
    }

    fn error(status: u16, code: &str, message: &str) -> Value {
        let word = match status {
            400 => "INVALID_ARGUMENT",
            401 => "UNAUTHENTICATED",
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            409 => "ABORTED",
            429 => "RESOURCE_EXHAUSTED",
            503 => "UNAVAILABLE",
            500..=599 => "INTERNAL",
            _ => "UNKNOWN",
        };
        let violation = json!({"quotaMetric": "requests", "quotaId": code});
        let details =
            json!([{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]}]);
        json!({"error": {"code": status, "status": word, "message": message, "details": details}})
    }

    fn check_sent(sent: &Request, asked: &LlmRequest, streamed: bool) {
        let call = if streamed { "streamGenerateContent?alt=sse" } else { "generateContent" };
        assert_eq!(sent.path, format!("/v1beta/models/model-x:{call}"));
        assert_eq!(sent.header("x-goog-api-key"), Some(KEY));
        assert_eq!(sent.header("authorization"), None);
        let mut expected = json!({
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "contents": [{"role": "user", "parts": [{"text": "Grüße 👋"}]}],
            "generationConfig": {"maxOutputTokens": 512, "temperature": 0.5},
        });
        if let [tool] = asked.tools.as_slice() {
            let mut schema = tool.parameters.clone();
            schema["propertyOrdering"] = json!(["node"]);
            expected["tools"] = json!([{"functionDeclarations": [{
                "name": tool.name, "description": tool.description, "parametersJsonSchema": schema}]}]);
            expected["toolConfig"] = json!({"functionCallingConfig": {"mode": "AUTO"}});
        }
        if let Some(schema) = &asked.response_schema {
            expected["generationConfig"]["responseMimeType"] = json!("application/json");
            let mut lowered = schema.clone();
            lowered.as_object_mut().unwrap().shift_remove("additionalProperties");
            lowered["propertyOrdering"] = json!(["goal", "count"]);
            expected["generationConfig"]["responseJsonSchema"] = lowered;
        }
        assert_eq!(sent.body, expected);
    }
}

/// What the adapter answers, and what it was asked with.
async fn exchange(
    answer: Answer,
    asked: &LlmRequest,
    configure: impl FnOnce(&mut RemoteConfig),
) -> (Result<LlmResponse, LlmError>, Request) {
    let server = Server::answering([answer]).await;
    let mut config = RemoteConfig::new(&server.base, "model-x").with_key(KEY);
    configure(&mut config);
    let result = GeminiBackend::new(&config).unwrap().step(asked).await;
    (result, server.requests().remove(0))
}

/// What the adapter answers to a stream, and the pieces that it handed over.
async fn streamed(frames: &[Value]) -> (Result<LlmResponse, LlmError>, Vec<String>) {
    let bytes: Vec<u8> = frames.iter().flat_map(frame).collect();
    let server = Server::answering([Answer::new(200, STREAM_TYPE, bytes)]).await;
    let config = RemoteConfig::new(&server.base, "model-x").with_key(KEY);
    let pieces = Mutex::new(Vec::new());
    let on_text = |piece: &str| pieces.lock().unwrap().push(piece.to_owned());
    let result = GeminiBackend::new(&config).unwrap().stream(&request(), &on_text).await;
    (result, pieces.into_inner().unwrap())
}

fn hello() -> Answer {
    Answer::json(200, &reply(&json!([{"text": "Hello"}]), Some("STOP"), &usage(1)))
}

#[tokio::test]
async fn a_server_of_ones_own_needs_no_key_and_a_model_may_be_named_in_full() {
    let (result, sent) = exchange(hello(), &request(), |config| {
        config.api_key = None;
        config.model = "models/model-x".into();
    })
    .await;
    assert_eq!(result.unwrap().content, "Hello");
    assert_eq!(sent.header("x-goog-api-key"), None);
    assert_eq!(sent.path, "/v1beta/models/model-x:generateContent");
}

#[tokio::test]
async fn newer_models_are_left_their_own_temperature_unless_told_otherwise() {
    let temperature = async |model: &str, send: Option<bool>| {
        let named = |config: &mut RemoteConfig| {
            config.model = model.to_owned();
            config.send_temperature = send;
        };
        exchange(hello(), &request(), named).await.1.body["generationConfig"].get("temperature").cloned()
    };
    assert_eq!(temperature("gemini-2.5-flash", None).await, Some(json!(0.5)));
    assert_eq!(temperature("gemini-2.5-flash", Some(false)).await, None);
    assert_eq!(temperature("gemini-3-pro", None).await, None);
    assert_eq!(temperature("gemini-3-pro", Some(true)).await, Some(json!(0.5)));
}

#[tokio::test]
async fn thoughts_are_no_part_of_the_answer() {
    let frames = [
        reply(&json!([{"text": "hm, ", "thought": true}]), None, &usage(0)),
        reply(&json!([{"text": "yes", "thought": true}, {"text": "Yes"}]), None, &usage(1)),
        reply(&json!([{"text": "."}]), Some("STOP"), &usage(2)),
    ];
    let (response, pieces) = streamed(&frames).await;
    let response = response.unwrap();
    assert_eq!((response.reasoning.as_str(), response.content.as_str()), ("hm, yes", "Yes."));
    assert_eq!(pieces, ["Yes", "."]);
    // Counts are totals, not differences.
    assert_eq!(response.usage.output_tokens, 7);
}

#[tokio::test]
async fn an_answer_that_is_held_back_in_the_middle_of_a_stream_is_refused() {
    let begun = reply(&json!([{"text": "half "}]), None, &usage(1));
    let held = json!({"candidates": [{"index": 0, "finishReason": "SAFETY"}]});
    let blocked = json!({"promptFeedback": {"blockReason": "JAILBREAK"}});
    for frames in [vec![begun, held], vec![blocked]] {
        let error = streamed(&frames).await.0.unwrap_err();
        assert_eq!((error.kind, error.is_retryable()), (LlmErrorKind::Refused, false));
    }
}

#[tokio::test]
async fn signed_parts_go_back_with_the_call_that_they_led_to() {
    let parts = json!([
        {"text": "Which node?", "thought": true},
        {"functionCall": {"id": "fc1", "name": "ln_getinfo", "args": {"node": 1}}, "thoughtSignature": "c2ln"},
    ]);
    let called = Answer::json(200, &reply(&parts, Some("STOP"), &usage(3)));
    let response = exchange(called, &tool_request(), |_| ()).await.0.unwrap();

    let mut next = tool_request();
    next.messages.push(Message::of_response(&response));
    next.messages.push(Message::tool_result(response.tool_calls[0].clone(), "[\"one\"]"));
    let sent = exchange(hello(), &next, |_| ()).await.1.body;

    assert_eq!(sent["contents"][1], json!({"role": "model", "parts": parts}));
    let result = json!({"id": "fc1", "name": "ln_getinfo", "response": {"output": ["one"]}});
    assert_eq!(sent["contents"][2], json!({"role": "user", "parts": [{"functionResponse": result}]}));
}

#[tokio::test]
async fn a_schema_is_not_sent_beside_tools_and_that_is_told() {
    let asked = LlmRequest { tools: tool_request().tools, ..schema_request() };
    let (response, sent) = exchange(hello(), &asked, |_| ()).await;
    assert_eq!(sent.body["generationConfig"], json!({"maxOutputTokens": 512, "temperature": 0.5}));
    assert_eq!(response.unwrap().warnings.len(), 1);
}

#[tokio::test]
async fn a_bad_key_is_told_from_a_bad_request() {
    let details = json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]);
    let bad_key = json!({"error": {"code": 400, "status": "INVALID_ARGUMENT",
        "message": "API key not valid.", "details": details}});
    let bad_request =
        json!({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "Unknown name"}});
    for (body, kind) in [(&bad_key, LlmErrorKind::Auth), (&bad_request, LlmErrorKind::BadRequest)] {
        // Streams wrap their errors in an array.
        for body in [body.clone(), json!([body])] {
            let error = exchange(Answer::json(400, &body), &request(), |_| ()).await.0.unwrap_err();
            assert_eq!((error.kind, error.is_retryable(), error.status), (kind, false, Some(400)), "{body}");
        }
    }
}

#[tokio::test]
async fn the_wait_that_stands_in_the_body_is_told() {
    let mut body = Gemini::error(429, "GenerateRequestsPerMinutePerProject", "slow down");
    let retry = json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.074824224s"});
    body["error"]["details"].as_array_mut().unwrap().push(retry);
    let error = exchange(Answer::json(429, &body), &request(), |_| ()).await.0.unwrap_err();
    assert_eq!(error.kind, LlmErrorKind::RateLimited);
    assert_eq!(error.retry_after, Some(Duration::from_nanos(34_074_824_224)));
}
