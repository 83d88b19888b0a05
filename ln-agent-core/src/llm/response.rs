//! What a model answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    /// The answer is not whole: the provider cut it off at its length limit, or the stream ended early.
    pub truncated: bool,
    /// Why the provider stopped, in its own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// The model that answered, as the provider names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The provider's number of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// What was done otherwise than asked, such as a parameter that the model does not take.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The answer's parts as the provider sent them, where it wants to see them again in the next turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_parts: Option<Value>,
}

/// A tool call that a model asked for.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ToolCall {
    /// The provider's name of this call, where it gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
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
