//! What was not needed, and what was seen that made it so.

use std::collections::BTreeSet;

use serde_json::Value;

use super::failure::attempt;
use super::scene::Scene;
use super::told::named_in;
use super::{sentence, words};
use crate::types::{ExecutionPlan, PlanStep, StepId, StepResult};

/// The sentences about it, and the reads that these have told already.
#[derive(Default)]
pub(super) struct Spared {
    pub(super) sentences: Vec<String>,
    pub(super) observed: BTreeSet<StepId>,
}

/// Every step whose own condition did not hold, and every plural that nothing belonged to; steps that only waited for
/// those go without saying.
pub(super) fn of(scene: &Scene, plan: &ExecutionPlan, results: &[StepResult]) -> Spared {
    let mut spared = Spared::default();
    let anything = results.iter().any(|step| {
        step.ok && (!step.iterations.is_empty() || sentence::of(scene, step).iter().any(|said| said.act))
    });
    let mut told = BTreeSet::new();
    for step in results {
        let Some(planned) = plan.steps.iter().find(|planned| planned.step_id == step.step_id) else {
            continue;
        };
        let empty = planned.for_each.is_some() && step.ok && step.iterations.is_empty();
        let reason = match &step.not_needed {
            Some(reason) if !planned.when.is_empty() || !reason.ends_with("was not needed") => {
                reason.as_str()
            }
            None if empty && step.tool != "ln_node_status" => "no element matched",
            _ => continue,
        };
        let reads = sources(plan, planned);
        let facts: Vec<String> = reads.iter().filter_map(|id| seen(scene, plan, results, *id)).collect();
        let what = if anything || scene.troubled {
            format!("{} was not needed", attempt(&step.tool, &step.args))
        } else {
            "nothing was done".to_owned()
        };
        let matched = if empty { ", none of which matched" } else { "" };
        let line = if facts.is_empty() {
            format!("{what}: {reason}")
        } else {
            format!("{}{matched}, so {what}", words::listed(&facts))
        };
        spared.observed.extend(reads);
        if told.insert(line.clone()) {
            spared.sentences.push(words::sentence(&line));
        }
    }
    // One condition spares all steps of its clause; the same reads say it once.
    if !anything && !scene.troubled {
        spared.sentences.truncate(1);
    }
    spared
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
    // A plural of reads counts what belongs to it.
    if let Some(list) = list_of(planned) {
        let matched = step.payload().as_array()?.len();
        let whole = seen(scene, plan, results, list)?;
        return Some(format!("{whole}, {matched} of them with that peer"));
    }
    sentence::known(scene, &step.tool, &step.args, step.payload()).map(|said| said.text)
}
