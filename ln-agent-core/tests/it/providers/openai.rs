//! OpenAI and its like.

use ln_agent_core::adapter::RemoteConfig;
use ln_agent_core::adapter::openai::OpenAiBackend;
use ln_agent_core::llm::{LlmBackend, LlmError, LlmRequest};
use serde_json::{Value, json};

use super::bad_input::bad_input;
use super::contract::{Dialect, KEY, Said, USAGE, contract};
use super::server::{Answer, Request};

struct OpenAi;

contract!(OpenAi);
bad_input!(OpenAi, OpenAiBackend);

fn frame(value: &Value) -> Vec<u8> {
    format!("data: {value}\n\n").into_bytes()
}

fn chunk(delta: &Value, finish: Option<&str>) -> Vec<u8> {
    frame(&json!({
        "id": "c1", "object": "chat.completion.chunk", "model": "model-x-1", "obfuscation": "x8", "usage": null,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": null}],
    }))
}

fn usage() -> Value {
    json!({"prompt_tokens": USAGE.0, "completion_tokens": USAGE.1, "total_tokens": USAGE.0 + USAGE.1})
}

fn finish(said: &Said) -> &'static str {
    match (said.cut_off, said.calls.is_empty()) {
        (true, _) => "length",
        (false, true) => "stop",
        (false, false) => "tool_calls",
    }
}

impl Dialect for OpenAi {
    const NAME: &'static str = "openai";
    const STREAM_TYPE: &'static str = "text/event-stream";
    const QUOTA: (u16, &'static str) = (429, "insufficient_quota");

    fn backend(config: &RemoteConfig) -> Result<Box<dyn LlmBackend>, LlmError> {
        Ok(Box::new(OpenAiBackend::new(config)?))
    }

    fn whole(said: &Said) -> Value {
        let calls: Vec<Value> = said
            .calls
            .iter()
            .map(|(name, args)| {
                let function = json!({"name": name, "arguments": args.to_string()});
                json!({"id": "call_1", "type": "function", "function": function})
            })
            .collect();
        json!({
            "id": "c1", "object": "chat.completion", "model": "model-x-1", "service_tier": "on_demand", "usage": usage(),
            "choices": [{"index": 0, "finish_reason": finish(said), "message": {
                "role": "assistant", "content": said.text.concat(), "refusal": null, "tool_calls": calls,
            }}],
        })
    }

    fn streamed(said: &Said) -> Vec<u8> {
        let mut bytes = Self::begun(&said.text);
        for (name, args) in &said.calls {
            let start = json!([{"index": 0, "id": "call_1", "type": "function", "function": {"name": name, "arguments": ""}}]);
            bytes.extend(chunk(&json!({"tool_calls": start}), None));
            let text = args.to_string();
            let middle = text.chars().count() / 2;
            let halves: [String; 2] =
                [text.chars().take(middle).collect(), text.chars().skip(middle).collect()];
            for half in halves {
                let piece = json!([{"index": 0, "function": {"arguments": half}}]);
                bytes.extend(chunk(&json!({"tool_calls": piece}), None));
            }
        }
        bytes.extend(chunk(&json!({}), Some(finish(said))));
        bytes.extend(frame(&json!({"id": "c1", "choices": [], "usage": usage()})));
        bytes.extend(b"data: [DONE]\n\n");
        bytes
    }

    fn begun(text: &[&str]) -> Vec<u8> {
        let mut bytes = b": OPENROUTER PROCESSING\n\n".to_vec();
        bytes.extend(chunk(&json!({"role": "assistant", "content": ""}), None));
        bytes.extend(text.iter().flat_map(|text| chunk(&json!({"content": text}), None)));
        bytes
    }

    fn overloaded_frame() -> Vec<u8> {
        frame(&json!({"error": {"message": "busy", "type": "overloaded_error", "code": null}}))
    }

    fn declined() -> Answer {
        let message = json!({"role": "assistant", "content": null, "refusal": "I cannot help with that."});
        Answer::json(200, &json!({"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}))
    }

    fn error(_status: u16, code: &str, message: &str) -> Value {
        json!({"error": {"message": message, "type": "some_error", "param": null, "code": code}})
    }

    fn check_sent(sent: &Request, asked: &LlmRequest, streamed: bool) {
        assert_eq!(sent.path, "/v1/chat/completions");
        assert_eq!(sent.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
        let mut expected = json!({
            "model": "model-x",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Grüße 👋"}],
            "max_tokens": 512, "temperature": 0.5,
        });
        if streamed {
            expected["stream"] = json!(true);
            expected["stream_options"] = json!({"include_usage": true});
        }
        if let [tool] = asked.tools.as_slice() {
            expected["tools"] = json!([{"type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.parameters}}]);
            expected["tool_choice"] = json!("auto");
        }
        if let Some(schema) = &asked.response_schema {
            expected["response_format"] = json!({
                "type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": false}});
        }
        assert_eq!(sent.body, expected);
    }
}
