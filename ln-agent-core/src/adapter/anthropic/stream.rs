//! A stream of events.

use serde_json::Value;

use super::reply::{PROVIDER, answer};
use crate::adapter::http::Fold;
use crate::llm::{LlmError, LlmErrorKind, LlmResponse};
use crate::types::Object;

/// What the events have said so far.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// The message beside its content.
    message: Object,
    /// Counts are totals: a later one replaces an earlier one.
    usage: Object,
    blocks: Vec<Block>,
    stopped: bool,
}

/// One block of the content.
#[derive(Debug)]
struct Block {
    index: Option<u64>,
    members: Object,
    /// Arguments so far, as text.
    input: String,
}

impl Fold for Stream {
    fn take(
        &mut self,
        event: &Value,
        on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync),
    ) -> Result<(), LlmError> {
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => {
                merge(&mut self.message, &event["message"]);
                merge(&mut self.usage, &event["message"]["usage"]);
            }
            "content_block_start" => {
                let members = event["content_block"].as_object().cloned().unwrap_or_default();
                if event["content_block"]["type"] == "text" {
                    hand_over(&event["content_block"]["text"], on_text);
                }
                self.blocks.push(Block { index: event["index"].as_u64(), members, input: String::new() });
            }
            "content_block_delta" => self.block(event["index"].as_u64())?.add(&event["delta"], on_text),
            "message_delta" => {
                merge(&mut self.message, &event["delta"]);
                merge(&mut self.usage, &event["usage"]);
            }
            "message_stop" => self.stopped = true,
            // The end of a block, a ping, or an event of tomorrow.
            _ => {}
        }
        Ok(())
    }

    fn is_complete(&self) -> bool {
        self.stopped
    }

    fn response(mut self) -> Result<LlmResponse, LlmError> {
        self.message.insert("usage".to_owned(), self.usage.into());
        let mut blocks: Vec<Value> = self.blocks.into_iter().map(Block::finish).collect();
        if !self.stopped {
            // Half a call must not be carried out, and half a thought is not taken back.
            blocks.retain(|block| block["type"] != "tool_use");
        }
        let mut response = answer(blocks, &self.message.into())?;
        response.provider_parts.take_if(|_| !self.stopped);
        Ok(response)
    }
}

impl Stream {
    /// The latest block with this index.
    fn block(&mut self, index: Option<u64>) -> Result<&mut Block, LlmError> {
        let block = self.blocks.iter_mut().rfind(|block| block.index == index);
        block.ok_or_else(|| {
            LlmError::new(LlmErrorKind::Malformed, PROVIDER, "its stream adds to a block that never began")
        })
    }
}

impl Block {
    fn add(&mut self, delta: &Value, on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync)) {
        match delta["type"].as_str().unwrap_or_default() {
            "text_delta" => {
                self.append("text", &delta["text"]);
                hand_over(&delta["text"], on_text);
            }
            "thinking_delta" => self.append("thinking", &delta["thinking"]),
            "signature_delta" => self.append("signature", &delta["signature"]),
            "input_json_delta" => self.input.push_str(delta["partial_json"].as_str().unwrap_or_default()),
            // Citations, and deltas of tomorrow.
            _ => {}
        }
    }

    fn append(&mut self, member: &str, piece: &Value) {
        let piece = piece.as_str().unwrap_or_default();
        match self.members.get_mut(member) {
            Some(Value::String(text)) => text.push_str(piece),
            _ => drop(self.members.insert(member.to_owned(), piece.into())),
        }
    }

    /// The block as a whole reply has it. A call without any arguments keeps the `{}` with which it began.
    fn finish(mut self) -> Value {
        if !self.input.trim().is_empty() {
            self.members.insert("input".to_owned(), self.input.into());
        }
        self.members.into()
    }
}

fn hand_over(text: &Value, on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync)) {
    if let Some(text) = text.as_str().filter(|text| !text.is_empty()) {
        on_text(text);
    }
}

/// What is told later replaces what was told before; `null` tells nothing.
fn merge(known: &mut Object, told: &Value) {
    for (name, value) in told.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
        known.insert(name.clone(), value.clone());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::types::TokenUsage;

    fn take(events: &[Value]) -> Stream {
        let mut stream = Stream::default();
        for event in events {
            stream.take(event, &|_| ()).unwrap();
        }
        stream
    }

    fn start(index: u8, block: &Value) -> Value {
        json!({"type": "content_block_start", "index": index, "content_block": block})
    }

    fn delta(index: u8, kind: &str, member: &str, piece: &str) -> Value {
        json!({"type": "content_block_delta", "index": index, "delta": {"type": kind, member: piece}})
    }

    fn ended(stop: &str) -> [Value; 2] {
        let usage = json!({"output_tokens": 22});
        [
            json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": usage}),
            json!({"type": "message_stop"}),
        ]
    }

    fn thought_and_calls(rest: &str) -> Vec<Value> {
        let usage = json!({"input_tokens": 3, "output_tokens": 1, "cache_read_input_tokens": 10});
        let message = json!({"model": "claude-x-1", "content": [], "stop_reason": null, "usage": usage});
        let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "ln_pay", "input": {}});
        vec![
            json!({"type": "message_start", "message": message}),
            start(0, &json!({"type": "thinking", "thinking": "", "signature": ""})),
            delta(0, "thinking_delta", "thinking", "h"),
            json!({"type": "ping"}),
            delta(0, "thinking_delta", "thinking", "m"),
            delta(0, "signature_delta", "signature", "c2ln"),
            json!({"type": "content_block_stop", "index": 0}),
            start(1, &json!({"type": "redacted_thinking", "data": "eA=="})),
            start(2, &call("toolu_1")),
            delta(2, "input_json_delta", "partial_json", ""),
            json!({"type": "event_of_tomorrow"}),
            start(3, &call("toolu_2")),
            delta(3, "input_json_delta", "partial_json", "{\"amo"),
            delta(3, "input_json_delta", "partial_json", rest),
        ]
    }

    #[test]
    fn pieces_make_the_blocks_that_a_whole_reply_would_have() {
        let response = take(&[&thought_and_calls("unt\":5}")[..], &ended("tool_use")].concat()).response();

        let call =
            |id: &str, input: Value| json!({"type": "tool_use", "id": id, "name": "ln_pay", "input": input});
        let content = json!([
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "eA=="},
            call("toolu_1", json!({})), call("toolu_2", json!({"amount": 5})),
        ]);
        let usage = json!({"input_tokens": 3, "output_tokens": 22, "cache_read_input_tokens": 10});
        let whole = json!({
            "model": "claude-x-1", "content": content, "stop_reason": "tool_use", "usage": usage});
        assert_eq!(response, super::super::reply::response(&whole));
        let expected = TokenUsage { calls: 0, prompt_tokens: 13, output_tokens: 22, cached_tokens: 10 };
        assert_eq!(response.unwrap().usage, expected);
    }

    #[test]
    fn a_limit_in_the_middle_of_a_call_drops_that_call() {
        let response = take(&[&thought_and_calls("")[..], &ended("max_tokens")].concat()).response().unwrap();

        let ids: Vec<Option<&str>> = response.tool_calls.iter().map(|call| call.id.as_deref()).collect();
        assert_eq!((ids, response.truncated), (vec![Some("toolu_1")], true));
        assert_eq!(response.provider_parts.unwrap().as_array().unwrap().len(), 3);
    }

    #[test]
    fn a_stream_that_broke_off_has_no_calls_and_nothing_to_send_back() {
        let stream = take(&thought_and_calls(""));
        assert!(!stream.is_complete());
        let response = stream.response().unwrap();
        assert_eq!((response.reasoning.as_str(), response.tool_calls.len()), ("hm", 0));
        assert_eq!(response.provider_parts, None);
    }

    #[test]
    fn a_refusal_in_a_stream_is_an_error() {
        let details = json!({"type": "refusal", "category": "bio", "explanation": "Not that."});
        let stop =
            json!({"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": details}});
        let error = take(&[stop, json!({"type": "message_stop"})]).response().unwrap_err();
        assert_eq!((error.kind, error.code.as_deref()), (LlmErrorKind::Refused, Some("bio")));
    }

    #[test]
    fn a_piece_of_no_block_is_named() {
        let mut stream = Stream::default();
        let error = stream.take(&delta(0, "text_delta", "text", "x"), &|_| ()).unwrap_err();
        assert_eq!(error.kind, LlmErrorKind::Malformed);
    }
}
