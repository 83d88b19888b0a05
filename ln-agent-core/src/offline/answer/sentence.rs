//! What one step has to say.

use serde_json::Value;

use super::reading::Reading;
use super::{actions, bitcoin, lifecycle, lightning, payments, words};
use crate::types::{Object, StepResult};

/// The sentence of a call whose tool and payload are known.
pub(super) fn known(tool: &str, args: &Object, payload: &Value) -> Option<String> {
    let read = Reading { args, payload };
    [bitcoin::sentence, lifecycle::sentence, lightning::sentence, actions::sentence, payments::sentence]
        .into_iter()
        .find_map(|family| family(tool, read))
        .map(|text| words::sentence(&text))
}

/// The sentence of any step.
pub(super) fn of(step: &StepResult) -> String {
    let tool = &step.tool;
    if let Some(reason) = &step.not_needed {
        return words::sentence(&format!("{tool} was not needed: {reason}"));
    }
    if step.unknown {
        let why = step.error.as_ref().map(|error| format!(" ({error})")).unwrap_or_default();
        return format!(
            "{tool} is still in flight{why}: its outcome is unknown, it may or may not have happened. Do not repeat it \
             before the node has been asked."
        );
    }
    if step.skipped {
        let why = step.error.as_deref().unwrap_or("no reason was given");
        return words::sentence(&format!("{tool} was skipped: {why}"));
    }
    if !step.iterations.is_empty() {
        return repeated(step);
    }
    if !step.ok {
        let why = step.error.as_deref().unwrap_or("no reason was given");
        return words::sentence(&format!("step {}, {tool}, failed: {why}", step.step_id));
    }
    let payload = step.payload();
    if payload.as_array().is_some_and(Vec::is_empty) && tool != "btc_listtransactions" {
        return format!("There was nothing to do for {tool}: no element matched.");
    }
    known(tool, &step.args, payload)
        .unwrap_or_else(|| words::sentence(&format!("{tool} answered {}", actions::digest(payload))))
}

fn repeated(step: &StepResult) -> String {
    let lines: Vec<String> = step
        .iterations
        .iter()
        .map(|call| {
            let payload = call.raw_result.pointer("/result/payload").unwrap_or(&Value::Null);
            if call.ok {
                known(&step.tool, &call.args, payload).unwrap_or_else(|| {
                    words::sentence(&format!("{} answered {}", step.tool, actions::digest(payload)))
                })
            } else {
                let why = call.error.as_deref().unwrap_or("no reason was given");
                words::sentence(&format!("{} failed: {why}", step.tool))
            }
        })
        .collect();
    lines.join(" ")
}
