//! What a step answered.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Object, StepId};

/// The outcome of one plan step: the executor's artefact. No times in it, so equal runs give equal results.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct StepResult {
    /// Which step.
    pub step_id: StepId,
    /// Which tool.
    pub tool: String,
    /// The arguments as they were sent: placeholders resolved, normalised.
    pub args: Object,
    /// The tool's envelope said `ok`.
    pub ok: bool,
    /// Why it failed, in one line.
    #[serde(default)]
    pub error: Option<String>,
    /// Why it was not needed, where nothing failed: its condition did not hold, or a step it waits for was not
    /// needed either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_needed: Option<String>,
    /// The whole answer: `{"id": N, "result": {"ok": …, "payload": …}}`; what placeholders navigate. Null when no
    /// call was made. For a `for_each` step the payload is the list of the iterations' payloads.
    #[serde(default)]
    pub raw_result: Value,
    /// Extra attempts that were made.
    #[serde(default)]
    pub retries_used: u32,
    /// The step was not needed, or its failure was waived by `on_error: skip`.
    #[serde(default)]
    pub skipped: bool,
    /// A request that changes something was sent and no final answer came: it may or may not have happened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
    /// The single calls of a `for_each` step, in list order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub iterations: Vec<Iteration>,
}

/// One call of a `for_each` step.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Iteration {
    /// The arguments as they were sent.
    pub args: Object,
    /// The tool's envelope said `ok`.
    pub ok: bool,
    /// Why it failed, in one line.
    #[serde(default)]
    pub error: Option<String>,
    /// The whole answer, as in [`StepResult::raw_result`].
    #[serde(default)]
    pub raw_result: Value,
}

impl StepResult {
    /// The payload of its answer; null when there is none.
    #[must_use]
    pub fn payload(&self) -> &Value {
        static NULL: Value = Value::Null;
        self.raw_result.pointer("/result/payload").unwrap_or(&NULL)
    }
}
