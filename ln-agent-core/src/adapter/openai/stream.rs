//! A stream of chunks.

use serde_json::{Value, json};

use super::reply::{PROVIDER, declined, usage};
use crate::adapter::http::{Fold, arguments, in_stream};
use crate::llm::{LlmError, LlmResponse, ToolCall};

/// What the chunks have said so far.
#[derive(Debug, Default)]
pub(super) struct Stream {
    response: LlmResponse,
    refusal: String,
    calls: Vec<Call>,
}

/// A tool call in pieces.
#[derive(Debug, Default)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

impl Fold for Stream {
    fn take(
        &mut self,
        chunk: &Value,
        on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync),
    ) -> Result<(), LlmError> {
        if chunk["usage"].is_object() || chunk["x_groq"]["usage"].is_object() {
            self.response.usage = usage(chunk);
        }
        if let Some(model) = chunk["model"].as_str().filter(|_| self.response.model.is_none()) {
            self.response.model = Some(model.to_owned());
        }
        // The chunk with the usage has no choices.
        let Some(choice) = chunk.pointer("/choices/0") else { return Ok(()) };
        if let Some(error) = in_stream(PROVIDER, choice) {
            return Err(error);
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.response.finish_reason = Some(reason.to_owned());
        }
        let delta = &choice["delta"];
        if let Some(text) = delta["content"].as_str().filter(|text| !text.is_empty()) {
            self.response.content.push_str(text);
            on_text(text);
        }
        if let Some(text) = ["reasoning_content", "reasoning"].iter().find_map(|name| delta[*name].as_str()) {
            self.response.reasoning.push_str(text);
        }
        self.refusal.push_str(delta["refusal"].as_str().unwrap_or_default());
        for (position, piece) in delta["tool_calls"].as_array().into_iter().flatten().enumerate() {
            self.take_call(position, piece);
        }
        Ok(())
    }

    fn is_complete(&self) -> bool {
        self.response.finish_reason.is_some()
    }

    fn response(mut self) -> Result<LlmResponse, LlmError> {
        let finish = self.response.finish_reason.as_deref();
        declined(Some(&self.refusal), finish, &self.response.content)?;
        self.response.truncated = finish == Some("length");
        // Half a call is none; a whole one with broken arguments is an error.
        let calls = if self.response.truncated { Vec::new() } else { self.calls };
        self.response.tool_calls = calls.into_iter().map(Call::finish).collect::<Result<_, _>>()?;
        Ok(self.response)
    }
}

impl Stream {
    /// Pieces belong together by their index. Servers that always send 0 begin a new call with a new id.
    fn take_call(&mut self, position: usize, piece: &Value) {
        let index = piece["index"].as_u64().or_else(|| u64::try_from(position).ok());
        let id = piece["id"].as_str().unwrap_or_default();
        let known = self
            .calls
            .iter()
            .rposition(|call| call.index == index && (id.is_empty() || call.id.is_empty() || call.id == id));
        let at = known.unwrap_or_else(|| {
            self.calls.push(Call { index, ..Call::default() });
            self.calls.len() - 1
        });
        let call = &mut self.calls[at];
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        let function = &piece["function"];
        let name = function["name"].as_str().unwrap_or_default();
        if call.name != name {
            call.name.push_str(name);
        }
        match &function["arguments"] {
            Value::String(text) => call.arguments.push_str(text),
            Value::Object(object) => call.arguments.push_str(&json!(object).to_string()),
            _ => {}
        }
    }
}

impl Call {
    fn finish(self) -> Result<ToolCall, LlmError> {
        Ok(ToolCall {
            args: arguments(PROVIDER, &self.name, &Value::String(self.arguments))?,
            id: Some(self.id).filter(|id| !id.is_empty()),
            name: self.name,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delta(delta: &Value) -> Value {
        json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}], "usage": null})
    }

    fn fold(chunks: &[Value]) -> Result<LlmResponse, LlmError> {
        let mut stream = Stream::default();
        for chunk in chunks {
            stream.take(chunk, &|_| ())?;
        }
        stream.response()
    }

    #[test]
    fn two_calls_in_interleaved_pieces_come_out_whole() {
        let piece = |index: u64, id: Option<&str>, name: Option<&str>, arguments: &str| {
            delta(
                &json!({"tool_calls": [{"index": index, "id": id, "function": {"name": name, "arguments": arguments}}]}),
            )
        };
        let chunks = [
            piece(0, Some("c1"), Some("ln_pay"), ""),
            piece(1, Some("c2"), Some("ln_getinfo"), "{\"no"),
            piece(0, None, None, "{\"amo"),
            piece(0, None, Some("ln_pay"), "unt\":5}"),
            piece(1, None, None, "de\":2}"),
            json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}),
            json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}),
        ];
        let calls: Vec<(String, Value)> =
            fold(&chunks).unwrap().tool_calls.into_iter().map(|call| (call.name, json!(call.args))).collect();
        assert_eq!(
            calls,
            [("ln_pay".to_owned(), json!({"amount": 5})), ("ln_getinfo".to_owned(), json!({"node": 2}))]
        );
    }

    #[test]
    fn a_server_that_always_sends_index_0_still_makes_two_calls() {
        let whole = |id: &str, node: u8| {
            delta(&json!({"tool_calls": [{"index": 0, "id": id, "type": "function",
                "function": {"name": "ln_getinfo", "arguments": format!("{{\"node\":{node}}}")}}]}))
        };
        let response = fold(&[whole("a", 1), whole("b", 2)]).unwrap();
        assert_eq!(response.tool_calls.len(), 2);
    }
}
