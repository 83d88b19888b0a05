//! The arguments of a command that is passed through.

use std::borrow::Cow;

use ln_agent_core::types::Object;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

/// Arguments by position or by name. A string that holds a JSON list or object counts as that.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RawArgs {
    /// In the command's order.
    List(Vec<Value>),
    /// By their names.
    Named(Object),
}

impl RawArgs {
    /// As the node is told.
    pub(super) fn params(&self) -> Value {
        match self {
            Self::List(values) => values.clone().into(),
            Self::Named(values) => values.clone().into(),
        }
    }

    /// The argument of this name, or at this position from 0.
    pub(super) fn get(&self, name: &str, position: usize) -> Option<&Value> {
        match self {
            Self::List(values) => values.get(position),
            Self::Named(values) => values.get(name),
        }
    }

    /// The first text, at any depth, that begins with `--`.
    pub(super) fn option(&self) -> Option<&str> {
        match self {
            Self::List(values) => values.iter().find_map(option_in),
            Self::Named(values) => option_in_object(values),
        }
    }
}

impl Default for RawArgs {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

fn option_in(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => is_option(text).then_some(text),
        Value::Array(values) => values.iter().find_map(option_in),
        Value::Object(values) => option_in_object(values),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn option_in_object(values: &Object) -> Option<&str> {
    values
        .iter()
        .find_map(|(name, value)| if is_option(name) { Some(name.as_str()) } else { option_in(value) })
}

fn is_option(text: &str) -> bool {
    text.trim_start().starts_with("--")
}

impl<'de> Deserialize<'de> for RawArgs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut value = Value::deserialize(deserializer)?;
        if let Value::String(text) = &value {
            value = match text.trim() {
                "" => Value::Null,
                text => serde_json::from_str(text)
                    .map_err(|error| de::Error::custom(format!("the string holds no JSON: {error}")))?,
            };
        }
        match value {
            Value::Null => Ok(Self::default()),
            Value::Array(values) => Ok(Self::List(values)),
            Value::Object(values) => Ok(Self::Named(values)),
            other => Err(de::Error::custom(format!("{other} is neither a list nor an object"))),
        }
    }
}

impl JsonSchema for RawArgs {
    fn schema_name() -> Cow<'static, str> {
        "RawArgs".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "array" }, { "type": "object" }, { "type": "string" }] })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Option<Value> {
        serde_json::from_value::<RawArgs>(value).ok().map(|args| args.params())
    }

    #[test]
    fn lists_objects_and_their_json_text_are_accepted() {
        for (given, params) in [
            (json!([1, "a"]), Some(json!([1, "a"]))),
            (json!({ "id": "x" }), Some(json!({ "id": "x" }))),
            (json!("[1, \"a\"]"), Some(json!([1, "a"]))),
            (json!("{\"id\": \"x\"}"), Some(json!({ "id": "x" }))),
            (json!(" "), Some(json!([]))),
            (json!(null), Some(json!([]))),
            (json!("plain"), None),
            (json!("7"), None),
            (json!(7), None),
            (json!(true), None),
        ] {
            assert_eq!(read(given.clone()), params, "{given}");
        }
    }

    #[test]
    fn options_are_found_at_any_depth() {
        let option = |value| serde_json::from_value::<RawArgs>(value).unwrap().option().map(str::to_owned);

        assert_eq!(option(json!(["a", "--x"])).as_deref(), Some("--x"));
        assert_eq!(option(json!([["a", { "k": " --y" }]])).as_deref(), Some(" --y"));
        assert_eq!(option(json!({ "--z": 1 })).as_deref(), Some("--z"));
        assert_eq!(option(json!("[\"--w\"]")).as_deref(), Some("--w"));
        assert_eq!(option(json!(["-1", "a--b", 3])), None);
    }
}
