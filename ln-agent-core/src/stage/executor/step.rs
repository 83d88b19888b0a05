//! One step: decided first, carried out afterwards.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::Executor;
use super::call::Called;
use super::flow::{answer, elements, first_that_fails};
use super::resolve::Scope;
use super::state::{Finished, State, Stop};
use crate::observe::Observer;
use crate::tool::{Effect, Tool, ToolErrorKind, normalize};
use crate::types::{Iteration, Object, OnError, PlanStep, RunEvent, StepId, StepResult, Verification};
use crate::verify::{self, Done};

/// A step whose calls are decided.
pub(super) struct Prepared<'p> {
    step: &'p PlanStep,
    work: Work,
}

enum Work {
    /// No call is made: it is not needed, or failed before any.
    Nothing(StepResult),
    Once(Arc<dyn Tool>, Object),
    Each(Arc<dyn Tool>, Vec<Object>),
}

impl Prepared<'_> {
    /// It failed before any call, and that is not waived.
    pub(super) fn ends_the_plan(&self) -> bool {
        let failed = matches!(&self.work, Work::Nothing(result) if result.error.is_some());
        failed && self.step.on_error != OnError::Skip
    }
}

impl Executor {
    /// Decides what a step will call, without calling anything.
    pub(super) fn prepare<'p>(
        &self,
        step: &'p PlanStep,
        waits: &BTreeSet<StepId>,
        context: &Object,
        state: &mut State,
        observer: &dyn Observer,
    ) -> Prepared<'p> {
        observer.observe(&RunEvent::StepStart { step_id: step.step_id, tool: step.tool.clone() });
        let work = match self.decide(step, waits, context, state, observer) {
            Ok(work) => work,
            Err(error) => Work::Nothing(failed(step, error)),
        };
        Prepared { step, work }
    }

    fn decide(
        &self,
        step: &PlanStep,
        waits: &BTreeSet<StepId>,
        context: &Object,
        state: &mut State,
        observer: &dyn Observer,
    ) -> Result<Work, String> {
        if let Some(missing) = waits.iter().find(|id| state.not_needed.contains(id)) {
            return Ok(not_needed(step, format!("step {missing} was not needed"), observer));
        }
        let tool = self.tools.get(&step.tool).ok_or_else(|| format!("there is no tool `{}`", step.tool))?;
        let placeholder_error = |error: String| {
            observer.observe(&RunEvent::StepPlaceholderError { step_id: step.step_id, error: error.clone() });
            error
        };
        let scope = Scope { results: &state.results, context, item: None };
        if let Some(reason) = first_that_fails(&step.when, scope).map_err(placeholder_error)? {
            return Ok(not_needed(step, reason, observer));
        }
        let planned = Value::Object(step.args.clone());
        let Some(repeat) = &step.for_each else {
            let args = scope.resolve(&planned).map_err(placeholder_error)?;
            let args = self.normalized(step, tool.as_ref(), args, state.node_count, observer)?;
            self.admit(step, tool.as_ref(), &args, state, observer)?;
            return Ok(Work::Once(Arc::clone(tool), args));
        };
        let mut each = Vec::new();
        for element in elements(repeat, scope).map_err(placeholder_error)? {
            let args =
                Scope { item: Some(&element), ..scope }.resolve(&planned).map_err(placeholder_error)?;
            each.push(self.normalized(step, tool.as_ref(), args, state.node_count, observer)?);
        }
        Ok(Work::Each(Arc::clone(tool), each))
    }

    fn normalized(
        &self,
        step: &PlanStep,
        tool: &dyn Tool,
        args: Value,
        node_count: u32,
        observer: &dyn Observer,
    ) -> Result<Object, String> {
        match normalize(tool.spec(), &args, node_count) {
            Ok(normalized) => {
                if let (true, Value::Object(before)) = (normalized.changed, args) {
                    let after = normalized.args.clone();
                    observer.observe(&RunEvent::ArgsNormalized { step_id: step.step_id, before, after });
                }
                Ok(normalized.args)
            }
            Err(error) => {
                let message = error.message;
                observer
                    .observe(&RunEvent::ToolArgsInvalid { step_id: step.step_id, error: message.clone() });
                Err(message)
            }
        }
    }

    /// Blocks a repeated read after many reads in a row.
    fn admit(
        &self,
        step: &PlanStep,
        tool: &dyn Tool,
        args: &Object,
        state: &mut State,
        observer: &dyn Observer,
    ) -> Result<(), String> {
        let spec = tool.spec();
        if spec.repeatable || spec.effect_of(args) != Effect::Read {
            return Ok(());
        }
        if state.oscillation.admits(&step.tool, args, self.config.max_consecutive_reads) {
            return Ok(());
        }
        observer.observe(&RunEvent::ToolCallBlockedOscillation {
            step_id: step.step_id,
            tool: step.tool.clone(),
        });
        Err(format!("blocked: repeated read-only call of `{}` with the same arguments", step.tool))
    }

    /// Makes the calls and looks at what they did.
    pub(super) async fn finish(&self, prepared: Prepared<'_>, observer: &dyn Observer) -> Finished {
        let Prepared { step, work } = prepared;
        match work {
            Work::Nothing(result) => judged(step, result, None, Vec::new()),
            Work::Once(tool, args) => self.once(step, tool.as_ref(), args, observer).await,
            Work::Each(tool, each) => self.each(step, tool.as_ref(), each, observer).await,
        }
    }

    async fn once(
        &self,
        step: &PlanStep,
        tool: &dyn Tool,
        args: Object,
        observer: &dyn Observer,
    ) -> Finished {
        let changes = tool.spec().effect_of(&args).changes_state();
        let (called, verification) = self.call_and_confirm(step, tool, &args, observer).await;
        let mut result = StepResult {
            step_id: step.step_id,
            tool: step.tool.clone(),
            args,
            retries_used: called.retries_used,
            ..StepResult::default()
        };
        let kind = match called.outcome {
            Ok(payload) => {
                result.ok = true;
                result.raw_result = answer(step.step_id.0, true, payload, None);
                None
            }
            Err(error) => {
                result.unknown = changes && error.kind == ToolErrorKind::Unknown;
                result.raw_result = answer(step.step_id.0, false, Value::Null, Some(&error.message));
                result.error = Some(error.message);
                Some(error.kind)
            }
        };
        let changed = changes && result.ok;
        Finished { changed, ..judged(step, result, kind, verification) }
    }

    /// One call per element, in order; a failure ends the row unless it is waived.
    async fn each(
        &self,
        step: &PlanStep,
        tool: &dyn Tool,
        each: Vec<Object>,
        observer: &dyn Observer,
    ) -> Finished {
        let mut result = StepResult {
            step_id: step.step_id,
            tool: step.tool.clone(),
            args: step.args.clone(),
            ok: true,
            ..StepResult::default()
        };
        let mut verification = Vec::new();
        let mut payloads = Vec::with_capacity(each.len());
        let mut kind = None;
        let mut changed = false;
        for args in each {
            let changes = tool.spec().effect_of(&args).changes_state();
            let (called, seen) = self.call_and_confirm(step, tool, &args, observer).await;
            verification.extend(seen);
            result.retries_used += called.retries_used;
            let mut iteration = Iteration { args, ..Iteration::default() };
            match called.outcome {
                Ok(payload) => {
                    iteration.ok = true;
                    changed |= changes;
                    iteration.raw_result = answer(step.step_id.0, true, payload.clone(), None);
                    payloads.push(payload);
                }
                Err(error) => {
                    iteration.raw_result = answer(step.step_id.0, false, Value::Null, Some(&error.message));
                    iteration.error = Some(error.message.clone());
                    payloads.push(Value::Null);
                    result.ok = false;
                    result.unknown |= changes && error.kind == ToolErrorKind::Unknown;
                    result.error.get_or_insert(error.message);
                    kind = Some(error.kind);
                }
            }
            let ends = !iteration.ok && (result.unknown || step.on_error != OnError::Skip);
            result.iterations.push(iteration);
            if ends {
                break;
            }
        }
        result.raw_result =
            answer(step.step_id.0, result.ok, Value::Array(payloads), result.error.as_deref());
        Finished { changed, ..judged(step, result, kind, verification) }
    }

    /// A call that changes something, and the reads that confirm it.
    async fn call_and_confirm(
        &self,
        step: &PlanStep,
        tool: &dyn Tool,
        args: &Object,
        observer: &dyn Observer,
    ) -> (Called, Vec<Verification>) {
        if !tool.spec().effect_of(args).changes_state() {
            return (self.call(step, tool, args, observer).await, Vec::new());
        }
        let before = verify::snapshot(&self.tools, &step.tool, args).await;
        let called = self.call(step, tool, args, observer).await;
        let Ok(payload) = &called.outcome else { return (called, Vec::new()) };
        let done = Done { step_id: step.step_id, tool: &step.tool, args, payload };
        let seen: Vec<Verification> = verify::confirm(&self.tools, done, &before).await.into_iter().collect();
        for verification in &seen {
            report(verification, observer);
        }
        (called, seen)
    }
}

fn report(seen: &Verification, observer: &dyn Observer) {
    let (step_id, detail) = (seen.step_id, seen.detail.clone());
    observer.observe(&match seen.status {
        crate::types::VerificationStatus::Unavailable => {
            RunEvent::GoalVerifyFailed { step_id, error: detail }
        }
        _ => RunEvent::GoalVerify { step_id, ok: seen.ok, detail },
    });
}

/// What a result means for the plan: an unknown outcome always ends it, a failure unless it is waived.
fn judged(
    step: &PlanStep,
    mut result: StepResult,
    kind: Option<ToolErrorKind>,
    verification: Vec<Verification>,
) -> Finished {
    let mut stop = None;
    if let Some(error) = &result.error {
        if step.on_error == OnError::Skip && !result.unknown {
            result.skipped = true;
        } else {
            stop =
                Some(Stop { error: format!("step {} ({}) failed: {error}", step.step_id, step.tool), kind });
        }
    }
    Finished { result, stop, verification, changed: false }
}

fn failed(step: &PlanStep, error: String) -> StepResult {
    StepResult {
        step_id: step.step_id,
        tool: step.tool.clone(),
        args: step.args.clone(),
        error: Some(error),
        ..StepResult::default()
    }
}

fn not_needed(step: &PlanStep, reason: String, observer: &dyn Observer) -> Work {
    observer.observe(&RunEvent::StepSkipped { step_id: step.step_id, reason: reason.clone() });
    Work::Nothing(StepResult {
        step_id: step.step_id,
        tool: step.tool.clone(),
        args: step.args.clone(),
        skipped: true,
        not_needed: Some(reason),
        ..StepResult::default()
    })
}
