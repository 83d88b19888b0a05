//! Fixed values: `const` and `enum`.

use serde_json::{Value, json};

use super::dialect::{Rules, type_of};
use crate::types::Object;

/// Writes fixed values the way of the dialect; where it has none, they are a fragment in words.
pub(super) fn lower(schema: &Object, rules: &Rules, lowered: &mut Object, fragments: &mut Vec<String>) {
    let (values, fixed) = match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => (vec![value.clone()], true),
        (None, Some(Value::Array(values))) => (values.clone(), false),
        _ => return,
    };
    let has_form = |value: &Value| match value {
        Value::String(_) | Value::Number(_) => true,
        Value::Null | Value::Bool(_) => rules.constants,
        Value::Array(_) | Value::Object(_) => false,
    };
    let (expressible, others): (Vec<Value>, Vec<Value>) = values.iter().cloned().partition(has_form);
    match (&others[..], &expressible[..]) {
        ([], [value]) if fixed && rules.constants => {
            lowered.insert("const".to_owned(), value.clone());
        }
        ([], values) => {
            lowered.insert("enum".to_owned(), Value::Array(values.to_vec()));
        }
        // The type says it already.
        ([Value::Null], []) => {}
        ([Value::Null], values) => split_null(lowered, values),
        _ if values.len() == 1 => fragments.push(format!("always {}", values[0])),
        _ => {
            let list: Vec<String> = values.iter().map(Value::to_string).collect();
            fragments.push(format!("one of {}", list.join(", ")));
        }
    }
}

/// An enumeration beside null, for a dialect whose enumerations have no null.
fn split_null(lowered: &mut Object, values: &[Value]) {
    let mut kinds: Vec<&str> = values.iter().map(type_of).collect();
    kinds.dedup();
    let kind = if kinds.len() == 1 { json!(kinds[0]) } else { json!(kinds) };
    lowered.shift_remove("type");
    let branches = json!([{ "type": kind, "enum": values }, { "type": "null" }]);
    lowered.insert("anyOf".to_owned(), branches);
}

/// The same lowered schema, which also allows null.
pub(super) fn nullable(schema: Value) -> Value {
    let Value::Object(mut object) = schema else { return schema };
    if let Some(Value::Array(branches)) = object.get_mut("anyOf") {
        if !branches.iter().any(allows_null) {
            branches.push(json!({ "type": "null" }));
        }
        return Value::Object(object);
    }
    if object.contains_key("const") {
        let description = object.shift_remove("description");
        let mut outer = Object::new();
        outer.extend(description.map(|text| ("description".to_owned(), text)));
        outer.insert("anyOf".to_owned(), json!([object, { "type": "null" }]));
        return Value::Object(outer);
    }
    match object.get_mut("type") {
        Some(Value::Array(kinds)) if !kinds.contains(&json!("null")) => kinds.push(json!("null")),
        Some(kind) if kind.is_string() && *kind != "null" => *kind = json!([kind.take(), "null"]),
        _ => {}
    }
    if let Some(Value::Array(values)) = object.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    Value::Object(object)
}

fn allows_null(schema: &Value) -> bool {
    match &schema["type"] {
        Value::Array(kinds) => kinds.contains(&json!("null")),
        kind => kind == "null",
    }
}
