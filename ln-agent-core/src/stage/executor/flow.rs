//! Conditions and repetition: does a step run, and for what?

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::resolve::Scope;
use crate::types::{Condition, ConditionError, ForEach};

/// `None` when all conditions hold, else the first that does not, in words.
pub(super) fn first_that_fails(conditions: &[Condition], scope: Scope<'_>) -> Result<Option<String>, String> {
    for condition in conditions {
        let left = scope.side(&condition.left)?;
        let right = scope.side(&condition.right)?.unwrap_or(Cow::Owned(Value::Null));
        let holds = condition.op.holds(left.as_deref(), &right);
        match holds {
            Ok(true) => {}
            // An element that lacks what is asked about does not pass: a closing channel has nothing to spend.
            Err(ConditionError::Missing) if scope.item.is_some() => {
                return Ok(Some("the element has no such field".to_owned()));
            }
            Ok(false) => return Ok(Some(words(condition, left.as_deref(), &right))),
            Err(error) => {
                return Err(format!("its condition on {} cannot be decided: {error}", condition.left));
            }
        }
    }
    Ok(None)
}

/// The elements a step runs for, in list order.
pub(super) fn elements(repeat: &ForEach, scope: Scope<'_>) -> Result<Vec<Value>, String> {
    let list = match scope.resolve(&Value::String(repeat.list.clone()))? {
        Value::Array(list) => list,
        other => return Err(format!("{} is no list but {}", repeat.list, kind(&other))),
    };
    let mut chosen = Vec::new();
    for element in list {
        if first_that_fails(&repeat.filter, Scope { item: Some(&element), ..scope })?.is_none() {
            chosen.push(element);
        }
    }
    let most = usize::try_from(repeat.max).unwrap_or(usize::MAX);
    if chosen.len() > most {
        return Err(format!(
            "{} elements of {} match, at most {most} are allowed: nothing was done",
            chosen.len(),
            repeat.list
        ));
    }
    Ok(chosen)
}

fn words(condition: &Condition, left: Option<&Value>, right: &Value) -> String {
    let seen = left.map_or_else(|| "nothing".to_owned(), short);
    let op = match condition.op.name() {
        "==" => "equal to",
        "!=" => "different from",
        "<" => "below",
        "<=" => "at most",
        ">" => "above",
        ">=" => "at least",
        other => other,
    };
    match right {
        Value::Null => format!("{seen} does not pass `{op}`"),
        right => format!("{seen} is not {op} {}", short(right)),
    }
}

fn short(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a switch",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The answer of a step: its envelope under the step's number.
pub(super) fn answer(id: u32, ok: bool, payload: Value, error: Option<&str>) -> Value {
    let mut envelope = Map::with_capacity(3);
    envelope.insert("ok".to_owned(), Value::Bool(ok));
    if let Some(error) = error {
        envelope.insert("error".to_owned(), json!(error));
    }
    envelope.insert("payload".to_owned(), payload);
    json!({ "id": id, "result": envelope })
}
