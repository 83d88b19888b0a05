//! What was not needed, and what was seen that made it so.

use std::collections::BTreeSet;

use serde_json::Value;

use super::failure::attempt;
use super::scene::Scene;
use super::told::{named_in, serves};
use super::{sentence, words};
use crate::types::{ExecutionPlan, PlanStep, StepId, StepResult};

/// The sentences about it, and the reads that these have told already.
#[derive(Default)]
pub(super) struct Spared {
    pub(super) sentences: Vec<String>,
    pub(super) observed: BTreeSet<StepId>,
}

/// Every wish whose condition did not hold, and every plural that nothing belonged to; what only serves them goes
/// without saying.
pub(super) fn of(
    scene: &Scene,
    plan: &ExecutionPlan,
    results: &[StepResult],
    told: &[&StepResult],
) -> Spared {
    let anything =
        scene.troubled || told.iter().any(|step| sentence::of(scene, step).iter().any(|said| said.act));
    let mut found: Vec<(&PlanStep, &StepResult, &str)> = results
        .iter()
        .filter_map(|step| {
            let planned = plan.steps.iter().find(|planned| planned.step_id == step.step_id)?;
            Some((planned, step, reason(planned, step)?))
        })
        .collect();
    if found.iter().any(|(_, step, _)| !serves(&step.tool)) {
        found.retain(|(_, step, _)| !serves(&step.tool));
    }
    let mut spared = Spared::default();
    for (planned, step, reason) in found {
        let reads = sources(plan, planned);
        let facts: Vec<String> = reads.iter().filter_map(|id| seen(scene, plan, results, *id)).collect();
        let what = if anything {
            format!("{} was not needed", attempt(&step.tool, &step.args))
        } else {
            "nothing was done".to_owned()
        };
        let line = if facts.is_empty() {
            format!("{what}: {reason}")
        } else {
            let matched = if step.not_needed.is_none() { ", none of which matched" } else { "" };
            format!("{}{matched}, so {what}", words::listed(&facts))
        };
        let line = words::sentence(&line);
        spared.observed.extend(reads);
        if !spared.sentences.contains(&line) {
            spared.sentences.push(line);
        }
    }
    spared
}

/// Why a step was not needed; `None` when it was, or when it only waited for one that was not.
fn reason<'r>(planned: &PlanStep, step: &'r StepResult) -> Option<&'r str> {
    let nothing_matched = planned.for_each.is_some() && step.ok && step.iterations.is_empty();
    match &step.not_needed {
        Some(reason) if !planned.when.is_empty() || !reason.ends_with("was not needed") => Some(reason),
        None if nothing_matched && step.tool != "ln_node_status" => Some("no element matched"),
        _ => None,
    }
}

/// The reads that a step's condition or plural looks at.
fn sources(plan: &ExecutionPlan, step: &PlanStep) -> Vec<StepId> {
    let conditions = serde_json::to_value(&step.when).unwrap_or(Value::Null);
    let mut found = named_in(&conditions);
    found.extend(list_of(step));
    found.sort_unstable();
    found.dedup();
    found.retain(|id| plan.steps.iter().any(|step| step.step_id == *id));
    found
}

fn list_of(step: &PlanStep) -> Option<StepId> {
    let each = step.for_each.as_ref()?;
    named_in(&Value::from(each.list.clone())).first().copied()
}

/// What a read saw, without its details.
fn seen(scene: &Scene, plan: &ExecutionPlan, results: &[StepResult], id: StepId) -> Option<String> {
    let step = results.iter().find(|step| step.step_id == id && step.ok)?;
    let planned = plan.steps.iter().find(|planned| planned.step_id == id)?;
    // A plural of reads counts what is shared with a peer.
    if let Some(list) = list_of(planned) {
        let whole = seen(scene, plan, results, list)?;
        let filter = serde_json::to_value(&planned.for_each).unwrap_or(Value::Null);
        let mut asked =
            named_in(&filter).into_iter().filter_map(|id| results.iter().find(|step| step.step_id == id));
        let peer = asked.find(|step| step.tool == "ln_getinfo").and_then(|step| step.args.get("node"));
        let peer = peer.map_or_else(|| "that peer".to_owned(), |node| format!("node {node}"));
        return Some(match step.payload().as_array()?.len() {
            0 => format!("{whole}, none with {peer}"),
            matched => format!("{whole}, {matched} with {peer}"),
        });
    }
    sentence::known(scene, &step.tool, &step.args, step.payload()).map(|said| said.text)
}
