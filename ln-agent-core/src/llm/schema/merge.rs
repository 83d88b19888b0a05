//! Two schemas that must both hold, as one.

use serde_json::{Value, json};

use super::SchemaError;
use super::dialect::is_annotation;
use crate::types::Object;

/// Adds what `other` demands to `schema`. Where both describe, the first description stays.
///
/// # Errors
///
/// [`SchemaError::Conflict`] when nothing can fulfil both, or when one schema cannot say both.
pub(super) fn merge(schema: &mut Object, other: Object, path: &str) -> Result<(), SchemaError> {
    for (keyword, theirs) in other {
        let Some(ours) = schema.get_mut(&keyword) else {
            schema.insert(keyword, theirs);
            continue;
        };
        if *ours == theirs || is_annotation(&keyword) {
            continue;
        }
        let both = match (keyword.as_str(), &mut *ours, theirs) {
            ("required", Value::Array(ours), Value::Array(theirs)) => {
                let new: Vec<Value> = theirs.into_iter().filter(|name| !ours.contains(name)).collect();
                ours.extend(new);
                continue;
            }
            ("properties", Value::Object(ours), Value::Object(theirs)) => {
                add_properties(ours, theirs);
                continue;
            }
            ("items", ours, theirs) => Some(json!({ "allOf": [ours.take(), theirs] })),
            ("additionalProperties", ours, theirs) => {
                let closed = *ours == Value::Bool(false) || theirs == Value::Bool(false);
                Some(if closed { Value::Bool(false) } else { json!({ "allOf": [ours.take(), theirs] }) })
            }
            ("type", ours, theirs) => common_types(ours, &theirs),
            ("minimum" | "exclusiveMinimum" | "minItems" | "minLength", ours, theirs) => {
                bound(ours, &theirs, |ours, theirs| ours > theirs)
            }
            ("maximum" | "exclusiveMaximum" | "maxItems" | "maxLength", ours, theirs) => {
                bound(ours, &theirs, |ours, theirs| ours < theirs)
            }
            _ => None,
        };
        *ours = both.ok_or_else(|| SchemaError::Conflict { path: path.to_owned(), keyword })?;
    }
    Ok(())
}

fn add_properties(ours: &mut Object, theirs: Object) {
    for (name, their) in theirs {
        match ours.get_mut(&name) {
            None => {
                ours.insert(name, their);
            }
            Some(our) if *our == their => {}
            Some(our) => *our = json!({ "allOf": [our.take(), their] }),
        }
    }
}

/// The types that both allow; every integer is a number.
fn common_types(ours: &Value, theirs: &Value) -> Option<Value> {
    let list = |kinds: &Value| match kinds {
        Value::Array(kinds) => kinds.clone(),
        kind => vec![kind.clone()],
    };
    let (ours, theirs) = (list(ours), list(theirs));
    let allows = |kinds: &[Value], kind: &Value| {
        kinds.contains(kind) || (kind == "integer" && kinds.contains(&json!("number")))
    };
    let mut common: Vec<Value> = ours.iter().filter(|kind| allows(&theirs, kind)).cloned().collect();
    common.extend(theirs.iter().filter(|kind| allows(&ours, kind) && !ours.contains(kind)).cloned());
    match common.len() {
        0 => None,
        1 => common.pop(),
        _ => Some(Value::Array(common)),
    }
}

fn bound(ours: &Value, theirs: &Value, is_tighter: fn(f64, f64) -> bool) -> Option<Value> {
    let tighter = is_tighter(ours.as_f64()?, theirs.as_f64()?);
    Some(if tighter { ours.clone() } else { theirs.clone() })
}
