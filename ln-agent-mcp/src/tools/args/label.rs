//! The label that names an invoice within its node.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

/// An invoice's label. A number is taken as its digits, since a node keeps labels as strings.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Label(String);

impl Label {
    /// As the node is told; may be blank.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it names nothing.
    pub(crate) fn is_blank(&self) -> bool {
        self.0.trim().is_empty()
    }
}

impl<'de> Deserialize<'de> for Label {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text.chars().filter(|c| !c.is_control()).collect())),
            Value::Number(number) if number.is_u64() || number.is_i64() => Ok(Self(number.to_string())),
            other => Err(de::Error::custom(format!("{other} is no label: expected a string"))),
        }
    }
}

impl JsonSchema for Label {
    fn schema_name() -> Cow<'static, str> {
        "Label".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_numeric_label_becomes_a_string() {
        assert_eq!(serde_json::from_str::<Label>("42").unwrap(), Label("42".into()));
        assert_eq!(serde_json::from_str::<Label>("\"a\\nb\"").unwrap(), Label("ab".into()));
        assert!(serde_json::from_str::<Label>("[1]").is_err());
        assert!(serde_json::from_str::<Label>("1.5").is_err());
    }
}
