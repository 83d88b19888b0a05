//! One look at the network: which read is made, and what its answer means.

use serde_json::Value;

use super::confirm::Done;
use crate::types::{Msat, Object};

/// One read with its predicate.
pub(super) struct Look {
    /// The read-only tool.
    pub(super) tool: &'static str,
    /// Its arguments, out of those of the step; `None` when the step lacks what is needed.
    pub(super) args: fn(&Object, &Value) -> Option<Object>,
    /// The same read is made before the step, because only a difference tells.
    pub(super) before: bool,
    /// Error codes of the node that mean "it is not there".
    pub(super) absent: &'static [i64],
    /// What the answer means.
    pub(super) judge: fn(&Seen<'_>) -> Finding,
}

/// What a predicate can see.
pub(super) struct Seen<'a> {
    pub(super) done: Done<'a>,
    /// The same read before the step.
    pub(super) before: Option<&'a Value>,
    pub(super) now: &'a Value,
}

/// What an answer means; the text holds the values that were seen.
#[derive(Debug, PartialEq)]
pub(super) enum Finding {
    Confirmed(String, Value),
    Contradicted(String, Value),
    /// This read does not decide; the next look may.
    Undecided(String),
}

impl Finding {
    pub(super) fn confirmed(detail: impl Into<String>, observed: impl Into<Value>) -> Self {
        Self::Confirmed(detail.into(), observed.into())
    }

    pub(super) fn contradicted(detail: impl Into<String>, observed: impl Into<Value>) -> Self {
        Self::Contradicted(detail.into(), observed.into())
    }
}

/// The arguments `{to: args[from]}` for each pair; `None` when one is missing.
pub(super) fn pick(args: &Object, pairs: &[(&str, &str)]) -> Option<Object> {
    pairs.iter().map(|(from, to)| Some(((*to).to_owned(), args.get(*from)?.clone()))).collect()
}

/// The list under a key; empty when there is none.
pub(super) fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The text under a key.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// The amount under a key, in any of Core Lightning's spellings.
pub(super) fn msat(value: &Value, key: &str) -> Option<Msat> {
    serde_json::from_value(value.get(key)?.clone()).ok()
}

/// An argument as text, whether it was written as a text or a number.
pub(super) fn argument(args: &Object, key: &str) -> String {
    match args.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}
