//! bitcoind's answers in the shapes the tools promise.

use ln_agent_core::tool::{ToolError, ToolErrorKind};
use ln_agent_core::types::Object;
use serde::de::DeserializeOwned;
use serde_json::{Number, Value};

/// An object.
pub(super) fn object(answer: Value) -> Result<Object, ToolError> {
    shaped(answer, "an object")
}

/// A list of objects.
pub(super) fn objects(answer: Value) -> Result<Vec<Object>, ToolError> {
    shaped(answer, "a list of objects")
}

/// A text.
pub(super) fn text(answer: Value) -> Result<String, ToolError> {
    shaped(answer, "a text")
}

/// A list of texts.
pub(super) fn texts(answer: Value) -> Result<Vec<String>, ToolError> {
    shaped(answer, "a list of texts")
}

/// A number.
pub(super) fn number(answer: Value) -> Result<Number, ToolError> {
    shaped(answer, "a number")
}

/// bitcoind said that it succeeded, so an answer of another shape does not tell what it did.
fn shaped<T: DeserializeOwned>(answer: Value, expected: &str) -> Result<T, ToolError> {
    serde_json::from_value(answer).map_err(|_| {
        ToolError::new(
            ToolErrorKind::Unknown,
            format!("bitcoind's answer is not {expected}: is it bitcoind?"),
        )
    })
}
