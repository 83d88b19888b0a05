//! The form in which a model states tasks, for constrained decoding.

use serde_json::{Map, Value, json};

use super::form::{FORMS, Form};

/// Facts that a condition may look at.
pub(super) const FACTS: &[&str] = &[
    "channel_count",
    "peer_count",
    "invoice_count",
    "unpaid_invoice_count",
    "paid_invoice_count",
    "offer_count",
    "payment_count",
    "forward_count",
    "wallet_balance",
    "block_height",
    "mempool_size",
    "node_running",
    "network_health",
];
/// Fields by which channels and invoices may be chosen.
pub(super) const FIELDS: &[&str] =
    &["our_share_percent", "total_msat", "to_us_msat", "amount_msat", "status"];
const OPS: &[&str] = &["lt", "le", "gt", "ge", "eq", "ne"];

/// JSON schema of one task. Each kind of task has its own members, so that a constrained model cannot leave out what
/// a task needs or add what it does not have.
#[must_use]
pub fn task_schema() -> Value {
    json!({ "anyOf": FORMS.iter().map(form).collect::<Vec<_>>() })
}

fn form(form: &Form) -> Value {
    let names: Vec<String> = form.tasks.iter().map(|task| task.name()).collect();
    let mut properties = Map::new();
    properties.insert("task".to_owned(), json!({ "type": "string", "enum": names }));
    for name in form.required.iter().chain(form.optional) {
        properties.insert((*name).to_owned(), member(name));
    }
    properties.insert("if".to_owned(), json!({ "type": "array", "items": test(FACTS, true) }));
    let required: Vec<&str> = ["task"].iter().chain(form.required).copied().collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn member(name: &str) -> Value {
    match name {
        "node" | "from_node" | "to_node" => {
            json!({ "anyOf": [{ "type": "integer" }, { "type": "string", "enum": ["all"] }] })
        }
        "blocks" | "feebase" | "feeppm" | "last_n" => json!({ "type": "integer" }),
        "every" => json!({ "type": "boolean" }),
        "outcome" => json!({ "type": "string", "enum": ["ok", "partial", "failed"] }),
        "where" => json!({ "type": "array", "items": test(FIELDS, false) }),
        _ => json!({ "type": "string" }),
    }
}

fn test(of: &[&str], with_node: bool) -> Value {
    let mut properties = Map::new();
    properties.insert("of".to_owned(), json!({ "type": "string", "enum": of }));
    if with_node {
        properties.insert("node".to_owned(), json!({ "type": "integer" }));
    }
    properties.insert("op".to_owned(), json!({ "type": "string", "enum": OPS }));
    let kinds = [json!({ "type": "number" }), json!({ "type": "boolean" }), json!({ "type": "string" })];
    properties.insert("value".to_owned(), json!({ "anyOf": kinds }));
    json!({
        "type": "object", "properties": properties, "required": ["of", "op", "value"], "additionalProperties": false,
    })
}
