//! What a model is asked.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{LlmResponse, ToolCall};
use crate::types::{Exchange, ExecutionPlan, IntentBlock, StepResult, Verdict, Verification};

/// One request to a model.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct LlmRequest {
    /// The same question as data. A model reads [`messages`](Self::messages); the offline backend reads this.
    pub task: LlmTask,
    /// The conversation, system prompt first.
    pub messages: Vec<Message>,
    /// Tools that the model may ask for. The pipeline offers none: its plans are data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolDefinition>,
    /// JSON schema that the answer must fulfil, if it is to be JSON. It is lowered for each provider.
    pub response_schema: Option<Value>,
    /// Most tokens of the answer.
    pub max_output_tokens: u32,
    /// From 0 (repeatable) to 2.
    pub temperature: f32,
}

/// The three questions of a run, as data.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "task", rename_all = "snake_case")]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "three live in a run; a box would only add a hop")]
pub enum LlmTask {
    /// Prompt to intent; the answer is one JSON object with the members of [`IntentBlock`].
    Translate {
        /// What the user typed.
        prompt: String,
        /// Earlier exchanges of the session, oldest first.
        history: Vec<Exchange>,
        /// Nodes are 1 to this number.
        node_count: u32,
        /// Node of this agent, counted from 1.
        own_node: u32,
    },
    /// Intent to plan; the answer is one JSON object `{"plan_rationale": …, "steps": […]}`.
    Plan {
        /// The intent.
        intent: IntentBlock,
        /// Nodes are 1 to this number.
        node_count: u32,
    },
    /// Results to answer; plain text of one to four sentences.
    Summarize {
        /// The intent.
        intent: IntentBlock,
        /// The plan that ran.
        plan: ExecutionPlan,
        /// Its results.
        results: Vec<StepResult>,
        /// What was confirmed.
        verification: Vec<Verification>,
        /// The computed verdict, which the text must not contradict.
        verdict: Verdict,
    },
}

/// One message of a conversation.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said; for [`Role::Tool`] the tool's answer.
    pub content: String,
    /// Tool calls that the model made with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// For [`Role::Tool`]: the call that is answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<ToolCall>,
    /// Parts of the model's answer that its provider wants to see again, untouched
    /// ([`LlmResponse::provider_parts`](super::LlmResponse::provider_parts)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_parts: Option<Value>,
}

/// A tool as a model is shown it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ToolDefinition {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON schema of its arguments, an object.
    pub parameters: Value,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Instructions.
    System,
    /// The user, or the pipeline in the user's place.
    User,
    /// The model.
    Assistant,
    /// A tool that the model called.
    Tool,
}

impl Message {
    /// A message of this role.
    #[must_use]
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), tool_calls: Vec::new(), answers: None, provider_parts: None }
    }

    /// The model's own turn, to be sent back to it.
    #[must_use]
    pub fn of_response(response: &LlmResponse) -> Self {
        Self {
            tool_calls: response.tool_calls.clone(),
            provider_parts: response.provider_parts.clone(),
            ..Self::new(Role::Assistant, response.content.clone())
        }
    }

    /// A tool's answer to a call of the model.
    #[must_use]
    pub fn tool_result(call: ToolCall, content: impl Into<String>) -> Self {
        Self { answers: Some(call), ..Self::new(Role::Tool, content) }
    }
}
