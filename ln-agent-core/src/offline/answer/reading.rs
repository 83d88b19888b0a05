//! A successful call, read by name: what was asked and what came back.

use serde_json::Value;

use super::scene::Scene;
use super::words;
use crate::types::{Msat, Object};

/// Arguments and payload of one call, and the run around it.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    pub(super) args: &'a Object,
    pub(super) payload: &'a Value,
    /// The run that the call is part of.
    pub(super) scene: &'a Scene,
}

impl<'a> Reading<'a> {
    /// `Node 1`, from `node` or `from_node`.
    pub(super) fn node(&self) -> String {
        let number = self.args.get("node").or_else(|| self.args.get("from_node"));
        number.map_or_else(|| "the node".to_owned(), |number| format!("node {}", plain(number)))
    }

    /// A member of the payload as text.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        text(self.payload, name)
    }

    /// An argument as text.
    pub(super) fn arg(&self, name: &str) -> Option<String> {
        self.args.get(name).filter(|value| !value.is_null()).map(plain)
    }

    /// A list in the payload; the payload itself where it is the list.
    pub(super) fn list(&self, name: &str) -> Option<&'a Vec<Value>> {
        self.payload.get(name).unwrap_or(self.payload).as_array()
    }

    /// An amount of the payload, in msat.
    pub(super) fn msat(&self, name: &str) -> Option<String> {
        amount(self.payload, name).map(words::msat)
    }

    /// `the shared-wallet wallet`, with the default's name where none was given.
    pub(super) fn wallet(&self) -> String {
        match self.arg("wallet") {
            Some(name) => format!("wallet {name}"),
            None => "the shared wallet".to_owned(),
        }
    }
}

/// A member as text: strings without quotes, whole numbers grouped.
pub(super) fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name).filter(|value| !value.is_null()).map(plain)
}

/// A whole number of a member.
pub(super) fn number(value: &Value, name: &str) -> Option<u64> {
    value.get(name)?.as_u64()
}

/// An amount of a member, as a number of msat or with its unit.
pub(super) fn amount(value: &Value, name: &str) -> Option<Msat> {
    serde_json::from_value(value.get(name)?.clone()).ok()
}

/// The sum of the amounts of a list; `None` where one is missing.
pub(super) fn total<'v>(list: impl IntoIterator<Item = &'v Value>, name: &str) -> Option<Msat> {
    list.into_iter().try_fold(Msat(0), |sum, element| sum.checked_add(amount(element, name)?))
}

/// A value as people read it.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_u64().map_or_else(|| number.to_string(), words::grouped),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        other => other.to_string(),
    }
}

/// `, name value` for every member that is there.
pub(super) fn details(value: &Value, names: &[(&str, &str)]) -> String {
    names
        .iter()
        .filter_map(|(name, label)| text(value, name).map(|found| format!(", {label} {found}")))
        .collect()
}
