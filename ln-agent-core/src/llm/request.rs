//! What a model is asked.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::types::{Exchange, ExecutionPlan, IntentBlock, StepResult, Verdict, Verification};

/// One request to a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LlmRequest {
    /// The same question as data. A model reads [`messages`](Self::messages); the offline backend reads this.
    pub task: LlmTask,
    /// The conversation, system prompt first.
    pub messages: Vec<Message>,
    /// JSON schema that the answer must fulfil, if it is to be JSON.
    pub response_schema: Option<Value>,
    /// Most tokens of the answer.
    pub max_output_tokens: u32,
    /// From 0 (repeatable) to 2.
    pub temperature: f32,
}

/// The three questions of a run, as data.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
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
}

impl Message {
    /// A message of this role.
    #[must_use]
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into() }
    }
}
