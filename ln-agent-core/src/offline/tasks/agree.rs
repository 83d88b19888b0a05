//! A model's reading beside the offline one.

use serde_json::{Value, json};

use crate::offline::translate::translate;
use crate::types::{Exchange, IntentBlock, Object};

/// How a model's reading of a prompt stands to the offline one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Agreement {
    /// Both ask for the same.
    Same,
    /// The offline grammar does not understand the prompt.
    Unread,
    /// Both understand it, and only reads are at stake.
    OtherRead(IntentBlock),
    /// Both understand it, and a change or its values are at stake.
    OtherChange(IntentBlock),
}

/// Compares a model's intent, as [`adopt`](super::adopt) left it, with the offline reading of the same prompt.
#[must_use]
pub fn agreement(intent: &IntentBlock, history: &[Exchange], node_count: u32, own_node: u32) -> Agreement {
    let offline = translate(&intent.raw_prompt, history, node_count, own_node);
    if !offline.clarifications_needed.is_empty() {
        return Agreement::Unread;
    }
    // An intent without tasks is planned by the model, and its plan is held against the words instead.
    let tags = ["clauses", "read_target", "action_target"];
    let open = tags.iter().all(|name| !intent.context.contains_key(*name));
    let idle = |intent: &IntentBlock| intent.intent_type.is_idle();
    match (idle(intent), idle(&offline)) {
        (true, true) => return Agreement::Same,
        (false, true) if open && intent.clarifications_needed.is_empty() => return Agreement::Unread,
        (false, false) if open && intent.clarifications_needed.is_empty() => {
            return Agreement::OtherRead(offline);
        }
        (false, false) if intent.clarifications_needed.is_empty() && wishes(intent) == wishes(&offline) => {
            return Agreement::Same;
        }
        _ => {}
    }
    let changes = |intent: &IntentBlock| !idle(intent) && changes(intent);
    if changes(intent) || changes(&offline) {
        Agreement::OtherChange(offline)
    } else {
        Agreement::OtherRead(offline)
    }
}

/// What an intent asks for, without the words around it.
fn wishes(intent: &IntentBlock) -> Vec<Value> {
    let clauses = match intent.context.get("clauses") {
        Some(Value::Array(clauses)) => clauses.clone(),
        _ => vec![Value::Object(intent.context.clone())],
    };
    clauses.iter().map(|clause| plain(clause.as_object().unwrap_or(&Object::new()))).collect()
}

/// Free texts may be worded otherwise, and the usual wallet may be left out.
fn plain(clause: &Object) -> Value {
    let mut clause = clause.clone();
    let texts = ["label", "description", "query", "last_n", "outcome"];
    if let Some(Value::Object(args)) = clause.get_mut("args") {
        args.retain(|name, value| !texts.contains(&name.as_str()) && *value != json!("shared-wallet"));
        args.sort_keys();
    }
    clause.retain(|name, value| {
        !texts.contains(&name.as_str()) && *value != json!("shared-wallet") && *value != json!({})
    });
    clause.sort_keys();
    Value::Object(clause)
}

/// Whether an intent asks for more than reads.
fn changes(intent: &IntentBlock) -> bool {
    let reads = |task: &str| super::form::named(task).is_some_and(crate::offline::wish::Task::is_read);
    match intent.context.get("clauses") {
        Some(Value::Array(clauses)) => {
            !clauses.iter().all(|clause| clause["task"].as_str().is_some_and(reads))
        }
        _ => {
            intent.context.get("action_target").and_then(Value::as_str) != Some("sign_message")
                && !intent.context.contains_key("read_target")
        }
    }
}
