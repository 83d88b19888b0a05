//! ✓ or ✗: computed from what happened, never asked of a model.

use super::guard::wants_change;
use crate::tool::Registry;
use crate::types::{
    ExecutionPlan, IntentBlock, IntentType, StepResult, Verdict, Verification, VerificationStatus,
};

/// Whether the goal was reached, and why that is known.
///
/// It was not when an outcome is unknown, a step failed or was never carried out, a read contradicts a step, or the
/// intent asked for a change and no tool that changes anything succeeded, unless the plan's own conditions found that
/// nothing needed to be done.
#[must_use]
pub fn verdict(
    intent: &IntentBlock,
    plan: &ExecutionPlan,
    results: &[StepResult],
    verification: &[Verification],
    tools: &Registry,
) -> Verdict {
    let (ok, reason) = match fault(intent, plan, results, verification, tools) {
        Some(reason) => (false, reason),
        None => (true, success(intent, results, verification)),
    };
    Verdict { ok, reason }
}

fn fault(
    intent: &IntentBlock,
    plan: &ExecutionPlan,
    results: &[StepResult],
    verification: &[Verification],
    tools: &Registry,
) -> Option<String> {
    if let Some(step) = results.iter().find(|step| step.unknown) {
        return Some(format!("the outcome of step {}, {}, is unknown", step.step_id, step.tool));
    }
    if let Some(step) = results.iter().find(|step| !step.ok && !step.skipped && step.not_needed.is_none()) {
        let error = step.error.as_deref().unwrap_or("no reason was given");
        return Some(format!("step {}, {}, failed: {error}", step.step_id, step.tool));
    }
    let ran = |id| results.iter().any(|step| step.step_id == id);
    if let Some(step) = plan.steps.iter().find(|step| !ran(step.step_id)) {
        return Some(format!("step {}, {}, was not carried out", step.step_id, step.tool));
    }
    if let Some(check) = verification.iter().find(|check| check.status == VerificationStatus::Contradicted) {
        return Some(format!("the tool succeeded but the goal is not confirmed: {}", check.detail));
    }
    if plan.steps.is_empty() && !matches!(intent.intent_type, IntentType::Informational | IntentType::Noop) {
        return Some(match intent.clarifications_needed.first() {
            Some(question) => format!("a question is open: {question}"),
            None => "nothing was planned".to_owned(),
        });
    }
    let changed = results.iter().any(|step| {
        // A fresh address is no change that anybody asked for.
        step.ok && step.tool != "btc_getnewaddress" && tools.effect_of(&step.tool, &step.args).changes_state()
    });
    let spared = results
        .iter()
        .any(|step| step.not_needed.is_some() && tools.effect_of(&step.tool, &step.args).changes_state());
    (wants_change(intent) && !changed && !spared)
        .then(|| "a change was asked for, and no step that changes anything succeeded".to_owned())
}

fn success(intent: &IntentBlock, results: &[StepResult], verification: &[Verification]) -> String {
    if results.is_empty() {
        return match intent.intent_type {
            IntentType::Informational => "explained; nothing was to be done".to_owned(),
            _ => "nothing was to be done".to_owned(),
        };
    }
    let carried_out = results.iter().filter(|step| step.ok).count();
    let left = results.len() - carried_out;
    if carried_out == 0 {
        return "nothing needed to be done".to_owned();
    }
    let confirmed = verification.iter().filter(|check| check.status == VerificationStatus::Confirmed).count();
    let plural = if carried_out == 1 { "step" } else { "steps" };
    let mut reason = format!("{carried_out} {plural} succeeded");
    if left > 0 {
        reason.push_str(&format!(", {left} not needed or skipped"));
    }
    if confirmed > 0 {
        reason.push_str(&format!(", {confirmed} confirmed"));
    }
    reason
}
