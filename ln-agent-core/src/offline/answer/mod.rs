//! Answers in words, from results.

use crate::types::{ExecutionPlan, IntentBlock, StepResult, Verdict, Verification};

/// An honest answer: what was asked back, or what each step gave.
pub(super) fn compose(
    intent: &IntentBlock,
    _plan: &ExecutionPlan,
    results: &[StepResult],
    _verification: &[Verification],
    _verdict: &Verdict,
) -> String {
    if !intent.clarifications_needed.is_empty() {
        return intent.clarifications_needed.join(" ");
    }
    if results.is_empty() {
        return intent.human_summary.clone();
    }
    let line = |result: &StepResult| match &result.error {
        Some(error) => format!("{}: {error}", result.tool),
        None => format!("{}: {}", result.tool, result.payload()),
    };
    results.iter().map(line).collect::<Vec<_>>().join("\n")
}
