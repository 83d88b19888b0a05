//! The whole of a run: what the outbox, the API and `--json` carry.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Certificate, ExecutionPlan, GuardReport, IntentBlock, Object, RunId, StepId, StepResult};

/// One finished run. Refused and failed runs are results, too.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct PipelineResult {
    /// Always `pipeline_report`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Number of the request within its runtime directory.
    pub request_id: u64,
    /// Name of the run.
    pub run_id: RunId,
    /// Unix time of the start, in seconds.
    pub ts: u64,
    /// Version of the crate that ran it.
    pub pipeline_build: String,
    /// The goal was reached and nothing contradicts it.
    pub success: bool,
    /// How it ended.
    pub outcome: Outcome,
    /// The stage that failed, if one did.
    pub stage_failed: Option<Stage>,
    /// Why, in one line.
    pub error: Option<String>,
    /// The kind of the reason, for programs.
    #[serde(default)]
    pub failure: Option<Failure>,
    /// What was understood.
    pub intent: Option<IntentBlock>,
    /// What was planned.
    pub plan: Option<ExecutionPlan>,
    /// What the plan could do at worst.
    pub certificate: Option<Certificate>,
    /// What happened, in plan order.
    pub step_results: Vec<StepResult>,
    /// What read-only calls saw afterwards.
    pub verification: Vec<Verification>,
    /// Computed from results and verification, never asked of a model.
    pub verdict: Verdict,
    /// The answer, for the user.
    pub content: String,
    /// The same text under its older name.
    pub human_summary: String,
    /// Tokens by stage; zero where no model was asked.
    pub usage: StageUsage,
    /// The guards of the models that were asked, and what they held back; empty without remote models.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<GuardReport>,
    /// What was done otherwise than configured or understood: parameters that a model does not take, readings that
    /// were corrected, places where the offline backend stepped in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Wall time by stage, in milliseconds.
    pub timings_ms: Timings,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The goal was reached.
    Ok,
    /// Some steps were carried out, the goal was not reached.
    Partial,
    /// Nothing was reached.
    Failed,
    /// Stopped before anything changed: by the safety gate, the policy, the user, or for want of an answer.
    Refused,
    /// Money or state may have moved; the node has not said.
    Unknown,
}

/// Why a run did not reach its goal, for programs: exit codes and buttons derive from it.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Failure {
    /// A node, a tool server or a model could not be reached.
    Unreachable,
    /// The safety gate turned the intent away.
    Gate,
    /// The policy forbids the plan: its effect or its price.
    Policy,
    /// The plan waits for approval.
    AwaitingApproval,
    /// The plan was put before somebody, who said no.
    Denied,
    /// The prompt leaves something open that only the user can say.
    Clarification,
    /// A model's answer was not usable.
    Malformed,
    /// A tool failed.
    Tool,
    /// The tools succeeded, the goal was not seen.
    Unconfirmed,
    /// Money or state may have moved.
    Unknown,
}

/// The four stages, and the router of multi-agent mode.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Prompt to intent.
    Translator,
    /// Intent to plan.
    Planner,
    /// Plan to results.
    Executor,
    /// Results to answer.
    Summarizer,
    /// Hand-over to another agent.
    Router,
}

/// ✓ or ✗, and why.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Verdict {
    /// The goal was reached.
    pub ok: bool,
    /// The reason, in one line.
    pub reason: String,
}

/// One read-only confirmation.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Verification {
    /// The step it confirms; `None` for the intent as a whole.
    pub step_id: Option<StepId>,
    /// The tool that was asked.
    pub tool: String,
    /// Its arguments.
    pub args: Object,
    /// The goal was seen.
    pub ok: bool,
    /// What was seen, in words.
    pub detail: String,
    /// What the reading means.
    pub status: VerificationStatus,
    /// The part of the answer that decided, for the record.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub observed: Value,
}

/// What a verification means for the verdict.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VerificationStatus {
    /// Seen: the step did what it said.
    Confirmed,
    /// Seen: it did not. The run is no success.
    Contradicted,
    /// Could not be looked at; says nothing.
    Unavailable,
}

/// Tokens by stage.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct StageUsage {
    /// Spent by the translator.
    pub translator: TokenUsage,
    /// Spent by the planner.
    pub planner: TokenUsage,
    /// Spent by the summarizer.
    pub summarizer: TokenUsage,
}

/// Tokens of one or more model calls.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(default)]
pub struct TokenUsage {
    /// Model calls that were made.
    pub calls: u32,
    /// Tokens sent, cached ones included.
    pub prompt_tokens: u64,
    /// Tokens received, hidden reasoning included.
    pub output_tokens: u64,
    /// Those of the sent ones that the provider had in its prompt cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
}

/// Wall time by stage, in milliseconds.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Timings {
    /// Spent in the translator.
    pub translator: u64,
    /// Spent in the planner.
    pub planner: u64,
    /// Spent in the executor, verification included.
    pub executor: u64,
    /// Spent in the summarizer.
    pub summarizer: u64,
    /// From prompt to result.
    pub total: u64,
}

impl TokenUsage {
    /// Adds the tokens of further calls.
    pub fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.prompt_tokens += other.prompt_tokens;
        self.output_tokens += other.output_tokens;
        self.cached_tokens += other.cached_tokens;
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}
