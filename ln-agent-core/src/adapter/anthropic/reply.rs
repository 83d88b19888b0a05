//! A whole reply.

use serde_json::Value;

use crate::adapter::http::tokens;
use crate::llm::reply::object;
use crate::llm::{LlmError, LlmErrorKind, LlmResponse, ToolCall};
use crate::types::{Object, TokenUsage};

pub(super) const PROVIDER: &str = "claude";

/// The answer in a reply. Members that are not known are ignored.
pub(super) fn response(reply: &Value) -> Result<LlmResponse, LlmError> {
    let blocks = reply["content"].as_array().cloned();
    let missing = || LlmError::new(LlmErrorKind::Malformed, PROVIDER, "its answer has no `content`");
    answer(blocks.ok_or_else(missing)?, reply)
}

/// The answer that these blocks make, in a message that says why it ended and what it used.
pub(super) fn answer(mut blocks: Vec<Value>, message: &Value) -> Result<LlmResponse, LlmError> {
    let stop = message["stop_reason"].as_str();
    if stop == Some("refusal") {
        return Err(declined(&message["stop_details"]));
    }
    let truncated = matches!(stop, Some("max_tokens" | "model_context_window_exceeded"));
    if truncated && blocks.last().is_some_and(may_be_half) {
        blocks.pop();
    }
    for block in blocks.iter_mut().filter(|block| is(block, "tool_use")) {
        block["input"] = input(block)?.into();
    }
    let of = |kind: &'static str, member: &'static str| -> String {
        let texts = blocks.iter().filter(|block| is(block, kind));
        texts.filter_map(|block| block[member].as_str()).collect()
    };
    Ok(LlmResponse {
        content: of("text", "text"),
        reasoning: of("thinking", "thinking"),
        tool_calls: blocks.iter().filter(|block| is(block, "tool_use")).map(tool_call).collect(),
        usage: usage(&message["usage"]),
        truncated,
        finish_reason: stop.map(str::to_owned),
        model: message["model"].as_str().map(str::to_owned),
        // Plain text needs no more than the text.
        provider_parts: blocks.iter().any(|block| !is(block, "text")).then_some(Value::Array(blocks)),
        ..LlmResponse::default()
    })
}

fn is(block: &Value, kind: &str) -> bool {
    block["type"] == kind
}

/// What was written when the limit came: arguments that end anywhere, or a thought that lacks its signature.
fn may_be_half(block: &Value) -> bool {
    is(block, "tool_use") || is(block, "thinking") && block["signature"].as_str().is_none_or(str::is_empty)
}

/// A refusal comes with a status of success, and often without any content.
fn declined(details: &Value) -> LlmError {
    let words = details["explanation"].as_str().filter(|words| !words.is_empty());
    let error = LlmError::new(LlmErrorKind::Refused, PROVIDER, words.unwrap_or("it declined to answer"));
    error.with_code(details["category"].as_str().unwrap_or("refusal"))
}

/// Tokens that are read from the cache or written to it are not among `input_tokens`.
fn usage(usage: &Value) -> TokenUsage {
    let count = |member: &str| tokens(&usage[member]);
    let cached = count("cache_read_input_tokens");
    TokenUsage {
        calls: 0,
        prompt_tokens: count("input_tokens")
            .saturating_add(count("cache_creation_input_tokens"))
            .saturating_add(cached),
        output_tokens: count("output_tokens"),
        cached_tokens: cached,
    }
}

/// Arguments are an object; those of a stream, and of some proxies, are a text that holds one.
fn input(block: &Value) -> Result<Object, LlmError> {
    let text = match &block["input"] {
        Value::Object(object) => return Ok(object.clone()),
        Value::String(text) => text.trim(),
        _ => "",
    };
    if text.is_empty() || text == "null" {
        return Ok(Object::new());
    }
    object(text).map_err(|error| {
        let tool = block["name"].as_str().unwrap_or_default();
        let message = format!("the arguments of its call of `{tool}` cannot be read: {error}");
        LlmError::new(LlmErrorKind::Malformed, PROVIDER, message)
    })
}

fn tool_call(block: &Value) -> ToolCall {
    ToolCall {
        id: block["id"].as_str().filter(|id| !id.is_empty()).map(str::to_owned),
        name: block["name"].as_str().unwrap_or_default().to_owned(),
        args: block["input"].as_object().cloned().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_reply_is_read_whole_and_what_is_not_known_goes_back_untouched() {
        let content = json!([
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "text", "text": "Paying", "citations": null},
            {"type": "of_tomorrow", "text": "not an answer"},
            {"type": "text", "text": " now."},
            {"type": "tool_use", "id": "toolu_2", "name": "ln_pay", "input": {"amount": 5}},
        ]);
        let reply = json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x-1", "content": content,
            "stop_reason": "tool_use", "stop_sequence": null, "stop_details": null,
            "usage": {"input_tokens": 30, "output_tokens": 12, "cache_creation_input_tokens": 200,
                "cache_read_input_tokens": 1000, "service_tier": "of tomorrow"},
        });
        let args = json!({"amount": 5}).as_object().unwrap().clone();
        let expected = LlmResponse {
            content: "Paying now.".into(),
            reasoning: "hm".into(),
            tool_calls: vec![ToolCall { id: Some("toolu_2".into()), name: "ln_pay".into(), args }],
            usage: TokenUsage { calls: 0, prompt_tokens: 1_230, output_tokens: 12, cached_tokens: 1_000 },
            finish_reason: Some("tool_use".into()),
            model: Some("claude-x-1".into()),
            provider_parts: Some(content),
            ..LlmResponse::default()
        };
        assert_eq!(response(&reply), Ok(expected));
    }

    #[test]
    fn an_empty_answer_is_one_and_has_nothing_to_send_back() {
        let expected = LlmResponse { finish_reason: Some("end_turn".into()), ..LlmResponse::default() };
        assert_eq!(response(&json!({"content": [], "stop_reason": "end_turn"})), Ok(expected));
    }

    #[test]
    fn a_call_at_the_limit_is_neither_made_nor_sent_back() {
        let used = |id: &str| json!({"type": "tool_use", "id": id, "name": "ln_pay", "input": {}});
        for stop in ["max_tokens", "model_context_window_exceeded"] {
            let reply = json!({"content": [used("toolu_1"), used("toolu_2")], "stop_reason": stop});
            let seen = response(&reply).unwrap();
            let ids: Vec<Option<&str>> = seen.tool_calls.iter().map(|call| call.id.as_deref()).collect();
            assert_eq!((ids, seen.truncated), (vec![Some("toolu_1")], true), "{stop}");
            assert_eq!(seen.provider_parts, Some(json!([used("toolu_1")])));
        }
        let half = json!({"content": [{"type": "thinking", "thinking": "so"}], "stop_reason": "max_tokens"});
        assert_eq!(response(&half).unwrap().provider_parts, None);
    }

    #[test]
    fn a_refusal_says_why_and_is_not_asked_again() {
        let details = json!({"type": "refusal", "category": "cyber", "explanation": "Not that."});
        let reply =
            |details: Value| json!({"content": [], "stop_reason": "refusal", "stop_details": details});
        let error = response(&reply(details)).unwrap_err();
        assert_eq!(error.to_string(), "claude: declined to answer (cyber): Not that.");
        assert!(!error.is_retryable());
        let error = response(&reply(json!(null))).unwrap_err();
        assert_eq!(error.to_string(), "claude: declined to answer (refusal): it declined to answer");
    }

    #[test]
    fn arguments_that_are_text_are_read_and_go_back_as_an_object() {
        let used = |input: Value| {
            let block = json!({"type": "tool_use", "id": "t", "name": "ln_pay", "input": input});
            response(&json!({"content": [block], "stop_reason": "tool_use"}))
        };
        for (input, read) in
            [(json!("{\"a\":1}"), json!({"a": 1})), (json!(""), json!({})), (json!(null), json!({}))]
        {
            let parts = used(input).unwrap().provider_parts.unwrap();
            assert_eq!(parts[0]["input"], read);
        }
        assert_eq!(used(json!("{\"a\":")).unwrap_err().kind, LlmErrorKind::Malformed);
    }
}
