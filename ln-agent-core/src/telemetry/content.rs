//! Prompts and answers as the conventions write them, without secrets.

use std::sync::OnceLock;

use regex_lite::Regex;
use serde_json::{Value, json};

use crate::llm::{LlmRequest, LlmResponse, Message, Role, ToolCall, redact};

/// The system prompt, as parts.
pub(super) fn system(request: &LlmRequest) -> String {
    let system = request.messages.iter().filter(|message| message.role == Role::System);
    written(&system.map(|message| text(&message.content)).collect())
}

/// Everything that was said before the answer.
pub(super) fn input(request: &LlmRequest) -> String {
    let said = request.messages.iter().filter(|message| message.role != Role::System);
    written(&said.map(message).collect())
}

/// The answer.
pub(super) fn output(response: &LlmResponse) -> String {
    let mut answer = message(&Message::of_response(response));
    answer["finish_reason"] = json!(response.finish_reason);
    written(&json!([answer]))
}

/// One text of this role.
pub(super) fn said(role: &str, content: &str) -> String {
    written(&json!([{ "role": role, "parts": [text(content)] }]))
}

/// The tools that were offered.
pub(super) fn tools(request: &LlmRequest) -> String {
    let tool = |tool: &crate::llm::ToolDefinition| {
        json!({
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
        })
    };
    written(&request.tools.iter().map(tool).collect())
}

/// The value as JSON, without secrets.
pub(super) fn written(value: &Value) -> String {
    clean_value(value).to_string()
}

/// The text without secrets of a known shape and without invoices.
pub(super) fn clean(text: &str) -> String {
    static INVOICE: OnceLock<Regex> = OnceLock::new();
    let invoice = INVOICE.get_or_init(|| {
        // BOLT 11 invoices of every network, BOLT 12 invoices, and requests for them.
        Regex::new(r"(?i)\b(?:ln(?:bcrt|bc|tbs|tb)[0-9]|lni1|lnr1)[0-9a-z]{16,}")
            .expect("the pattern is fixed and valid")
    });
    invoice.replace_all(&redact(text), "[invoice]").into_owned()
}

/// Texts are cleaned one by one; a member that has a secret's name is cleaned together with its name.
fn clean_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean(text)),
        Value::Array(items) => items.iter().map(clean_value).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, member)| (name.clone(), clean_member(name, member))).collect()
        }
        other => other.clone(),
    }
}

fn clean_member(name: &str, member: &Value) -> Value {
    let Value::String(text) = member else { return clean_value(member) };
    let prefix = format!("{name}: ");
    let line = clean(&format!("{prefix}{text}"));
    let cleaned = line.strip_prefix(&prefix).map_or(line.as_str(), |cleaned| cleaned);
    Value::String(cleaned.to_owned())
}

fn message(message: &Message) -> Value {
    let (role, mut parts) = match (message.role, &message.answers) {
        (Role::Tool, Some(call)) => {
            let part = json!({ "type": "tool_call_response", "id": call.id, "response": message.content });
            return json!({ "role": "tool", "parts": [part] });
        }
        (Role::System, _) => ("system", Vec::new()),
        (Role::User, _) => ("user", Vec::new()),
        (Role::Assistant, _) => ("assistant", Vec::new()),
        (Role::Tool, None) => ("tool", Vec::new()),
    };
    if !message.content.is_empty() {
        parts.push(text(&message.content));
    }
    let call = |call: &ToolCall| json!({ "type": "tool_call", "id": call.id, "name": call.name, "arguments": call.args });
    parts.extend(message.tool_calls.iter().map(call));
    json!({ "role": role, "parts": parts })
}

fn text(content: &str) -> Value {
    json!({ "type": "text", "content": content })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_invoices_are_taken_out_wherever_they_stand() {
        let invoice = "lnbcrt10u1p3unwfusp5t9r3yymhpfqculx78u027lxspgxcr2n2987mx2j55nnfs95nxnzq";
        let value = json!({
            "preimage": "00112233445566778899",
            "headers": { "Authorization": "Bearer verysecret01", "accept": "*/*" },
            "list": [invoice, { "text": format!("pay {invoice} with sk-abcdefgh12345678") }],
            "amount_msat": 5,
        });

        let expected = json!({
            "preimage": "[redacted]",
            "headers": { "Authorization": "Bearer [redacted]", "accept": "*/*" },
            "list": ["[invoice]", { "text": "pay [invoice] with [redacted]" }],
            "amount_msat": 5,
        });
        assert_eq!(written(&value), expected.to_string());
    }

    #[test]
    fn messages_have_the_parts_of_the_convention() {
        let call = ToolCall { id: Some("c1".into()), name: "f".into(), args: serde_json::Map::new() };
        let mut assistant = Message::new(Role::Assistant, "");
        assistant.tool_calls.push(call.clone());
        let messages = [Message::new(Role::User, "hi"), assistant, Message::tool_result(call, "done")];

        let expected = json!([
            { "role": "user", "parts": [{ "type": "text", "content": "hi" }] },
            { "role": "assistant", "parts": [{ "type": "tool_call", "id": "c1", "name": "f", "arguments": {} }] },
            { "role": "tool", "parts": [{ "type": "tool_call_response", "id": "c1", "response": "done" }] },
        ]);
        assert_eq!(messages.iter().map(message).collect::<Value>(), expected);
    }
}
