//! The first line of a cassette: everything a run was given before it asked anybody.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tool::ToolSpec;
use crate::types::{Exchange, ExecutionPlan, NodeIndex, Stage};

/// Version of the format. A reader refuses every other one.
pub const FORMAT: u32 = 1;

/// What a run was given: the first line of its cassette.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Header {
    /// Version of the format: [`FORMAT`].
    pub format: u32,
    /// Version of the crate that ran it.
    pub build: String,
    /// Number of the request.
    pub request_id: u64,
    /// What was wanted of the pipeline.
    pub mode: Mode,
    /// What the user typed; empty for a plan that existed already.
    pub prompt: String,
    /// Start of the run, in milliseconds since 1970-01-01 UTC.
    pub started_unix_ms: u64,
    /// `playground` or `real`.
    pub network: String,
    /// Nodes were 1 to this number when it started.
    pub node_count: u32,
    /// The agent's own node.
    pub own_node: NodeIndex,
    /// Who translated, planned and answered.
    pub backends: Vec<BackendInfo>,
    /// The settings that shape artefacts, as the pipeline wrote them.
    pub settings: Value,
    /// The earlier exchanges that were shown, oldest first.
    pub history: Vec<Exchange>,
    /// The plan, where it existed already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<ExecutionPlan>,
    /// The tools that were offered. Their answers' schemas shape nothing and are left out.
    pub tools: Vec<ToolSpec>,
}

/// What was wanted of the pipeline.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A prompt to its answer.
    Run,
    /// A prompt to its plan.
    PlanOnly,
    /// A plan to its answer.
    Plan,
}

/// Who answered for one stage.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct BackendInfo {
    /// The stage.
    pub stage: Stage,
    /// The backend's name.
    pub name: String,
    /// It works without a model.
    pub offline: bool,
}
