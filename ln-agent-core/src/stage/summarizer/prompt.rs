//! What the summarizer's model reads: rules, and the run as JSON.

use serde_json::{Value, json};

use super::summarize::SummaryInput;
use crate::llm::{Message, Role};
use crate::types::{IntentType, StepResult};

/// The conversation. Answers of tools share `max_chars` characters.
pub(super) fn messages(input: &SummaryInput<'_>, max_chars: usize) -> Vec<Message> {
    let mut system = RULES.to_owned();
    if input.intent.intent_type == IntentType::Informational {
        system.push_str(EXPLAIN);
    } else if !input.verdict.ok {
        system.push_str(&FAILED.replace("{REASON}", &input.verdict.reason));
    }
    let share = max_chars / input.results.len().max(1);
    let results: Vec<Value> = input.results.iter().map(|step| result(step, share)).collect();
    let user = json!({
        "user_request": input.intent.raw_prompt,
        "goal": input.intent.goal,
        "results": results,
        "verification": input.verification,
        "verdict": input.verdict,
    });
    vec![Message::new(Role::System, system), Message::new(Role::User, user.to_string())]
}

fn result(step: &StepResult, share: usize) -> Value {
    let answer = step.raw_result.get("result").unwrap_or(&step.raw_result);
    let text = answer.to_string();
    let answer = match text.char_indices().nth(share) {
        None => answer.clone(),
        Some((end, _)) => Value::String(format!("{} … (cut off)", &text[..end])),
    };
    json!({
        "step": step.step_id,
        "tool": step.tool,
        "args": step.args,
        "ok": step.ok,
        "skipped": step.skipped,
        "not_needed": step.not_needed,
        "outcome_unknown": step.unknown,
        "error": step.error,
        "answer": answer,
    })
}

const RULES: &str = include_str!("../../../prompts/summarizer.md");

const EXPLAIN: &str = "\n\nThis is a request for an explanation. Nothing was executed. Begin with exactly \"No action \
    was taken.\" and explain in the future or conditional tense what would happen and how. Never speak as if something \
    had been done, and state no numbers or ids that the user did not state.\n";

const FAILED: &str = "\n\nThe goal was NOT reached: {REASON}. Say so plainly, and why. Do not claim or imply that it \
    succeeded, whatever single results look like. If an outcome is unknown, say that it is still in flight and must \
    not be repeated yet; never call it failed.\n";
