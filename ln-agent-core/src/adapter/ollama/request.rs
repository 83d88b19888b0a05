//! The body of a request.

use serde_json::{Map, Value, json};

use super::backend::Ollama;
use crate::adapter::http::{Body, lowered, schema_in_words, temperature};
use crate::llm::schema::Dialect;
use crate::llm::{LlmError, LlmRequest, Message, Role, ToolCall, ToolDefinition};

/// How long the model stays loaded after a request. A run makes several, and loading takes up to minutes.
const KEEP_ALIVE: &str = "10m";
/// Any number that stays the same: by default Ollama draws one for each request, and then not even a temperature
/// of 0 gives the same answer twice.
const SEED: u32 = 7;
/// More layers than any model has: all of them go to the graphics card.
const ALL_LAYERS: u32 = 999;

/// The body. Sampling stands below `options`; elsewhere Ollama ignores it.
pub(super) fn body(ollama: &Ollama, request: &LlmRequest, stream: bool) -> Result<Body, LlmError> {
    let mut body = json!({
        "model": ollama.model,
        "messages": request.messages.iter().map(message).collect::<Value>(),
        // The default is a stream.
        "stream": stream,
        "keep_alive": KEEP_ALIVE,
        // Too long is an error: by default the oldest messages are dropped, before and while it answers.
        "truncate": false,
        "shift": false,
        "options": options(ollama, request),
    });
    let mut warnings = Vec::new();
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect::<Result<_, _>>()?;
    }
    if let Some(schema) = &request.response_schema {
        match unenforced(ollama, request) {
            None => body["format"] = schema_of(schema)?,
            Some(why) => {
                if let Value::Array(messages) = &mut body["messages"] {
                    messages.push(asked_in_words(schema));
                }
                warnings.push(format!("the schema stands in the prompt only: {why}"));
            }
        }
        // With thoughts before it, an answer in a given form may come out empty.
        if ollama.quirks.takes_think() {
            body["think"] = false.into();
        }
    }
    Ok(Body { json: body, warnings })
}

fn options(ollama: &Ollama, request: &LlmRequest) -> Value {
    let mut options = Map::new();
    if ollama.temperature {
        let exact = ollama.exact_tools && !request.tools.is_empty();
        options.insert("temperature".to_owned(), temperature(if exact { 0.0 } else { request.temperature }));
    }
    options.insert("seed".to_owned(), SEED.into());
    // The same for every request: another size loads the model anew.
    options.insert("num_ctx".to_owned(), ollama.context_tokens.into());
    // Without it an answer may go round in circles forever.
    options.insert("num_predict".to_owned(), request.max_output_tokens.into());
    if ollama.gpu {
        options.insert("num_gpu".to_owned(), ALL_LAYERS.into());
    }
    Value::Object(options)
}

/// Why the schema cannot be enforced, if it cannot.
fn unenforced(ollama: &Ollama, request: &LlmRequest) -> Option<&'static str> {
    if !ollama.quirks.takes_format() {
        Some("this server does not enforce it")
    } else if !request.tools.is_empty() {
        // A grammar for the answer leaves no way to write a call.
        Some("tools are offered, too")
    } else {
        None
    }
}

/// The schema in the words that Ollama's grammar knows.
fn schema_of(schema: &Value) -> Result<Value, LlmError> {
    lowered("ollama", schema, Dialect::Ollama)
}

fn asked_in_words(schema: &Value) -> Value {
    json!({ "role": "system", "content": schema_in_words(schema) })
}

fn tool(definition: &ToolDefinition) -> Result<Value, LlmError> {
    Ok(json!({ "type": "function", "function": {
        "name": definition.name,
        "description": definition.description,
        "parameters": schema_of(&definition.parameters)?,
    } }))
}

fn message(message: &Message) -> Value {
    let mut written = json!({ "role": role(message.role), "content": message.content });
    if message.role == Role::Assistant && !message.tool_calls.is_empty() {
        written["tool_calls"] = message.tool_calls.iter().map(tool_call).collect();
    }
    // A result names its tool: Ollama's calls often have no id.
    if let Some(call) = message.answers.as_ref().filter(|_| message.role == Role::Tool) {
        written["tool_name"] = call.name.as_str().into();
        if let Some(id) = &call.id {
            written["tool_call_id"] = id.as_str().into();
        }
    }
    written
}

fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

/// Arguments are an object, in both directions.
fn tool_call(call: &ToolCall) -> Value {
    let mut written = json!({ "function": { "name": call.name, "arguments": call.args } });
    if let Some(id) = &call.id {
        written["id"] = id.as_str().into();
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::RemoteConfig;
    use crate::llm::{LlmError, LlmErrorKind, LlmResponse, LlmTask};
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

    fn with_tool(messages: Vec<Message>) -> LlmRequest {
        let (name, description) = ("ln_getinfo".to_owned(), "Node info".to_owned());
        let parameters = json!({ "type": "object" });
        LlmRequest { tools: vec![ToolDefinition { name, description, parameters }], ..request(messages) }
    }

    fn with_schema() -> LlmRequest {
        LlmRequest { response_schema: Some(json!({ "type": "object" })), ..request(Vec::new()) }
    }

    fn ollama(change: impl FnOnce(&mut RemoteConfig)) -> Ollama {
        let mut config = RemoteConfig::new("", "qwen3:8b");
        change(&mut config);
        Ollama::of(&config, "http://127.0.0.1:11434")
    }

    #[test]
    fn a_plain_request_says_everything_that_ollama_would_otherwise_choose_itself() {
        let request = request(vec![Message::new(Role::System, "be brief"), Message::new(Role::User, "hi")]);

        let expected = json!({
            "model": "qwen3:8b",
            "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}],
            "stream": false, "keep_alive": "10m", "truncate": false, "shift": false,
            "options": {"temperature": 0.1, "seed": 7, "num_ctx": 16_384, "num_predict": 512},
        });
        assert_eq!(body(&ollama(|_| ()), &request, false).unwrap(), Body::from(expected));
    }

    #[test]
    fn sampling_follows_the_configuration_below_options() {
        let options = |change: fn(&mut RemoteConfig), request: &LlmRequest| {
            body(&ollama(change), request, true).unwrap().json["options"].clone()
        };
        let (plain, tools) = (request(Vec::new()), with_tool(Vec::new()));
        let expected = |temperature: f64| json!({"temperature": temperature, "seed": 7, "num_ctx": 16_384, "num_predict": 512});
        assert_eq!(options(|_| (), &tools), expected(0.0));
        assert_eq!(options(|config| config.tool_temperature_zero = false, &tools), expected(0.1));
        assert_eq!(
            options(|config| (config.gpu, config.context_tokens) = (true, 4_096), &plain),
            json!({"temperature": 0.1, "seed": 7, "num_ctx": 4_096, "num_predict": 512, "num_gpu": 999})
        );
        assert_eq!(
            options(|config| config.send_temperature = Some(false), &tools),
            json!({"seed": 7, "num_ctx": 16_384, "num_predict": 512})
        );
    }

    #[test]
    fn every_question_has_the_same_size_of_context() {
        let ollama = ollama(|_| ());
        for request in [request(Vec::new()), with_tool(Vec::new()), with_schema()] {
            assert_eq!(body(&ollama, &request, false).unwrap().json["options"]["num_ctx"], 16_384);
        }
    }

    #[test]
    fn a_schema_is_enforced_without_thoughts() {
        let sent = body(&ollama(|_| ()), &with_schema(), false).unwrap();
        assert_eq!((&sent.json["format"], &sent.json["think"]), (&json!({"type": "object"}), &json!(false)));
        assert_eq!(sent.warnings, Vec::<String>::new());
        let plain = body(&ollama(|_| ()), &request(Vec::new()), false).unwrap().json;
        assert_eq!((plain.get("format"), plain.get("think")), (None, None));
    }

    #[test]
    fn a_schema_that_is_not_enforced_stands_in_the_prompt_and_is_told() {
        let both = LlmRequest { tools: with_tool(Vec::new()).tools, ..with_schema() };
        let refusing = ollama(|_| ());
        let refusal = LlmError::new(LlmErrorKind::BadRequest, "ollama", "invalid format");
        assert!(refusing.quirks.adapt(&refusal).is_some());
        let cases = [
            (ollama(|_| ()), both, "tools are offered, too"),
            (refusing, with_schema(), "this server does not enforce it"),
            (
                ollama(|config| config.model = "gpt-oss:120b-cloud".into()),
                with_schema(),
                "this server does not enforce it",
            ),
        ];
        for (ollama, request, why) in cases {
            let sent = body(&ollama, &request, false).unwrap();
            assert_eq!(sent.json.get("format"), None, "{why}");
            assert_eq!(sent.json["messages"], json!([asked_in_words(&json!({"type": "object"}))]));
            assert_eq!(sent.warnings, [format!("the schema stands in the prompt only: {why}")]);
        }
    }

    #[test]
    fn tools_their_calls_and_their_answers_are_written_as_the_protocol_has_them() {
        let call = |id: Option<&str>| ToolCall {
            id: id.map(str::to_owned),
            name: "ln_getinfo".into(),
            args: json!({"node": 1}).as_object().unwrap().clone(),
        };
        let turn =
            LlmResponse { tool_calls: vec![call(None), call(Some("call_a"))], ..LlmResponse::default() };
        let request = with_tool(vec![
            Message::of_response(&turn),
            Message::tool_result(call(None), "{\"ok\":true}"),
            Message::tool_result(call(Some("call_a")), "{}"),
        ]);

        let sent = body(&ollama(|_| ()), &request, true).unwrap().json;

        let function = json!({"name": "ln_getinfo", "arguments": {"node": 1}});
        assert_eq!(
            sent["messages"],
            json!([
                {"role": "assistant", "content": "", "tool_calls": [
                    {"function": function}, {"id": "call_a", "function": function}]},
                {"role": "tool", "content": "{\"ok\":true}", "tool_name": "ln_getinfo"},
                {"role": "tool", "content": "{}", "tool_name": "ln_getinfo", "tool_call_id": "call_a"},
            ])
        );
        let definition =
            json!({"name": "ln_getinfo", "description": "Node info", "parameters": {"type": "object"}});
        assert_eq!(sent["tools"], json!([{"type": "function", "function": definition}]));
        assert_eq!(sent["stream"], true);
    }
}
