//! Brings one value toward the type that its schema declares, and never anywhere else.
//!
//! Models write `"1"` for 1 and `"{\"a\": 1}"` for an object. A value is touched only when the schema refuses it as
//! it is, and a text becomes a number only when that number is written back as the same text: `"00713"`, `"0x10"`,
//! `"1e3"` and `"1,000"` are labels or mistakes, not numbers.

use serde_json::{Number, Value};

/// The value as the schema wants it, or unchanged when nothing safe leads there.
pub(super) fn coerce(value: Value, schema: &Value) -> Value {
    if alternatives(schema).any(|alternative| fits(&value, alternative)) {
        return inside(value, schema);
    }
    let coerced = alternatives(schema)
        .filter_map(|alternative| toward(&value, alternative).filter(|coerced| fits(coerced, alternative)))
        .next();
    inside(coerced.unwrap_or(value), schema)
}

/// Whether the schema has an alternative of this JSON type.
pub(super) fn accepts(schema: &Value, kind: &str) -> bool {
    alternatives(schema).any(|alternative| types(alternative).any(|declared| declared == kind))
}

/// Whether the value is of the declared type, and one of the declared values where those are listed.
fn fits(value: &Value, schema: &Value) -> bool {
    let listed = schema.get("enum").and_then(Value::as_array).is_none_or(|values| values.contains(value));
    let constant = schema.get("const").is_none_or(|constant| constant == value);
    let mut declared = types(schema).peekable();
    let typed = declared.peek().is_none() || declared.any(|kind| is_of(value, kind));
    listed && constant && typed
}

/// The schema itself, or what stands under its `anyOf` or `oneOf`.
fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    let either = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
    let itself = either.is_none().then_some(schema);
    either.into_iter().flatten().chain(itself)
}

/// The names under `type`, which is one or a list.
fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let (one, many) = match schema.get("type") {
        Some(Value::Array(kinds)) => (None, Some(kinds)),
        other => (other, None),
    };
    one.into_iter().chain(many.into_iter().flatten()).filter_map(Value::as_str)
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        _ => false,
    }
}

fn toward(value: &Value, schema: &Value) -> Option<Value> {
    types(schema).find_map(|kind| match (kind, value) {
        ("integer", Value::String(text)) => whole(text),
        // A whole number that was written as 5.0.
        ("integer", Value::Number(number)) => whole(number.to_string().strip_suffix(".0")?),
        ("number", Value::String(text)) => {
            let number: Number = serde_json::from_str(text).ok()?;
            (number.to_string() == *text).then_some(Value::Number(number))
        }
        ("boolean", Value::String(text)) => text.parse().ok().map(Value::Bool),
        // Labels are texts even when they look like numbers; 1e-8 would not be written back as it was meant.
        ("string", Value::Number(number)) => {
            let text = number.to_string();
            (!text.contains('e')).then_some(Value::String(text))
        }
        ("object" | "array", Value::String(text)) => {
            serde_json::from_str(text).ok().filter(|decoded| is_of(decoded, kind))
        }
        _ => None,
    })
}

fn whole(text: &str) -> Option<Value> {
    let unsigned = text.parse::<u64>().ok().filter(|number| number.to_string() == text).map(Value::from);
    let signed = || text.parse::<i64>().ok().filter(|number| number.to_string() == text).map(Value::from);
    unsigned.or_else(signed)
}

/// The same for what an object or a list holds.
fn inside(value: Value, schema: &Value) -> Value {
    let within = |key: &str| alternatives(schema).find_map(|alternative| alternative.get(key));
    match value {
        Value::Object(members) => match within("properties") {
            Some(properties) => {
                let coerced = members.into_iter().map(|(name, member)| {
                    let member = match properties.get(&name) {
                        Some(schema) => coerce(member, schema),
                        None => member,
                    };
                    (name, member)
                });
                Value::Object(coerced.collect())
            }
            None => Value::Object(members),
        },
        Value::Array(elements) => match within("items") {
            Some(schema) => elements.into_iter().map(|element| coerce(element, schema)).collect(),
            None => Value::Array(elements),
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_coerced_only_toward_its_declared_type() {
        let cases = [
            (json!("1"), "integer", json!(1)),
            (json!("-7"), "integer", json!(-7)),
            (json!("18446744073709551615"), "integer", json!(u64::MAX)),
            (json!(5.0), "integer", json!(5)),
            (json!("00713"), "integer", json!("00713")),
            (json!("0x10"), "integer", json!("0x10")),
            (json!("1e3"), "integer", json!("1e3")),
            (json!("1,000"), "integer", json!("1,000")),
            (json!("+1"), "integer", json!("+1")),
            (json!(" 1"), "integer", json!(" 1")),
            (json!("1.0"), "integer", json!("1.0")),
            (json!("99999999999999999999"), "integer", json!("99999999999999999999")),
            (json!(5.5), "integer", json!(5.5)),
            (json!("00713"), "string", json!("00713")),
            (json!("12"), "string", json!("12")),
            (json!(12), "string", json!("12")),
            (json!(0.5), "string", json!("0.5")),
            (json!(1e-8), "string", json!(1e-8)),
            (json!(true), "string", json!(true)),
            (json!("true"), "boolean", json!(true)),
            (json!("false"), "boolean", json!(false)),
            (json!("yes"), "boolean", json!("yes")),
            (json!(1), "boolean", json!(1)),
            (json!("0.5"), "number", json!(0.5)),
            (json!("0.50"), "number", json!("0.50")),
            (json!("{\"a\": 1}"), "object", json!({ "a": 1 })),
            (json!("[1, 2]"), "array", json!([1, 2])),
            (json!("[1, 2]"), "object", json!("[1, 2]")),
            (json!("[1, 2]"), "string", json!("[1, 2]")),
        ];
        for (value, kind, expected) in cases {
            assert_eq!(coerce(value.clone(), &json!({ "type": kind })), expected, "{value} as {kind}");
        }
    }

    #[test]
    fn a_sentinel_passes_and_a_number_beside_it_is_read() {
        let schema = json!({ "anyOf": [{ "type": "string", "const": "any" }, { "type": "integer" }] });
        assert_eq!(coerce(json!("any"), &schema), json!("any"));
        assert_eq!(coerce(json!("1000"), &schema), json!(1000));
        assert_eq!(coerce(json!("all"), &schema), json!("all"));
        assert_eq!(coerce(json!("3"), &json!({ "type": ["integer", "null"] })), json!(3));
        assert_eq!(coerce(json!(null), &json!({ "type": ["integer", "null"] })), json!(null));
        assert_eq!(coerce(json!("3"), &json!({ "type": ["integer", "string"] })), json!("3"));
        assert_eq!(coerce(json!("3"), &json!(true)), json!("3"));
    }

    #[test]
    fn what_lies_inside_is_coerced_too() {
        let schema = json!({ "type": "object", "properties": { "ports": { "type": "array", "items": { "type": "integer" } } } });
        assert_eq!(
            coerce(json!("{\"ports\": [\"1\", 2], \"x\": \"3\"}"), &schema),
            json!({ "ports": [1, 2], "x": "3" })
        );
    }
}
