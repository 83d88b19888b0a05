//! What one step has to say.

use serde_json::Value;

use super::reading::Reading;
use super::said::Said;
use super::scene::Scene;
use super::{actions, bitcoin, lifecycle, lightning, payments};
use crate::types::{Object, StepResult};

/// What a call has to say whose tool and payload are known.
pub(super) fn known(scene: &Scene, tool: &str, args: &Object, payload: &Value) -> Option<Said> {
    let read = Reading { args, payload, scene };
    [bitcoin::said, lifecycle::said, lightning::said, actions::said, payments::said]
        .into_iter()
        .find_map(|family| family(tool, read))
}

/// What a step that went well has to say: once, or once per call.
pub(super) fn of(scene: &Scene, step: &StepResult) -> Vec<Said> {
    if !step.iterations.is_empty() {
        return repeated(scene, step);
    }
    let payload = step.payload();
    // A plural without elements is told by what was seen instead.
    if payload.as_array().is_some_and(Vec::is_empty) && step.tool != "btc_listtransactions" {
        return Vec::new();
    }
    vec![said(scene, &step.tool, &step.args, payload)]
}

/// The calls of a plural that went well.
pub(super) fn repeated(scene: &Scene, step: &StepResult) -> Vec<Said> {
    let calls = step.iterations.iter().filter(|call| call.ok);
    calls
        .map(|call| {
            let payload = call.raw_result.pointer("/result/payload").unwrap_or(&Value::Null);
            said(scene, &step.tool, &call.args, payload)
        })
        .collect()
}

fn said(scene: &Scene, tool: &str, args: &Object, payload: &Value) -> Said {
    known(scene, tool, args, payload)
        .unwrap_or_else(|| Said::fact(format!("{tool} answered {}", actions::digest(payload))))
}
