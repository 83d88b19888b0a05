//! What will be done, before it is done.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Condition, IntentBlock, Object, StepId};

/// Tool calls in order, with the intent they serve: the planner's artefact.
///
/// It exists before anything runs, so it can be shown, priced, approved by its hash and replayed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct ExecutionPlan {
    /// The steps, in execution order as far as their dependencies allow.
    pub steps: Vec<PlanStep>,
    /// Why these steps, in one or two sentences.
    #[serde(default)]
    pub plan_rationale: String,
    /// The intent that is served; what `$context.…` placeholders read.
    #[serde(default)]
    pub intent: IntentBlock,
}

/// One tool call.
///
/// String arguments may be placeholders: `$stepN.result.payload.path` reads the answer of an earlier step,
/// `$context.field` the intent's context, `$item.path` the element of `for_each`.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PlanStep {
    /// Its number, at least 1 and unique in the plan.
    pub step_id: StepId,
    /// Name of a registered tool.
    pub tool: String,
    /// Arguments of the tool.
    #[serde(default)]
    pub args: Object,
    /// Steps that must have been executed before.
    #[serde(default)]
    pub depends_on: Vec<StepId>,
    /// What happens when it fails. Default: abort.
    #[serde(default)]
    pub on_error: OnError,
    /// Extra attempts when `on_error` is `retry`, from 0 to 5. Default 0.
    #[serde(default)]
    pub max_retries: u32,
    /// What should be seen afterwards, in words.
    #[serde(default)]
    pub expected_outcome: String,
    /// All must hold, or the step is skipped with the reason. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<Condition>,
    /// Runs the step once per element of a list. Default: once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_each: Option<ForEach>,
}

/// What the executor does when a step fails.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// Stop the plan.
    #[default]
    Abort,
    /// Try again up to `max_retries` times, then abort.
    Retry,
    /// Record the step as skipped and go on.
    Skip,
}

/// Bounded repetition: the step runs for each element that passes, in order.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ForEach {
    /// Placeholder of the list.
    #[serde(rename = "in")]
    pub list: String,
    /// Conditions on the element (`$item.path`); all must hold. Default: every element.
    #[serde(default, rename = "where", skip_serializing_if = "Vec::is_empty")]
    pub filter: Vec<Condition>,
    /// Most elements that are acted on, at least 1. More elements than that fail the step before anything runs.
    pub max: u32,
}
