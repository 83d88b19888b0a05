//! Arguments of tool calls that a model wrapped once more.

use serde_json::Value;

use crate::llm::reply::object;
use crate::llm::{LlmRequest, LlmResponse, ToolCall, ToolDefinition};

/// Takes the arguments of every call of an offered tool out of `{"arguments": …}` and `{"args": …}`, with or without
/// the name of the tool beside them. A tool that has an argument of that name keeps it.
pub(super) fn unwrap_calls(request: &LlmRequest, response: &mut LlmResponse) {
    for call in &mut response.tool_calls {
        if let Some(tool) = request.tools.iter().find(|tool| tool.name == call.name) {
            while let Some(inner) = wrapped(tool, call) {
                call.args = inner;
            }
        }
    }
}

fn wrapped(tool: &ToolDefinition, call: &ToolCall) -> Option<crate::types::Object> {
    let declared = |name: &str| tool.parameters.pointer(&format!("/properties/{name}")).is_some();
    let wrapper = ["arguments", "args"].into_iter().find(|name| call.args.contains_key(*name))?;
    let names_tool = |(name, value): (&String, &Value)| {
        matches!(name.as_str(), "name" | "tool") && value == tool.name.as_str()
    };
    let alone = call.args.iter().all(|(name, value)| name == wrapper || names_tool((name, value)));
    if declared(wrapper) || !alone {
        return None;
    }
    match &call.args[wrapper] {
        Value::Object(inner) => Some(inner.clone()),
        Value::String(text) => object(text).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::llm::LlmTask;
    use crate::types::IntentBlock;

    fn read(properties: &Value, args: Value) -> Value {
        let tool = ToolDefinition {
            name: "t".into(),
            description: String::new(),
            parameters: json!({ "type": "object", "properties": properties }),
        };
        let request = LlmRequest {
            task: LlmTask::Plan { intent: IntentBlock::default(), node_count: 2 },
            messages: Vec::new(),
            tools: vec![tool],
            response_schema: None,
            max_output_tokens: 1,
            temperature: 0.0,
        };
        let Value::Object(args) = args else { panic!("arguments are an object") };
        let call = ToolCall { id: None, name: "t".into(), args };
        let mut response = LlmResponse { tool_calls: vec![call], ..LlmResponse::default() };
        unwrap_calls(&request, &mut response);
        Value::Object(response.tool_calls.remove(0).args)
    }

    #[test]
    fn wrapped_arguments_come_out_of_their_wrapping() {
        for wrapped in [
            json!({"args": {"node": 1}}),
            json!({"arguments": {"node": 1}}),
            json!({"name": "t", "arguments": {"node": 1}}),
            json!({"tool": "t", "args": "{\"node\":1}"}),
            json!({"arguments": {"args": {"node": 1}}}),
        ] {
            assert_eq!(read(&json!({"node": {}}), wrapped.clone()), json!({"node": 1}), "{wrapped}");
        }
    }

    #[test]
    fn what_may_be_meant_as_it_is_stays() {
        for kept in [
            json!({"args": [1]}),
            json!({"node": 1, "args": {"x": 1}}),
            json!({"name": "other", "arguments": {"node": 1}}),
            json!({"args": "no object"}),
        ] {
            assert_eq!(read(&json!({"node": {}}), kept.clone()), kept);
        }
        let own = json!({"args": {"x": 1}});
        assert_eq!(read(&json!({"args": {}}), own.clone()), own);
    }
}
