//! What the model is told about a finished run.

use serde_json::{Value, json};

use super::SummaryInput;
use super::guard::wants_change;
use crate::types::IntentType;

/// The same bytes for every request, so that a provider's prompt cache has them.
pub(super) const RULES: &str = include_str!("../../../prompts/summarizer.md");

/// The warning or the mode that this run calls for.
pub(super) fn about(input: &SummaryInput<'_>) -> String {
    if input.intent.intent_type == IntentType::Informational {
        return "Nothing was done and nothing will be. Begin with \"No action was taken.\" and explain in the future or \
                conditional tense what would happen."
            .to_owned();
    }
    if input.verdict.ok {
        return "The goal was reached. Say what was asked for or done.".to_owned();
    }
    let mut text =
        "The goal was NOT reached. Do not claim success, not even in part, beyond the steps marked ok."
            .to_owned();
    if wants_change(input.intent) {
        text.push_str(" The user wanted a change; say that it is not confirmed.");
    }
    text
}

/// The run as data, cut to `limit` characters of tool output.
pub(super) fn user(input: &SummaryInput<'_>, limit: usize) -> String {
    let share = limit / input.results.len().max(1);
    let results: Vec<Value> = input
        .results
        .iter()
        .map(|step| {
            let output = step.raw_result.get("result").map(ToString::to_string).unwrap_or_default();
            json!({
                "step": step.step_id, "tool": step.tool, "args": step.args, "ok": step.ok, "error": step.error,
                "not_needed": step.not_needed, "output": cut(&output, share)
            })
        })
        .collect();
    let seen: Vec<&str> = input.verification.iter().map(|seen| seen.detail.as_str()).collect();
    json!({
        "user_request": input.intent.raw_prompt,
        "goal": input.intent.goal,
        "verdict": { "goal_reached": input.verdict.ok, "reason": input.verdict.reason },
        "results": results,
        "confirmed": seen,
    })
    .to_string()
}

/// At most `limit` characters; what is left out is said.
fn cut(text: &str, limit: usize) -> String {
    let length = text.chars().count();
    if length <= limit {
        return text.to_owned();
    }
    let head: String = text.chars().take(limit).collect();
    format!("{head}… ({} characters left out)", length - limit)
}
