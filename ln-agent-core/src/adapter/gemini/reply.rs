//! A whole reply, or the replies of a stream.

use serde_json::Value;

use crate::adapter::http::tokens;
use crate::llm::{LlmError, LlmErrorKind, LlmResponse, ToolCall};
use crate::types::TokenUsage;

const PROVIDER: &str = "gemini";

/// Reasons that say that a filter, Google's or the model's own, held the answer back. Those of images begin with
/// `IMAGE_`.
const HELD_BACK: [&str; 8] = [
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "MODEL_ARMOR",
    "NO_IMAGE",
];

/// Reasons that say that the model's own words could not be read. Another sample may pass.
const UNREADABLE: [&str; 4] =
    ["MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"];

/// The answer in a reply. Members that are not known are ignored.
pub(super) fn response(reply: &Value) -> Result<LlmResponse, LlmError> {
    if reply.pointer("/candidates/0").is_none() && blocked(reply).is_none() {
        return Err(LlmError::new(LlmErrorKind::Malformed, PROVIDER, "its answer has no `candidates`"));
    }
    let mut answer = Answer::default();
    answer.take(reply, &|_| ());
    answer.response()
}

/// What replies have said so far.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// As they came, except that plain text is joined.
    parts: Vec<Value>,
    finish: Option<String>,
    /// Why the prompt was not let through to the model.
    blocked: Option<String>,
    /// The provider's words on either.
    words: Option<String>,
    usage: TokenUsage,
    model: Option<String>,
    request_id: Option<String>,
}

impl Answer {
    /// Takes one reply; text that is no thought goes to `on_text`.
    pub(super) fn take(&mut self, reply: &Value, on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync)) {
        if reply["usageMetadata"].is_object() {
            self.usage = usage(&reply["usageMetadata"]);
        }
        let said = |value: &Value| value.as_str().map(str::to_owned);
        self.model = said(&reply["modelVersion"]).or(self.model.take());
        self.request_id = said(&reply["responseId"]).or(self.request_id.take());
        self.blocked = blocked(reply).map(str::to_owned).or(self.blocked.take());
        let feedback = said(&reply["promptFeedback"]["blockReasonMessage"]);
        // A blocked prompt has no candidates, and an empty answer has no parts.
        let candidate = reply.pointer("/candidates/0").unwrap_or(&Value::Null);
        self.finish = finish(candidate).map(str::to_owned).or(self.finish.take());
        self.words = said(&candidate["finishMessage"]).or(feedback).or(self.words.take());
        for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
            if let Some(text) = spoken(part).filter(|text| !text.is_empty()) {
                on_text(text);
            }
            self.add(part);
        }
    }

    /// The provider said why there is no more to come.
    pub(super) const fn has_ended(&self) -> bool {
        self.finish.is_some() || self.blocked.is_some()
    }

    pub(super) fn response(self) -> Result<LlmResponse, LlmError> {
        let content: String = self.parts.iter().filter_map(spoken).collect();
        let tool_calls: Vec<ToolCall> = self.parts.iter().filter_map(tool_call).collect();
        self.judge(content.is_empty() && tool_calls.is_empty())?;
        let ended = self.has_ended();
        let signed = self.parts.iter().any(|part| part["thoughtSignature"].is_string());
        Ok(LlmResponse {
            reasoning: self.parts.iter().filter_map(thought).collect(),
            content,
            tool_calls,
            usage: self.usage,
            truncated: self.finish.as_deref() == Some("MAX_TOKENS"),
            finish_reason: self.finish,
            model: self.model,
            request_id: self.request_id,
            provider_parts: (signed && ended).then_some(Value::Array(self.parts)),
            ..LlmResponse::default()
        })
    }

    /// Adds a part, or its text to the part before it if neither has anything beside text.
    fn add(&mut self, part: &Value) {
        let plain = |part: &Value| part.as_object().is_some_and(|part| part.len() == 1);
        let last = self.parts.last_mut().filter(|last| plain(last) && plain(part));
        match (last.and_then(|last| last.get_mut("text")), &part["text"]) {
            (Some(Value::String(text)), Value::String(more)) => text.push_str(more),
            _ => self.parts.push(part.clone()),
        }
    }

    /// Whether why it ended makes it an answer. All of it comes with a status of success.
    fn judge(&self, empty: bool) -> Result<(), LlmError> {
        let error = |kind, reason: &str, ours: &str| {
            let message = self.words.as_deref().unwrap_or(ours);
            Err(LlmError::new(kind, PROVIDER, message).with_code(reason))
        };
        if let Some(reason) = &self.blocked {
            return error(LlmErrorKind::Refused, reason, "its filter held the prompt back");
        }
        let again = |result: Result<(), LlmError>| {
            result.map_err(|error| LlmError { should_retry: Some(true), ..error })
        };
        match self.finish.as_deref() {
            Some(reason) if HELD_BACK.contains(&reason) || reason.starts_with("IMAGE_") => {
                error(LlmErrorKind::Refused, reason, "its filter held the answer back")
            }
            Some(reason) if UNREADABLE.contains(&reason) => {
                again(error(LlmErrorKind::Malformed, reason, "it could not read the model's own words"))
            }
            Some(reason @ "MISSING_THOUGHT_SIGNATURE") => {
                error(LlmErrorKind::BadRequest, reason, "a part of an earlier turn lacks its signature")
            }
            // Thinking may use up the limit; that is an answer which is cut off.
            Some("MAX_TOKENS") => Ok(()),
            reason if empty => {
                let reason = reason.unwrap_or("FINISH_REASON_UNSPECIFIED");
                again(error(LlmErrorKind::Malformed, reason, "its answer is empty"))
            }
            _ => Ok(()),
        }
    }
}

fn blocked(reply: &Value) -> Option<&str> {
    reply["promptFeedback"]["blockReason"].as_str()
}

fn finish(candidate: &Value) -> Option<&str> {
    candidate["finishReason"].as_str().filter(|reason| !reason.is_empty())
}

fn thought(part: &Value) -> Option<&str> {
    part["text"].as_str().filter(|_| part["thought"] == true)
}

fn spoken(part: &Value) -> Option<&str> {
    part["text"].as_str().filter(|_| part["thought"] != true)
}

/// Calls are known by their part: the reason why the model stopped is the same as without. No arguments may be none.
fn tool_call(part: &Value) -> Option<ToolCall> {
    let call = part.get("functionCall").filter(|call| call.is_object())?;
    Some(ToolCall {
        id: call["id"].as_str().filter(|id| !id.is_empty()).map(str::to_owned),
        name: call["name"].as_str().unwrap_or_default().to_owned(),
        args: call["args"].as_object().cloned().unwrap_or_default(),
    })
}

/// Thoughts are not among the candidate's tokens, cached ones are among the prompt's, and zeros are left out.
fn usage(usage: &Value) -> TokenUsage {
    let count = |member: &str| tokens(&usage[member]);
    TokenUsage {
        calls: 0,
        prompt_tokens: count("promptTokenCount"),
        output_tokens: count("candidatesTokenCount").saturating_add(count("thoughtsTokenCount")),
        cached_tokens: count("cachedContentTokenCount"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn candidate(parts: &Value, finish: &str) -> Value {
        let content = json!({"role": "model", "parts": parts});
        json!({"candidates": [{"index": 0, "finishReason": finish, "content": content}]})
    }

    #[test]
    fn a_reply_is_read_whole_and_its_signed_parts_are_kept_as_they_came() {
        let parts = json!([
            {"text": "hm", "thought": true},
            {"text": "Let me "},
            {"text": "see.", "thoughtSignature": "c2lnMQ=="},
            {"functionCall": {"id": "fc1", "name": "ln_getinfo", "args": {"node": 1}}, "thoughtSignature": "c2lnMg=="},
            {"functionCall": {"name": "ln_listpeers"}},
            {"partOfTomorrow": {}},
        ]);
        let mut reply = candidate(&parts, "STOP");
        reply["modelVersion"] = json!("gemini-x-1");
        reply["responseId"] = json!("r1");
        reply["usageMetadata"] = json!({"promptTokenCount": 10, "candidatesTokenCount": 2, "thoughtsTokenCount": 30,
            "cachedContentTokenCount": 8, "totalTokenCount": 42, "trafficType": "OF_TOMORROW"});
        let call = |id: Option<&str>, name: &str, args: Value| ToolCall {
            id: id.map(str::to_owned),
            name: name.to_owned(),
            args: args.as_object().unwrap().clone(),
        };
        let expected = LlmResponse {
            content: "Let me see.".into(),
            reasoning: "hm".into(),
            tool_calls: vec![
                call(Some("fc1"), "ln_getinfo", json!({"node": 1})),
                call(None, "ln_listpeers", json!({})),
            ],
            usage: TokenUsage { calls: 0, prompt_tokens: 10, output_tokens: 32, cached_tokens: 8 },
            finish_reason: Some("STOP".into()),
            model: Some("gemini-x-1".into()),
            request_id: Some("r1".into()),
            provider_parts: Some(parts),
            ..LlmResponse::default()
        };
        assert_eq!(response(&reply), Ok(expected));
    }

    #[test]
    fn plain_text_of_a_stream_is_joined_and_signed_text_is_not() {
        let mut answer = Answer::default();
        for parts in [
            json!([{"text": "a"}]),
            json!([{"text": "b"}]),
            json!([{"text": "", "thoughtSignature": "c2ln"}]),
            json!([{"text": "c"}]),
        ] {
            let piece = json!({"candidates": [{"content": {"parts": parts}}]});
            answer.take(&piece, &|_| ());
        }
        assert!(!answer.has_ended());
        answer.take(&json!({"candidates": [{"finishReason": "STOP"}]}), &|_| ());
        assert!(answer.has_ended());
        let response = answer.response().unwrap();
        assert_eq!(response.content, "abc");
        let expected = json!([{"text": "ab"}, {"text": "", "thoughtSignature": "c2ln"}, {"text": "c"}]);
        assert_eq!(response.provider_parts, Some(expected));
    }

    #[test]
    fn what_was_held_back_says_why_and_is_not_asked_again() {
        let prompt = json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "modelVersion": "x"});
        let error = response(&prompt).unwrap_err();
        assert_eq!(
            error.to_string(),
            "gemini: declined to answer (PROHIBITED_CONTENT): its filter held the prompt back"
        );
        for reason in HELD_BACK.iter().copied().chain(["IMAGE_SAFETY", "IMAGE_OF_TOMORROW"]) {
            let reply = json!({"candidates": [{"finishReason": reason, "finishMessage": "Because."}]});
            let error = response(&reply).unwrap_err();
            let seen = (error.kind, error.is_retryable(), error.code.as_deref(), error.message.as_str());
            assert_eq!(seen, (LlmErrorKind::Refused, false, Some(reason), "Because."));
        }
    }

    #[test]
    fn what_another_sample_may_mend_is_asked_again() {
        for reason in UNREADABLE.iter().copied().chain(["STOP", "OTHER", "OF_TOMORROW"]) {
            for content in [json!(null), json!({"role": "model"}), json!({"parts": [{"text": ""}]})] {
                let reply = json!({"candidates": [{"finishReason": reason, "content": content}]});
                let error = response(&reply).unwrap_err();
                assert_eq!((error.kind, error.is_retryable()), (LlmErrorKind::Malformed, true), "{reason}");
            }
        }
        let unsigned = response(&json!({"candidates": [{"finishReason": "MISSING_THOUGHT_SIGNATURE"}]}));
        assert_eq!(unsigned.unwrap_err().kind, LlmErrorKind::BadRequest);
    }

    #[test]
    fn a_limit_that_thinking_used_up_leaves_an_empty_answer() {
        let reply = json!({"candidates": [{"finishReason": "MAX_TOKENS", "content": {"role": "model"}}]});
        let seen = response(&reply).unwrap();
        assert_eq!((seen.content.as_str(), seen.truncated), ("", true));
    }

    #[test]
    fn an_answer_whose_reason_is_not_known_is_one() {
        let reply = candidate(&json!([{"text": "Hi"}]), "OF_TOMORROW");
        assert_eq!(response(&reply).unwrap().content, "Hi");
    }

    #[test]
    fn json_of_another_shape_is_named() {
        for reply in
            [json!({}), json!([]), json!("ok"), json!({"candidates": []}), json!({"candidates": "x"})]
        {
            let error = response(&reply).unwrap_err();
            assert_eq!((error.kind, error.is_retryable()), (LlmErrorKind::Malformed, false), "{reply}");
        }
    }
}
