//! A whole reply.

use serde_json::Value;

use crate::adapter::http::{function_call, in_stream, text_of, tokens};
use crate::llm::{LlmError, LlmErrorKind, LlmResponse};
use crate::types::TokenUsage;

pub(super) const PROVIDER: &str = "openai";

/// The answer in a reply. Members that are not known are ignored.
pub(super) fn response(reply: &Value) -> Result<LlmResponse, LlmError> {
    let choice = reply
        .pointer("/choices/0")
        .ok_or_else(|| LlmError::new(LlmErrorKind::Malformed, PROVIDER, "its answer has no `choices`"))?;
    if let Some(error) = in_stream(PROVIDER, choice) {
        return Err(error);
    }
    let message = &choice["message"];
    let finish = choice["finish_reason"].as_str();
    let content = text_of(&message["content"]);
    declined(message["refusal"].as_str(), finish, &content)?;
    let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
    let reasoning = ["reasoning_content", "reasoning"].iter().find_map(|name| message[*name].as_str());
    Ok(LlmResponse {
        content,
        tool_calls: calls.iter().map(|call| function_call(PROVIDER, call)).collect::<Result<_, _>>()?,
        reasoning: reasoning.unwrap_or_default().to_owned(),
        usage: usage(reply),
        truncated: finish == Some("length"),
        finish_reason: finish.map(str::to_owned),
        model: reply["model"].as_str().map(str::to_owned),
        ..LlmResponse::default()
    })
}

/// A refusal is no answer, even where its status says success.
pub(super) fn declined(refusal: Option<&str>, finish: Option<&str>, content: &str) -> Result<(), LlmError> {
    let said = refusal.filter(|text| !text.is_empty());
    let filtered = finish == Some("content_filter");
    match said {
        Some(words) => Err(LlmError::new(LlmErrorKind::Refused, PROVIDER, words)),
        None if filtered && content.trim().is_empty() => {
            let error = LlmError::new(LlmErrorKind::Refused, PROVIDER, "its filter held the answer back");
            Err(error.with_code("content_filter"))
        }
        None => Ok(()),
    }
}

/// Cached tokens are among the prompt's, tokens of reasoning among the answer's.
pub(super) fn usage(reply: &Value) -> TokenUsage {
    let usage = match &reply["usage"] {
        Value::Object(_) => &reply["usage"],
        _ => &reply["x_groq"]["usage"],
    };
    TokenUsage {
        calls: 0,
        prompt_tokens: tokens(&usage["prompt_tokens"]),
        output_tokens: tokens(&usage["completion_tokens"]),
        cached_tokens: tokens(&usage["prompt_tokens_details"]["cached_tokens"]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::llm::ToolCall;

    #[test]
    fn a_reply_is_read_whole_and_what_is_not_known_is_ignored() {
        let reply = json!({
            "id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-x-2026", "service_tier": "on_demand",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": null, "reasoning_content": "hm", "annotations": [],
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "a", "arguments": "{\"node\":1}"}},
                    {"id": "", "function": {"name": "b", "arguments": ""}},
                    {"function": {"name": "c", "arguments": {"x": "é"}}},
                ]}}],
            "usage": {"prompt_tokens": 20, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 16}},
        });
        let call = |id: Option<&str>, name: &str, args: Value| ToolCall {
            id: id.map(str::to_owned),
            name: name.to_owned(),
            args: args.as_object().unwrap().clone(),
        };
        let expected = LlmResponse {
            tool_calls: vec![
                call(Some("c1"), "a", json!({"node": 1})),
                call(None, "b", json!({})),
                call(None, "c", json!({"x": "é"})),
            ],
            reasoning: "hm".into(),
            usage: TokenUsage { calls: 0, prompt_tokens: 20, output_tokens: 9, cached_tokens: 16 },
            finish_reason: Some("tool_calls".into()),
            model: Some("gpt-x-2026".into()),
            ..LlmResponse::default()
        };
        assert_eq!(response(&reply), Ok(expected));
    }

    #[test]
    fn a_refusal_is_an_error_that_is_not_asked_again() {
        let refused = json!({"choices": [{"finish_reason": "stop", "message": {"content": null, "refusal": "I can't."}}]});
        let filtered = json!({"choices": [{"finish_reason": "content_filter", "message": {"content": ""}}]});
        for reply in [refused, filtered] {
            let error = response(&reply).unwrap_err();
            assert_eq!((error.kind, error.is_retryable()), (LlmErrorKind::Refused, false), "{error}");
        }
    }

    #[test]
    fn json_of_another_shape_is_named() {
        for reply in [json!({}), json!([]), json!("ok"), json!({"choices": []}), json!({"choices": "x"})] {
            assert_eq!(response(&reply).unwrap_err().kind, LlmErrorKind::Malformed, "{reply}");
        }
    }
}
