//! Tool calls that a model wrote as text, instead of in the place that its provider has for them.

use serde_json::Value;

use super::find::{Found, object, values};
use crate::llm::ToolCall;
use crate::types::Object;

/// The tool calls in a text, in order.
///
/// They are read in the forms that models use: `<tool_call>` tags, fences, bare objects and lists of them, with
/// `name`, `tool`, `tool_name` or `function` for the name and `arguments`, `parameters`, `args` or `input` for the
/// arguments, which may be an object or a string that holds one; also within `function`, `function_call`,
/// `tool_call` and `tool_calls`.
///
/// - Only the `known` names are calls; everything else is prose or data.
/// - Tagged calls beat fenced ones, and fenced ones those in prose: what stands beside them explains.
/// - The same call with the same arguments counts once. A model repeats itself more often than it means to pay twice.
/// - A text that breaks off inside a value holds no call: what is missing may be the part that mattered.
/// - A definition of a tool, with its description or the schema of its arguments, is no call.
///
/// # Examples
///
/// ```
/// use ln_agent_core::llm::reply::tool_calls;
///
/// let text = "Looking it up.\n<tool_call>{\"name\": \"ln_getinfo\", \"arguments\": {\"node\": 1}}</tool_call>";
/// let calls = tool_calls(text, &["ln_getinfo"]);
///
/// assert_eq!(calls[0].name, "ln_getinfo");
/// assert_eq!(calls[0].args["node"], 1);
/// assert!(tool_calls(text, &["ln_pay"]).is_empty());
/// ```
#[must_use]
pub fn tool_calls(text: &str, known: &[&str]) -> Vec<ToolCall> {
    let mut best = Place::Prose;
    let mut calls: Vec<ToolCall> = Vec::new();
    for Found { value, start, fenced } in values(text) {
        let place = if is_tagged(&text[..start]) {
            Place::Tag
        } else if fenced {
            Place::Fence
        } else {
            Place::Prose
        };
        let mut found = Vec::new();
        collect(&value, None, place == Place::Tag, known, &mut found);
        if place < best || found.is_empty() {
            continue;
        }
        if place > best {
            best = place;
            calls.clear();
        }
        for call in found {
            if !calls.iter().any(|other| other.name == call.name && other.args == call.args) {
                calls.push(call);
            }
        }
    }
    calls
}

/// Where a call stands; the later ones count more.
#[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
enum Place {
    Prose,
    Fence,
    Tag,
}

/// Whether a tag opens right before the value, or before the value's fence.
fn is_tagged(before: &str) -> bool {
    let before = before.trim_end();
    let before = before.strip_suffix("json").unwrap_or(before).trim_end_matches('`').trim_end();
    ["<tool_call>", "<tool_calls>", "<function_call>"].iter().any(|tag| before.ends_with(tag))
}

/// Adds the calls that this value is, or wraps. A bare name is a call in a tag only.
fn collect(value: &Value, id: Option<&str>, tagged: bool, known: &[&str], calls: &mut Vec<ToolCall>) {
    let object = match value {
        Value::Array(items) => {
            return items.iter().for_each(|item| collect(item, None, tagged, known, calls));
        }
        Value::Object(object) => object,
        _ => return,
    };
    let id = object.get("id").and_then(Value::as_str).or(id);
    for wrapper in ["function", "function_call", "tool_call", "tool_calls"] {
        if let Some(inner @ (Value::Object(_) | Value::Array(_))) = object.get(wrapper) {
            return collect(inner, id, tagged, known, calls);
        }
    }
    let name = ["name", "tool", "tool_name", "function"].iter().find_map(|key| object.get(*key)?.as_str());
    let name = name.map(|name| name.strip_prefix("functions.").unwrap_or(name));
    let Some(name) = name.filter(|name| known.contains(name)) else { return };
    let given = ["arguments", "parameters", "args", "input"].iter().find_map(|key| object.get(*key));
    let args = match given {
        None if tagged => Some(Object::new()),
        None => None,
        Some(given) => arguments(given),
    };
    let is_definition = object.contains_key("description") || given.is_some_and(is_schema);
    if let Some(args) = args.filter(|_| !is_definition) {
        calls.push(ToolCall { id: id.map(str::to_owned), name: name.to_owned(), args });
    }
}

fn arguments(given: &Value) -> Option<Object> {
    match given {
        Value::Object(args) => Some(args.clone()),
        Value::Null => Some(Object::new()),
        Value::String(text) if text.trim().is_empty() => Some(Object::new()),
        Value::String(text) => object(text).ok(),
        _ => None,
    }
}

fn is_schema(value: &Value) -> bool {
    value["type"] == "object" && value["properties"].is_object()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KNOWN: &[&str] = &["ln_pay", "ln_getinfo"];

    fn calls(text: &str) -> Value {
        let calls = tool_calls(text, KNOWN);
        calls.into_iter().map(|call| json!([call.id, call.name, call.args])).collect()
    }

    #[test]
    fn every_form_of_a_call_is_read() {
        let pay = json!([[null, "ln_pay", { "bolt11": "x" }]]);
        for text in [
            r#"{"name": "ln_pay", "arguments": {"bolt11": "x"}}"#,
            r#"{"name": "ln_pay", "parameters": {"bolt11": "x"}}"#,
            r#"{"type": "tool_use", "name": "ln_pay", "input": {"bolt11": "x"}}"#,
            r#"{"tool": "ln_pay", "args": {"bolt11": "x"}}"#,
            r#"{"tool_name": "functions.ln_pay", "args": {"bolt11": "x"}}"#,
            r#"{"function": "ln_pay", "arguments": {"bolt11": "x"}}"#,
            r#"{"function": {"name": "ln_pay", "arguments": {"bolt11": "x"}}}"#,
            r#"{"tool_calls": [{"function": {"name": "ln_pay", "arguments": "{\"bolt11\": \"x\"}"}}]}"#,
            r#"{"name": "ln_pay", "arguments": "{'bolt11': 'x',}"}"#,
            r#"[{"name": "ln_pay", "arguments": {"bolt11": "x"}}]"#,
            r#"[TOOL_CALLS] [{"name": "ln_pay", "arguments": {"bolt11": "x"}}]"#,
            r#"I'll pay: {"name": "ln_pay", "arguments": {"bolt11": "x"}} now."#,
            "```json\n{\"name\": \"ln_pay\", \"arguments\": {\"bolt11\": \"x\"}}\n```",
            "<tool_call>\n{\"name\": \"ln_pay\", \"arguments\": {\"bolt11\": \"x\"}}\n</tool_call>",
            "<tool_call>{'name': 'ln_pay', 'arguments': {'bolt11': 'x'}}",
            "<tool_call>\n```json\n{\"name\": \"ln_pay\", \"arguments\": {\"bolt11\": \"x\"}}\n```\n</tool_call>",
            "<think>{\"name\": \"ln_pay\", \"arguments\": {}}</think>{\"name\": \"ln_pay\", \"arguments\": {\"bolt11\": \"x\"}}",
        ] {
            assert_eq!(calls(text), pay, "{text}");
        }
    }

    #[test]
    fn calls_come_in_order_with_their_ids_and_no_call_twice() {
        let text = r#"<tool_call>{"id": "a", "name": "ln_getinfo", "arguments": {"node": 1}}</tool_call>
            <tool_call>{"id": "b", "function": {"name": "ln_getinfo", "arguments": {"node": 2}}}</tool_call>
            <tool_call>{"id": "c", "name": "ln_getinfo", "arguments": {"node": 1}}</tool_call>"#;
        let expected = json!([["a", "ln_getinfo", { "node": 1 }], ["b", "ln_getinfo", { "node": 2 }]]);
        assert_eq!(calls(text), expected);
    }

    #[test]
    fn a_marked_call_beats_what_explains_it() {
        let prose = r#"One writes {"name": "ln_pay", "arguments": {"bolt11": "example"}}, so:"#;
        let fence = "\n```json\n{\"name\": \"ln_pay\", \"arguments\": {\"bolt11\": \"y\"}}\n```\n";
        let tag = r#"<tool_call>{"name": "ln_getinfo"}</tool_call>"#;
        assert_eq!(calls(&format!("{prose}{fence}")), json!([[null, "ln_pay", { "bolt11": "y" }]]));
        assert_eq!(calls(&format!("{tag}{prose}{fence}")), json!([[null, "ln_getinfo", {}]]));
    }

    #[test]
    fn empty_arguments_are_none() {
        for args in ["{}", "null", "\"\"", "\"{}\""] {
            let text = format!(r#"{{"name": "ln_getinfo", "arguments": {args}}}"#);
            assert_eq!(calls(&text), json!([[null, "ln_getinfo", {}]]), "{text}");
        }
    }

    #[test]
    fn what_is_no_call_is_none() {
        for text in [
            "",
            "I would call ln_pay.",
            r#"{"name": "ln_teleport", "arguments": {}}"#,
            r#"{"name": "ln_pay"}"#,
            r#"{"name": "ln_pay", "arguments": [1]}"#,
            r#"{"name": "ln_pay", "arguments": "soon"}"#,
            r#"{"name": "ln_pay", "description": "Pays.", "parameters": {}}"#,
            r#"{"name": "ln_pay", "parameters": {"type": "object", "properties": {}}}"#,
            r#"{"steps": [{"tool": "ln_pay", "args": {"bolt11": "x"}}]}"#,
            r#"{"text": "<tool_call>{\"name\": \"ln_pay\", \"arguments\": {}}</tool_call>"}"#,
            r#"<think>{"name": "ln_pay", "arguments": {}}</think>Better not."#,
            r#"<think>{"name": "ln_pay", "arguments": {}}"#,
            r#"{"name": "ln_getinfo", "arguments": {}} <tool_call>{"name": "ln_pay", "arguments": {"bolt"#,
        ] {
            assert_eq!(calls(text), json!([]), "{text}");
        }
    }
}
