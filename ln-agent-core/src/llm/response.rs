//! What a model answers.

use serde::{Deserialize, Serialize};

use crate::types::{Object, TokenUsage};

/// One answer of a model.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct LlmResponse {
    /// The text; empty when it answered with tool calls only.
    pub content: String,
    /// Tool calls, in order.
    pub tool_calls: Vec<ToolCall>,
    /// Thoughts that the provider sent apart from the answer.
    pub reasoning: String,
    /// Tokens of this call.
    pub usage: TokenUsage,
    /// The provider cut the answer off at its length limit.
    pub truncated: bool,
}

/// A tool call that a model asked for.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ToolCall {
    /// Name of the tool.
    pub name: String,
    /// Its arguments.
    pub args: Object,
}

impl LlmResponse {
    /// A plain answer, counted as one call.
    #[must_use]
    pub fn text(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            usage: TokenUsage { calls: 1, ..TokenUsage::default() },
            ..Self::default()
        }
    }
}
