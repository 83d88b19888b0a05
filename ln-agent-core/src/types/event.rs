//! What happens during a run, as it happens: the lines of `trace.log` and `--stream-json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{IntentBlock, Object, Stage, StepId, Timings};

/// One event of a run, written with its name under `event`.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunEvent {
    /// A run starts.
    PromptStart {
        /// Number of the request.
        request_id: u64,
        /// Version of the crate.
        build: String,
        /// The prompt.
        user_text: String,
    },
    /// Remote models are switched off.
    LlmDisabled {
        /// The stage that wanted one.
        stage: Stage,
    },
    /// A model is asked.
    LlmCall {
        /// By which stage.
        stage: Stage,
        /// Name of the backend.
        backend: String,
        /// From 1.
        attempt: u32,
    },
    /// A model answered.
    LlmResponse {
        /// To which stage.
        stage: Stage,
        /// Its first 300 characters.
        preview: String,
    },
    /// A model did not answer.
    LlmError {
        /// To which stage.
        stage: Stage,
        /// Why.
        error: String,
    },
    /// The prompt was understood.
    IntentParsed {
        /// As what.
        intent: IntentBlock,
    },
    /// A model's answer was not usable; the error goes back to it.
    ParseFailed {
        /// In which stage.
        stage: Stage,
        /// Why.
        error: String,
    },
    /// A model's intent was brought into line with the words.
    IntentCorrected {
        /// What is otherwise than the model said.
        corrections: Vec<String>,
    },
    /// The offline backend stepped in for a model.
    LlmFallback {
        /// In which stage.
        stage: Stage,
        /// Why.
        reason: String,
    },
    /// A model was asked otherwise than wanted, or its answer has a flaw.
    LlmWarning {
        /// By which stage.
        stage: Stage,
        /// What is otherwise.
        warning: String,
    },
    /// What was shown of the answer so far does not hold; it begins again.
    AnswerRestarted {
        /// Why.
        reason: String,
    },
    /// `PLANNER_FORCE_LLM` switched dispatch off.
    PlannerForceLlmActive {
        /// `1` or `fallback`.
        mode: String,
    },
    /// The plan came from the dispatch table.
    DeterministicDispatchHit {
        /// The tag.
        target: String,
    },
    /// The plan is asked of a model.
    PlannerLlmDispatch {},
    /// The model failed and the dispatch table stepped in.
    PlannerFallbackDispatchFired {
        /// The tag.
        target: String,
    },
    /// A plan exists.
    PlanParsed {
        /// How many steps it has.
        steps: usize,
        /// Its rationale.
        rationale: String,
        /// The tools in order.
        tools: Vec<String>,
    },
    /// A step begins.
    StepStart {
        /// Which.
        step_id: StepId,
        /// Its tool.
        tool: String,
    },
    /// A placeholder could not be resolved.
    StepPlaceholderError {
        /// In which step.
        step_id: StepId,
        /// Why.
        error: String,
    },
    /// Arguments were brought into their declared form.
    ArgsNormalized {
        /// In which step.
        step_id: StepId,
        /// As planned.
        before: Object,
        /// As sent.
        after: Object,
    },
    /// Arguments were refused before any call.
    ToolArgsInvalid {
        /// In which step.
        step_id: StepId,
        /// Why.
        error: String,
    },
    /// A tool is called.
    ToolCall {
        /// By which step.
        step_id: StepId,
        /// Which tool.
        tool: String,
        /// With what.
        args: Object,
        /// From 1.
        attempt: u32,
    },
    /// A read-only call was not repeated.
    ToolCallBlockedOscillation {
        /// In which step.
        step_id: StepId,
        /// Which tool.
        tool: String,
    },
    /// A tool did not answer in time.
    ToolTimeout {
        /// In which step.
        step_id: StepId,
        /// Which tool.
        tool: String,
        /// The deadline, in seconds.
        seconds: u64,
    },
    /// A tool failed.
    ToolError {
        /// In which step.
        step_id: StepId,
        /// Why.
        error: String,
    },
    /// A tool answered.
    ToolResult {
        /// To which step.
        step_id: StepId,
        /// Its envelope's `ok`.
        ok: bool,
        /// Its first 400 characters.
        summary: String,
    },
    /// A step was left out.
    StepSkipped {
        /// Which.
        step_id: StepId,
        /// Why.
        reason: String,
    },
    /// A goal was confirmed, or contradicted.
    GoalVerify {
        /// The step; `None` for the intent.
        step_id: Option<StepId>,
        /// Whether the goal was seen.
        ok: bool,
        /// What was seen.
        detail: String,
    },
    /// A goal could not be looked at.
    GoalVerifyFailed {
        /// The step; `None` for the intent.
        step_id: Option<StepId>,
        /// Why.
        error: String,
    },
    /// The plan waits for approval.
    ApprovalRequested {
        /// Hash of the certificate.
        hash: String,
    },
    /// The answer was given.
    ApprovalAnswered {
        /// Hash of the certificate.
        hash: String,
        /// The answer.
        approved: bool,
    },
    /// A piece of the answer.
    Token {
        /// The text.
        text: String,
    },
    /// The summarizer's model failed; the answer comes from the results themselves.
    SummarizerError {
        /// Why.
        error: String,
    },
    /// A stage ended the run.
    StageFailed {
        /// Which.
        stage: Stage,
        /// Why.
        error: String,
    },
    /// Where the time went.
    StageTiming {
        /// By stage.
        timings_ms: Timings,
    },
    /// Anything an embedder wants in the same record.
    Note {
        /// Its name.
        name: String,
        /// Its data.
        data: Value,
    },
}
