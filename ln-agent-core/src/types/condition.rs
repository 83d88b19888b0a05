//! Conditions as data: they stand in plans and batteries, are validated, shown and replayed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A comparison of two values, each a literal or a placeholder.
///
/// A placeholder whose last path part is `#` is the length of the list, object or text it names:
/// `$step1.result.payload.channels.#`.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The value that is looked at.
    pub left: Value,
    /// How it is compared.
    pub op: Op,
    /// What it is compared with. Absent for `exists` and `absent`.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub right: Value,
}

/// A comparison.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub enum Op {
    /// Equal; numbers by value.
    #[serde(rename = "==")]
    Equal,
    /// Not equal.
    #[serde(rename = "!=")]
    NotEqual,
    /// Less, numbers only.
    #[serde(rename = "<")]
    Less,
    /// Less or equal, numbers only.
    #[serde(rename = "<=")]
    LessOrEqual,
    /// Greater, numbers only.
    #[serde(rename = ">")]
    Greater,
    /// Greater or equal, numbers only.
    #[serde(rename = ">=")]
    GreaterOrEqual,
    /// The length of a list, object or text is the number at the right.
    #[serde(rename = "len")]
    Len,
    /// A list has the element, or a text the part.
    #[serde(rename = "contains")]
    Contains,
    /// A text matches the regular expression at the right.
    #[serde(rename = "matches")]
    Matches,
    /// The number grew by exactly the right side since before the run. Batteries only, never in a plan.
    #[serde(rename = "delta")]
    Delta,
    /// The value is there and not null.
    #[serde(rename = "exists")]
    Exists,
    /// The value is missing or null.
    #[serde(rename = "absent")]
    Absent,
}
