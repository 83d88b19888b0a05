//! The body of a request.

use serde_json::{Value, json};

use crate::adapter::http::{Body, lowered, schema_in_words, temperature};
use crate::llm::schema::{Dialect, lower};
use crate::llm::{LlmError, LlmRequest, Message, Role, ToolCall, ToolDefinition};

/// The warmest that this provider takes.
const MAX_TEMPERATURE: f32 = 1.0;

/// The body. Sampling is left to the model unless `warm` says that it takes a temperature.
pub(super) fn body(model: &str, warm: bool, request: &LlmRequest, stream: bool) -> Result<Body, LlmError> {
    let mut body = json!({
        "model": model,
        "max_tokens": request.max_output_tokens,
        "messages": Turns::of(&request.messages).messages(),
    });
    let mut warnings = Vec::new();
    let mut system = system(&request.messages);
    if warm {
        body["temperature"] = temperature(request.temperature.min(MAX_TEMPERATURE));
        if request.temperature > MAX_TEMPERATURE {
            warnings
                .push(format!("the temperature is sent as {MAX_TEMPERATURE}: this provider takes no more"));
        }
    }
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect::<Result<_, _>>()?;
        body["tool_choice"] = json!({ "type": "auto" });
    }
    if let Some(schema) = &request.response_schema {
        match lower(schema, Dialect::Anthropic) {
            Ok(schema) => {
                body["output_config"] = json!({ "format": { "type": "json_schema", "schema": schema } });
            }
            // Objects of any form cannot be enforced here.
            Err(error) => {
                system.extend(text(&schema_in_words(schema)));
                warnings.push(format!("the schema is not enforced, it stands in the prompt: {error}"));
            }
        }
    }
    if !system.is_empty() {
        body["system"] = system.into();
    }
    if stream {
        body["stream"] = true.into();
    }
    Ok(Body { json: body, warnings })
}

/// The schema in the words that this provider knows.
fn schema_of(schema: &Value) -> Result<Value, LlmError> {
    lowered("claude", schema, Dialect::Anthropic)
}

/// Instructions are no messages. The first of them is the same in every request, so it is cached, and with it the
/// tools, which come before it.
fn system(messages: &[Message]) -> Vec<Value> {
    let said = messages.iter().filter(|message| message.role == Role::System);
    let mut blocks: Vec<Value> = said.filter_map(|message| text(&message.content)).collect();
    if let Some(first) = blocks.first_mut() {
        first["cache_control"] = json!({ "type": "ephemeral" });
    }
    blocks
}

/// A block of text; an empty one would be refused.
fn text(said: &str) -> Option<Value> {
    (!said.trim().is_empty()).then(|| json!({ "type": "text", "text": said }))
}

fn tool(definition: &ToolDefinition) -> Result<Value, LlmError> {
    Ok(json!({
        "name": definition.name,
        "description": definition.description,
        "input_schema": schema_of(&definition.parameters)?,
    }))
}

/// A conversation in which nobody speaks twice in a row.
#[derive(Debug, Default)]
struct Turns {
    turns: Vec<(&'static str, Vec<Value>)>,
    /// Name and made-up id of calls that came without an id and are not answered yet.
    unnamed: Vec<(String, String)>,
}

impl Turns {
    fn of(messages: &[Message]) -> Self {
        let mut turns = Self::default();
        for (index, message) in messages.iter().enumerate() {
            turns.add(index, message);
        }
        turns
    }

    /// The results of tools stand before the text of the same turn.
    fn messages(self) -> Value {
        let message = |(role, mut blocks): (&str, Vec<Value>)| {
            blocks.sort_by_key(|block| block["type"] != "tool_result");
            json!({ "role": role, "content": blocks })
        };
        self.turns.into_iter().map(message).collect()
    }

    fn add(&mut self, index: usize, message: &Message) {
        match message.role {
            Role::System => {}
            Role::User => self.push("user", text(&message.content)),
            Role::Assistant => {
                let blocks = self.assistant(index, message);
                self.push("assistant", blocks);
            }
            Role::Tool => {
                let block = self.result(message);
                self.push("user", block);
            }
        }
    }

    fn push(&mut self, role: &'static str, blocks: impl IntoIterator<Item = Value>) {
        let mut blocks = blocks.into_iter().peekable();
        match self.turns.last_mut() {
            Some((last, known)) if *last == role => known.extend(blocks),
            _ if blocks.peek().is_some() => self.turns.push((role, blocks.collect())),
            _ => {}
        }
    }

    /// What the model said: its own blocks where it sent some, and every call that is not among them.
    fn assistant(&mut self, turn: usize, message: &Message) -> Vec<Value> {
        let own = message.provider_parts.as_ref().and_then(own_blocks);
        let mut blocks = own.unwrap_or_else(|| text(&message.content).into_iter().collect());
        for (at, call) in message.tool_calls.iter().enumerate() {
            let id = self.id(call, turn, at);
            if !blocks.iter().any(|block| block["type"] == "tool_use" && block["id"] == *id) {
                blocks.push(json!({ "type": "tool_use", "id": id, "name": call.name, "input": call.args }));
            }
        }
        blocks
    }

    fn id(&mut self, call: &ToolCall, turn: usize, at: usize) -> String {
        call.id.clone().unwrap_or_else(|| {
            let id = format!("toolu_{turn}_{at}");
            self.unnamed.push((call.name.clone(), id.clone()));
            id
        })
    }

    /// A result names its call. One that answers no call can only be text.
    fn result(&mut self, message: &Message) -> Option<Value> {
        let call = message.answers.as_ref();
        let id = call.and_then(|call| call.id.clone().or_else(|| self.made_up(&call.name)));
        let Some(id) = id else { return text(&message.content) };
        let mut block = json!({ "type": "tool_result", "tool_use_id": id });
        if !message.content.trim().is_empty() {
            block["content"] = message.content.clone().into();
        }
        Some(block)
    }

    /// The id that was made up for the first call of this name that is not answered.
    fn made_up(&mut self, name: &str) -> Option<String> {
        let at = self.unnamed.iter().position(|(known, _)| known == name)?;
        Some(self.unnamed.remove(at).1)
    }
}

/// Blocks as this provider sent them. Parts of another provider's answer have no `type`.
fn own_blocks(parts: &Value) -> Option<Vec<Value>> {
    let blocks = parts.as_array().filter(|blocks| !blocks.is_empty())?;
    if !blocks.iter().all(|block| block["type"].is_string()) {
        return None;
    }
    let empty =
        |block: &Value| block["type"] == "text" && text(block["text"].as_str().unwrap_or_default()).is_none();
    Some(blocks.iter().filter(|block| !empty(block)).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{LlmResponse, LlmTask};
    use crate::types::IntentBlock;

    fn request(messages: Vec<Message>) -> LlmRequest {
        LlmRequest {
            task: LlmTask::Plan { intent: IntentBlock::default(), node_count: 2 },
            messages,
            tools: Vec::new(),
            response_schema: None,
            max_output_tokens: 512,
            temperature: 0.1,
        }
    }

    fn messages(messages: Vec<Message>) -> Value {
        body("claude-x", false, &request(messages), false).unwrap().json["messages"].take()
    }

    fn call(id: Option<&str>, node: u8) -> ToolCall {
        let args = json!({"node": node}).as_object().unwrap().clone();
        ToolCall { id: id.map(str::to_owned), name: "ln_getinfo".into(), args }
    }

    fn assistant(content: &str, tool_calls: Vec<ToolCall>, provider_parts: Option<Value>) -> Message {
        let content = content.to_owned();
        Message::of_response(&LlmResponse { content, tool_calls, provider_parts, ..LlmResponse::default() })
    }

    #[test]
    fn the_stable_instructions_are_cached_and_the_others_follow_them() {
        let request = request(vec![
            Message::new(Role::System, "always the same"),
            Message::new(Role::System, "of today"),
            Message::new(Role::System, " "),
            Message::new(Role::User, "hi"),
        ]);

        let body = body("claude-x", false, &request, false).unwrap();

        let expected = json!({
            "model": "claude-x", "max_tokens": 512,
            "system": [
                {"type": "text", "text": "always the same", "cache_control": {"type": "ephemeral"}},
                {"type": "text", "text": "of today"},
            ],
            "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
        });
        assert_eq!(body, Body::from(expected));
    }

    #[test]
    fn the_temperature_is_sent_only_where_it_is_wanted_and_never_above_one() {
        let mut request = request(vec![Message::new(Role::User, "hi")]);
        assert_eq!(body("m", false, &request, false).unwrap().json.get("temperature"), None);
        assert_eq!(body("m", true, &request, false).unwrap().json["temperature"], json!(0.1));
        request.temperature = 1.5;
        let warm = body("m", true, &request, false).unwrap();
        assert_eq!((&warm.json["temperature"], warm.warnings.len()), (&json!(1.0), 1));
    }

    #[test]
    fn all_results_of_a_turn_stand_in_one_message_before_its_text() {
        let (first, second) = (call(Some("toolu_1"), 1), call(Some("toolu_2"), 2));
        let sent = messages(vec![
            Message::new(Role::User, "both nodes?"),
            assistant("", vec![first.clone(), second.clone()], None),
            Message::tool_result(first, "{\"ok\":true}"),
            Message::new(Role::User, "and quickly"),
            Message::new(Role::User, "\n"),
            Message::tool_result(second, ""),
        ]);
        let expected = json!([
            {"role": "user", "content": [{"type": "text", "text": "both nodes?"}]},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "toolu_1", "name": "ln_getinfo", "input": {"node": 1}},
                {"type": "tool_use", "id": "toolu_2", "name": "ln_getinfo", "input": {"node": 2}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "{\"ok\":true}"},
                {"type": "tool_result", "tool_use_id": "toolu_2"},
                {"type": "text", "text": "and quickly"}]},
        ]);
        assert_eq!(sent, expected);
    }

    #[test]
    fn blocks_of_the_model_go_back_as_they_came() {
        let thought = json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"});
        let hidden = json!({"type": "redacted_thinking", "data": "eA=="});
        let used = json!({"type": "tool_use", "id": "toolu_1", "name": "ln_getinfo", "input": {"node": 1}});
        let empty = json!({"type": "text", "text": ""});
        let new = json!({"type": "of_tomorrow", "x": [1, {"y": null}]});
        let parts = json!([thought, hidden, empty, new, used]);

        let sent = messages(vec![
            Message::new(Role::User, "hi"),
            assistant("", vec![call(Some("toolu_1"), 1)], Some(parts)),
        ]);

        assert_eq!(sent[1], json!({"role": "assistant", "content": [thought, hidden, new, used]}));
    }

    #[test]
    fn parts_of_another_provider_are_not_sent() {
        let parts = json!([{"text": "Checking.", "thoughtSignature": "c2ln"}]);
        let sent = messages(vec![assistant("Checking.", Vec::new(), Some(parts))]);
        assert_eq!(sent, json!([{"role": "assistant", "content": [{"type": "text", "text": "Checking."}]}]));
    }

    #[test]
    fn calls_without_ids_and_their_results_are_given_the_same_ones() {
        let thought = json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"});
        let (first, second) = (call(None, 1), call(None, 2));
        let sent = messages(vec![
            assistant("", vec![first.clone(), second.clone()], Some(json!([thought]))),
            Message::tool_result(first, "one"),
            Message::tool_result(second, "two"),
        ]);
        let expected = json!([
            {"role": "assistant", "content": [
                thought,
                {"type": "tool_use", "id": "toolu_0_0", "name": "ln_getinfo", "input": {"node": 1}},
                {"type": "tool_use", "id": "toolu_0_1", "name": "ln_getinfo", "input": {"node": 2}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_0_0", "content": "one"},
                {"type": "tool_result", "tool_use_id": "toolu_0_1", "content": "two"}]},
        ]);
        assert_eq!(sent, expected);
    }
}
