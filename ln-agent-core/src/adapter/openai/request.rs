//! The body of a request.

use serde_json::{Value, json};

use super::quirks::{Format, Quirks};
use crate::adapter::http::{Body, lowered, schema_in_words, temperature};
use crate::llm::schema::{Dialect, lower};
use crate::llm::{LlmError, LlmRequest, Message, Role, ToolCall, ToolDefinition};

/// The body: the members that every compatible server takes, and no others.
pub(super) fn body(
    model: &str,
    quirks: &Quirks,
    request: &LlmRequest,
    stream: bool,
) -> Result<Body, LlmError> {
    let mut messages = messages(&request.messages);
    let mut body = json!({ "model": model });
    let mut warnings = Vec::new();
    if let Some(schema) = &request.response_schema {
        match quirks.format() {
            Format::Schema => body["response_format"] = schema_format(schema, quirks, &mut warnings)?,
            Format::Object => {
                body["response_format"] = json!({ "type": "json_object" });
                messages.push(asked_in_words(schema));
            }
            Format::Prompt => messages.push(asked_in_words(schema)),
        }
    }
    body["messages"] = Value::Array(messages);
    body[quirks.limit_name()] = request.max_output_tokens.into();
    if quirks.takes_temperature() {
        body["temperature"] = temperature(request.temperature);
    }
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect::<Result<_, _>>()?;
        body["tool_choice"] = "auto".into();
    }
    if stream {
        body["stream"] = true.into();
        if quirks.takes_stream_usage() {
            body["stream_options"] = json!({ "include_usage": true });
        }
    }
    Ok(Body { json: body, warnings })
}

/// The schema as the provider's own mode of structured output. What strict mode cannot hold is sent without it, and
/// that is told.
fn schema_format(schema: &Value, quirks: &Quirks, warnings: &mut Vec<String>) -> Result<Value, LlmError> {
    let strict = quirks.is_strict().then(|| lower(schema, Dialect::OpenAiStrict));
    let (schema, strict) = match strict {
        Some(Ok(schema)) => (schema, true),
        Some(Err(error)) => {
            warnings.push(format!("the schema is not enforced strictly: {error}"));
            (loose(schema)?, false)
        }
        None => (loose(schema)?, false),
    };
    Ok(
        json!({ "type": "json_schema", "json_schema": { "name": "answer", "schema": schema, "strict": strict } }),
    )
}

fn loose(schema: &Value) -> Result<Value, LlmError> {
    lowered("openai", schema, Dialect::OpenAiLoose)
}

/// Servers that enforce JSON ask for the word in a message.
fn asked_in_words(schema: &Value) -> Value {
    json!({ "role": "system", "content": schema_in_words(schema) })
}

fn tool(definition: &ToolDefinition) -> Result<Value, LlmError> {
    Ok(json!({ "type": "function", "function": {
        "name": definition.name, "description": definition.description,
        "parameters": loose(&definition.parameters)?,
    } }))
}

/// Instructions in several pieces are one message: not every server takes a second one.
fn messages(all: &[Message]) -> Vec<Value> {
    let leading = all.iter().take_while(|message| message.role == Role::System).count();
    let system: Vec<&str> = all[..leading].iter().map(|message| message.content.as_str()).collect();
    let system = (leading > 0).then(|| json!({ "role": "system", "content": system.join("\n\n") }));
    system.into_iter().chain(all[leading..].iter().enumerate().map(message)).collect()
}

fn message((index, message): (usize, &Message)) -> Value {
    match message.role {
        Role::System => json!({ "role": "system", "content": message.content }),
        Role::User => json!({ "role": "user", "content": message.content }),
        Role::Assistant if message.tool_calls.is_empty() => {
            json!({ "role": "assistant", "content": message.content })
        }
        Role::Assistant => {
            let content = (!message.content.is_empty()).then_some(&message.content);
            let calls: Vec<Value> =
                message.tool_calls.iter().enumerate().map(|(at, call)| tool_call(call, index, at)).collect();
            json!({ "role": "assistant", "content": content, "tool_calls": calls })
        }
        Role::Tool => {
            let id = message.answers.as_ref().and_then(|call| call.id.clone()).unwrap_or_default();
            json!({ "role": "tool", "tool_call_id": id, "content": message.content })
        }
    }
}

/// Arguments are a text that holds JSON, in both directions.
fn tool_call(call: &ToolCall, turn: usize, at: usize) -> Value {
    let id = call.id.clone().unwrap_or_else(|| format!("call_{turn}_{at}"));
    let arguments = Value::Object(call.args.clone()).to_string();
    json!({ "id": id, "type": "function", "function": { "name": call.name, "arguments": arguments } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::RemoteConfig;
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

    fn quirks() -> Quirks {
        Quirks::of(&RemoteConfig::new("", "gpt-4o"), false)
    }

    #[test]
    fn a_plain_request_has_the_members_that_every_server_takes() {
        let request = request(vec![Message::new(Role::System, "be brief"), Message::new(Role::User, "hi")]);

        let body = body("gpt-4o", &quirks(), &request, false).unwrap();

        let expected = json!({
            "model": "gpt-4o",
            "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}],
            "max_tokens": 512, "temperature": 0.1,
        });
        assert_eq!(body, Body::from(expected));
    }

    #[test]
    fn tools_their_calls_and_their_answers_are_written_as_the_protocol_has_them() {
        let call = ToolCall {
            id: Some("c7".into()),
            name: "ln_getinfo".into(),
            args: json!({"node": 1}).as_object().unwrap().clone(),
        };
        let turn = LlmResponse { tool_calls: vec![call.clone()], ..LlmResponse::default() };
        let mut request = request(vec![
            Message::new(Role::User, "who is node 1?"),
            Message::of_response(&turn),
            Message::tool_result(call, "{\"ok\":true}"),
        ]);
        let parameters = json!({"type": "object", "properties": {"node": {"type": "integer"}}});
        request.tools = vec![ToolDefinition {
            name: "ln_getinfo".into(),
            description: "Node info".into(),
            parameters: parameters.clone(),
        }];

        let body = body("m", &quirks(), &request, true).unwrap().json;

        assert_eq!(
            body["messages"],
            json!([
                {"role": "user", "content": "who is node 1?"},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "c7", "type": "function", "function": {"name": "ln_getinfo", "arguments": "{\"node\":1}"}}]},
                {"role": "tool", "tool_call_id": "c7", "content": "{\"ok\":true}"},
            ])
        );
        assert_eq!(
            body["tools"],
            json!([{"type": "function", "function": {
                "name": "ln_getinfo", "description": "Node info", "parameters": parameters}}])
        );
        assert_eq!(
            (&body["tool_choice"], &body["stream"], &body["stream_options"]),
            (&json!("auto"), &json!(true), &json!({"include_usage": true}))
        );
    }
}
