//! The body of a request.

use serde_json::{Value, json};

use crate::adapter::http::{Body, lowered, schema_in_words, temperature};
use crate::llm::schema::Dialect;
use crate::llm::{LlmError, LlmRequest, Message, Role, ToolCall, ToolDefinition};

/// The body. Members that this provider does not know are refused, so there are no others.
pub(super) fn body(warm: bool, request: &LlmRequest) -> Result<Body, LlmError> {
    let mut generation = json!({ "maxOutputTokens": request.max_output_tokens });
    if warm {
        generation["temperature"] = temperature(request.temperature);
    }
    let mut system = system(&request.messages);
    let mut warnings = Vec::new();
    match &request.response_schema {
        None => {}
        Some(schema) if request.tools.is_empty() => {
            generation["responseMimeType"] = "application/json".into();
            generation["responseJsonSchema"] = schema_of(schema)?;
        }
        // Most models refuse a schema beside tools.
        Some(schema) => {
            system.extend(text(&schema_in_words(schema)));
            warnings.push("the schema is not enforced beside tools: it stands in the prompt".to_owned());
        }
    }
    let mut body = json!({ "contents": contents(&request.messages), "generationConfig": generation });
    if !system.is_empty() {
        body["systemInstruction"] = json!({ "parts": system });
    }
    if !request.tools.is_empty() {
        let declarations: Vec<Value> = request.tools.iter().map(declaration).collect::<Result<_, _>>()?;
        body["tools"] = json!([{ "functionDeclarations": declarations }]);
        body["toolConfig"] = json!({ "functionCallingConfig": { "mode": "AUTO" } });
    }
    Ok(Body { json: body, warnings })
}

/// The schema in the words that this provider knows.
fn schema_of(schema: &Value) -> Result<Value, LlmError> {
    lowered("gemini", schema, Dialect::Gemini)
}

/// Instructions are no turns of the conversation. The first of them is the same in every request; what the provider
/// caches by itself begins with it.
fn system(messages: &[Message]) -> Vec<Value> {
    let said = messages.iter().filter(|message| message.role == Role::System);
    said.filter_map(|message| text(&message.content)).collect()
}

/// A part of text; an empty one says nothing.
fn text(said: &str) -> Option<Value> {
    (!said.trim().is_empty()).then(|| json!({ "text": said }))
}

/// A function without arguments has no schema: one without properties would be refused.
fn declaration(definition: &ToolDefinition) -> Result<Value, LlmError> {
    let mut declaration = json!({ "name": definition.name, "description": definition.description });
    let properties = definition.parameters["properties"].as_object();
    if properties.is_some_and(|properties| !properties.is_empty()) {
        declaration["parametersJsonSchema"] = schema_of(&definition.parameters)?;
    }
    Ok(declaration)
}

/// Who speaks, as far as turns are kept apart.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Speaker {
    User,
    Model,
    Tools,
}

/// The turns of a conversation. The results of all calls of one turn stand together and by themselves: their number
/// must be that of the calls.
fn contents(messages: &[Message]) -> Value {
    let mut turns: Vec<(Speaker, Vec<Value>)> = Vec::new();
    for message in messages {
        let (speaker, parts) = match message.role {
            Role::System => continue,
            Role::User => (Speaker::User, text(&message.content).into_iter().collect()),
            Role::Assistant => (Speaker::Model, model_parts(message)),
            Role::Tool => tool_parts(message),
        };
        match turns.last_mut() {
            Some((last, known)) if *last == speaker => known.extend(parts),
            _ if !parts.is_empty() => turns.push((speaker, parts)),
            _ => {}
        }
    }
    let content = |(speaker, parts)| {
        let role = if speaker == Speaker::Model { "model" } else { "user" };
        json!({ "role": role, "parts": parts })
    };
    turns.into_iter().map(content).collect()
}

/// What the model said: its own parts where it sent some, and the calls that are not among them.
fn model_parts(message: &Message) -> Vec<Value> {
    let own = message.provider_parts.as_ref().and_then(own_parts);
    let mut parts = own.unwrap_or_else(|| text(&message.content).into_iter().collect());
    let known = parts.iter().filter(|part| part["functionCall"].is_object()).count();
    parts.extend(message.tool_calls.iter().skip(known).map(function_call));
    parts
}

/// Parts as this provider sent them. Blocks of another provider's answer have a `type`.
fn own_parts(parts: &Value) -> Option<Vec<Value>> {
    let parts = parts.as_array().filter(|parts| !parts.is_empty())?;
    let own = parts.iter().all(|part| part.is_object() && part.get("type").is_none());
    own.then(|| parts.clone())
}

fn function_call(call: &ToolCall) -> Value {
    let mut function = json!({ "name": call.name, "args": call.args });
    if let Some(id) = &call.id {
        function["id"] = id.clone().into();
    }
    json!({ "functionCall": function })
}

/// A result names its function. One that answers no call can only be text.
fn tool_parts(message: &Message) -> (Speaker, Vec<Value>) {
    let Some(call) = &message.answers else {
        return (Speaker::User, text(&message.content).into_iter().collect());
    };
    let mut function = json!({ "name": call.name, "response": result(&message.content) });
    if let Some(id) = &call.id {
        function["id"] = id.clone().into();
    }
    (Speaker::Tools, vec![json!({ "functionResponse": function })])
}

/// A result is an object. What is none is wrapped, and so is what holds words of JSON schemas: the provider takes a
/// `$ref` for its own, wherever it stands.
fn result(content: &str) -> Value {
    match serde_json::from_str(content) {
        Ok(value) if refers(&value) => json!({ "output": content }),
        Ok(Value::Object(object)) => object.into(),
        Ok(value) => json!({ "output": value }),
        Err(_) => json!({ "output": content }),
    }
}

fn refers(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.iter().any(|(name, value)| name.starts_with('$') || refers(value)),
        Value::Array(values) => values.iter().any(refers),
        _ => false,
    }
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

    fn call(id: Option<&str>, node: u8) -> ToolCall {
        let args = json!({"node": node}).as_object().unwrap().clone();
        ToolCall { id: id.map(str::to_owned), name: "ln_getinfo".into(), args }
    }

    fn assistant(content: &str, tool_calls: Vec<ToolCall>, provider_parts: Option<Value>) -> Message {
        let content = content.to_owned();
        Message::of_response(&LlmResponse { content, tool_calls, provider_parts, ..LlmResponse::default() })
    }

    fn tool(parameters: Value) -> ToolDefinition {
        ToolDefinition { name: "ln_getinfo".into(), description: "Node info".into(), parameters }
    }

    #[test]
    fn instructions_are_apart_and_turns_are_of_user_and_model_only() {
        let request = request(vec![
            Message::new(Role::System, "always the same"),
            Message::new(Role::System, "of today"),
            Message::new(Role::User, "hi"),
            Message::new(Role::User, ""),
            assistant("hello", Vec::new(), None),
            assistant(" ", Vec::new(), None),
            Message::new(Role::User, "bye"),
        ]);
        let expected = json!({
            "systemInstruction": {"parts": [{"text": "always the same"}, {"text": "of today"}]},
            "contents": [
                {"role": "user", "parts": [{"text": "hi"}]},
                {"role": "model", "parts": [{"text": "hello"}]},
                {"role": "user", "parts": [{"text": "bye"}]},
            ],
            "generationConfig": {"maxOutputTokens": 512, "temperature": 0.1},
        });
        assert_eq!(body(true, &request).unwrap(), Body::from(expected));
        assert_eq!(body(false, &request).unwrap().json["generationConfig"], json!({"maxOutputTokens": 512}));
    }

    #[test]
    fn results_of_one_turn_stand_together_and_by_themselves() {
        let (first, second) = (call(Some("fc1"), 1), call(None, 2));
        let sent = contents(&[
            assistant("Looking.", vec![first.clone(), second.clone()], None),
            Message::tool_result(first, "{\"ok\":true}"),
            Message::tool_result(second, "nothing"),
            Message::new(Role::User, "quickly"),
        ]);
        let expected = json!([
            {"role": "model", "parts": [
                {"text": "Looking."},
                {"functionCall": {"id": "fc1", "name": "ln_getinfo", "args": {"node": 1}}},
                {"functionCall": {"name": "ln_getinfo", "args": {"node": 2}}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "fc1", "name": "ln_getinfo", "response": {"ok": true}}},
                {"functionResponse": {"name": "ln_getinfo", "response": {"output": "nothing"}}}]},
            {"role": "user", "parts": [{"text": "quickly"}]},
        ]);
        assert_eq!(sent, expected);
    }

    #[test]
    fn a_result_is_an_object_without_words_of_schemas() {
        let schema = "{\"items\":[{\"$ref\":\"#/x\"}]}";
        for (content, expected) in [
            ("{\"error\":\"no\"}", json!({"error": "no"})),
            ("[1,2]", json!({"output": [1, 2]})),
            ("5", json!({"output": 5})),
            ("null", json!({"output": null})),
            ("", json!({"output": ""})),
            ("{half", json!({"output": "{half"})),
            (schema, json!({"output": schema})),
        ] {
            assert_eq!(result(content), expected, "{content}");
        }
    }

    #[test]
    fn parts_of_the_model_go_back_as_they_came_and_calls_in_words_after_them() {
        let parts = json!([
            {"text": "hm", "thought": true},
            {"text": "", "thoughtSignature": "c2ln"},
            {"functionCall": {"id": "fc1", "name": "ln_getinfo"}, "thoughtSignature": "c2ln"},
        ]);
        let sent = contents(&[assistant("", vec![call(Some("fc1"), 1), call(None, 2)], Some(parts.clone()))]);
        let mut expected = parts;
        let added = json!({"functionCall": {"name": "ln_getinfo", "args": {"node": 2}}});
        expected.as_array_mut().unwrap().push(added);
        assert_eq!(sent, json!([{"role": "model", "parts": expected}]));
    }

    #[test]
    fn blocks_of_another_provider_are_not_sent() {
        let blocks = json!([{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]);
        let sent = contents(&[assistant("Hi.", Vec::new(), Some(blocks))]);
        assert_eq!(sent, json!([{"role": "model", "parts": [{"text": "Hi."}]}]));
    }

    #[test]
    fn a_function_without_arguments_has_no_schema() {
        let bare = json!({"name": "ln_getinfo", "description": "Node info"});
        for parameters in [json!({}), json!({"type": "object", "properties": {}}), json!(null)] {
            assert_eq!(declaration(&tool(parameters)).unwrap(), bare);
        }
        let schema = json!({"type": "object", "properties": {"node": {"type": "integer"}}});
        let sent = declaration(&tool(schema.clone())).unwrap();
        let mut expected = schema;
        expected["propertyOrdering"] = json!(["node"]);
        assert_eq!(sent["parametersJsonSchema"], expected);
    }

    #[test]
    fn beside_tools_a_schema_stands_in_the_prompt_and_that_is_told() {
        let mut request = request(vec![Message::new(Role::User, "hi")]);
        request.response_schema = Some(json!({"type": "object"}));
        request.tools = vec![tool(json!({}))];

        let body = body(true, &request).unwrap();

        assert_eq!(body.json["generationConfig"], json!({"maxOutputTokens": 512, "temperature": 0.1}));
        let told = body.json["systemInstruction"]["parts"][0]["text"].as_str().unwrap();
        assert!(told.ends_with("{\"type\":\"object\"}"), "{told}");
        assert_eq!(body.warnings, ["the schema is not enforced beside tools: it stands in the prompt"]);
    }
}
