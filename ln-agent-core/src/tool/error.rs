//! Why a tool call failed, and what that says about the world.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a tool call failed. The message is one line that a person and a model can act on.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// What the failure says about the world.
    pub kind: ToolErrorKind,
    /// Cause and remedy, in one line.
    pub message: String,
    /// The node's own error code, where it gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i64>,
}

/// What a failure says about the world.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolErrorKind {
    /// The arguments were refused; nothing was sent. Other arguments can help.
    InvalidArguments,
    /// Forbidden here; nothing was sent.
    Refused,
    /// The node could not be reached; nothing was sent. Trying later can help.
    Unreachable,
    /// The node answered that it failed, finally.
    Failed,
    /// The request was sent and no final answer came: it may or may not have happened.
    Unknown,
}

impl ToolError {
    /// An error of this kind without a node's code.
    #[must_use]
    pub fn new(kind: ToolErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), code: None }
    }

    /// Names the argument, what was received, and the accepted form.
    #[must_use]
    pub fn invalid_argument(name: &str, received: &serde_json::Value, expected: &str) -> Self {
        let mut shown = received.to_string();
        if shown.chars().count() > 80 {
            shown = shown.chars().take(80).chain(['…']).collect();
        }
        Self::new(
            ToolErrorKind::InvalidArguments,
            format!("argument `{name}` was {shown}: expected {expected}"),
        )
    }

    /// Whether the same call may be made again without the risk of doing it twice.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self.kind, ToolErrorKind::Unreachable | ToolErrorKind::Failed)
    }
}
