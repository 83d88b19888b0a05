//! A whole reply.

use serde_json::Value;

use crate::adapter::http::{function_call, text_of, tokens};
use crate::llm::{LlmError, LlmErrorKind, LlmResponse};
use crate::types::TokenUsage;

const PROVIDER: &str = "ollama";

/// The answer in a reply. Members that are not known are ignored.
pub(super) fn response(reply: &Value) -> Result<LlmResponse, LlmError> {
    let mut response = LlmResponse::default();
    if !append(&mut response, reply)? {
        return Err(no_message());
    }
    end(&mut response, reply);
    Ok(response)
}

/// Adds what this reply, or this line of a stream, says. Whether it says anything: without a message it does not.
pub(super) fn append(response: &mut LlmResponse, line: &Value) -> Result<bool, LlmError> {
    let Some(message) = line.get("message").filter(|message| message.is_object()) else { return Ok(false) };
    response.content.push_str(&text_of(&message["content"]));
    response.reasoning.push_str(message["thinking"].as_str().unwrap_or_default());
    // Each call comes whole, but they may come over several lines.
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        response.tool_calls.push(function_call(PROVIDER, call)?);
    }
    Ok(true)
}

/// Adds what the last line says about the answer as a whole.
pub(super) fn end(response: &mut LlmResponse, last: &Value) {
    response.usage = TokenUsage {
        calls: 0,
        prompt_tokens: tokens(&last["prompt_eval_count"]),
        output_tokens: tokens(&last["eval_count"]),
        cached_tokens: 0,
    };
    response.model = last["model"].as_str().map(str::to_owned);
    response.finish_reason = last["done_reason"].as_str().map(str::to_owned);
    response.truncated = response.finish_reason.as_deref() == Some("length");
    if response.truncated {
        // The calls that are there are whole, but the last of them may be missing.
        response.tool_calls.clear();
    }
}

pub(super) fn no_message() -> LlmError {
    LlmError::new(LlmErrorKind::Malformed, PROVIDER, "its answer has no `message`")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::llm::ToolCall;

    #[test]
    fn a_reply_is_read_whole_and_what_is_not_known_is_ignored() {
        let reply = json!({
            "model": "qwen3:8b", "created_at": "2026-11-01T10:00:00.1Z", "done": true, "done_reason": "stop",
            "message": {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [
                {"id": "call_a", "function": {"index": 0, "name": "a", "arguments": {"node": 1}}},
                {"function": {"name": "b", "arguments": "{\"x\": \"é\"}"}},
                {"function": {"name": "c"}},
            ]},
            "total_duration": 900_000_000, "prompt_eval_count": 41, "eval_count": 12, "logprobs": [],
        });
        let call = |id: Option<&str>, name: &str, args: Value| ToolCall {
            id: id.map(str::to_owned),
            name: name.to_owned(),
            args: args.as_object().unwrap().clone(),
        };
        let expected = LlmResponse {
            tool_calls: vec![
                call(Some("call_a"), "a", json!({"node": 1})),
                call(None, "b", json!({"x": "é"})),
                call(None, "c", json!({})),
            ],
            reasoning: "hm".into(),
            usage: TokenUsage { calls: 0, prompt_tokens: 41, output_tokens: 12, cached_tokens: 0 },
            finish_reason: Some("stop".into()),
            model: Some("qwen3:8b".into()),
            ..LlmResponse::default()
        };
        assert_eq!(response(&reply), Ok(expected));
    }

    #[test]
    fn thoughts_alone_are_an_empty_answer() {
        let reply = json!({"message": {"role": "assistant", "content": "", "thinking": "hm"}, "done": true});
        let expected = LlmResponse { reasoning: "hm".into(), ..LlmResponse::default() };
        assert_eq!(response(&reply), Ok(expected));
    }

    #[test]
    fn an_answer_at_its_limit_calls_nothing() {
        let reply = json!({"done": true, "done_reason": "length", "message": {"content": "{\"a\":", "tool_calls": [
            {"function": {"name": "a", "arguments": {}}}]}});
        let expected = LlmResponse {
            content: "{\"a\":".into(),
            truncated: true,
            finish_reason: Some("length".into()),
            ..LlmResponse::default()
        };
        assert_eq!(response(&reply), Ok(expected));
    }

    #[test]
    fn json_of_another_shape_is_named() {
        for reply in [json!({}), json!([]), json!("ok"), json!({"message": "x"}), json!({"response": "x"})] {
            assert_eq!(response(&reply), Err(no_message()), "{reply}");
        }
        let broken =
            json!({"message": {"tool_calls": [{"function": {"name": "a", "arguments": "{\"x\":"}}]}});
        assert_eq!(response(&broken).unwrap_err().kind, LlmErrorKind::Malformed);
    }
}
