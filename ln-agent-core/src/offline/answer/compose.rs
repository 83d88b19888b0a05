//! The whole answer, from the results themselves.

use std::collections::BTreeSet;

use serde_json::Value;

use super::words::{self, listed};
use super::{explain, sentence};
use crate::offline::dispatch;
use crate::types::{
    ExecutionPlan, IntentBlock, IntentType, Placeholder, PlaceholderRoot, PlanStep, StepId, StepResult,
    Verdict, Verification, VerificationStatus,
};

/// The answer to a plan out of the dispatch table, every step of which went well. `None` for everything else, and
/// where a payload has not the form that its sentence needs.
#[must_use]
pub fn template(intent: &IntentBlock, plan: &ExecutionPlan, results: &[StepResult]) -> Option<String> {
    let planned = dispatch(intent).filter(|found| found.steps == plan.steps)?;
    let complete =
        results.len() == planned.steps.len() && results.iter().all(|step| step.ok && !step.unknown);
    if !complete {
        return None;
    }
    let shown = worth_saying(plan, results).into_iter();
    let sentences: Option<Vec<String>> =
        shown.map(|step| sentence::known(&step.tool, &step.args, step.payload())).collect();
    sentences.filter(|sentences| !sentences.is_empty()).map(|sentences| sentences.join(" "))
}

/// An honest answer to any run: concrete values, failures in the node's words, what was skipped and why, what was
/// confirmed. Explanations are in the future tense and begin with “No action was taken.”
#[must_use]
pub fn compose(
    intent: &IntentBlock,
    plan: &ExecutionPlan,
    results: &[StepResult],
    verification: &[Verification],
    verdict: &Verdict,
) -> String {
    if results.is_empty() {
        return without_results(intent, plan, verdict);
    }
    let mut text: Vec<String> = worth_saying(plan, results).into_iter().map(sentence::of).collect();
    text.extend(left_out(plan, results));
    text.extend(verification.iter().filter_map(seen));
    let explained = results.iter().any(|step| step.unknown || (!step.ok && step.not_needed.is_none()))
        || verification.iter().any(|check| check.status == VerificationStatus::Contradicted);
    if !verdict.ok && !explained {
        text.push(words::sentence(&format!("the goal was not reached: {}", verdict.reason)));
    }
    text.join(" ")
}

fn without_results(intent: &IntentBlock, plan: &ExecutionPlan, verdict: &Verdict) -> String {
    if !intent.clarifications_needed.is_empty() {
        return format!("{} Nothing was done.", intent.clarifications_needed.join(" "));
    }
    match intent.intent_type {
        IntentType::Informational => explain::explanation(intent),
        IntentType::Noop => explain::abilities(),
        _ if !verdict.ok => words::sentence(&format!("nothing was done: {}", verdict.reason)),
        _ if plan.steps.is_empty() => "Nothing was done: there was nothing to do.".to_owned(),
        _ => "The plan is ready; nothing was executed.".to_owned(),
    }
}

/// Every result but the look-ups that went well and only served a later step that ran.
fn worth_saying<'r>(plan: &ExecutionPlan, results: &'r [StepResult]) -> Vec<&'r StepResult> {
    let ran = |id: StepId| results.iter().any(|step| step.step_id == id && !step.skipped);
    let served: BTreeSet<StepId> =
        plan.steps.iter().filter(|step| ran(step.step_id)).flat_map(reads_from).collect();
    let is_lookup = |step: &StepResult| {
        step.ok && served.contains(&step.step_id) && LOOKUPS.contains(&step.tool.as_str())
    };
    results.iter().filter(|step| !is_lookup(step)).collect()
}

const LOOKUPS: [&str; 12] = [
    "btc_getnewaddress",
    "btc_getblockchaininfo",
    "btc_getbalance",
    "ln_getinfo",
    "ln_newaddr",
    "ln_node_status",
    "ln_listnodes",
    "ln_listchannels",
    "ln_listfunds",
    "ln_listpeers",
    "ln_decodepay",
    "sys_netinfo",
];

/// The steps that a step depends on, or whose answers it reads.
fn reads_from(step: &PlanStep) -> Vec<StepId> {
    let whole = serde_json::to_value(step).unwrap_or(Value::Null);
    let placeholders = Placeholder::all_in(&whole).unwrap_or_default();
    let read = placeholders.into_iter().filter_map(|found| match found.root {
        PlaceholderRoot::Step(id) => Some(id),
        PlaceholderRoot::Context | PlaceholderRoot::Item => None,
    });
    step.depends_on.iter().copied().chain(read).collect()
}

/// Steps of the plan that have no result, because an earlier one ended it.
fn left_out(plan: &ExecutionPlan, results: &[StepResult]) -> Option<String> {
    let missing: Vec<String> = plan
        .steps
        .iter()
        .filter(|step| results.iter().all(|result| result.step_id != step.step_id))
        .map(|step| step.tool.clone())
        .collect();
    (!missing.is_empty()).then(|| format!("Not carried out: {}.", listed(&missing)))
}

fn seen(check: &Verification) -> Option<String> {
    let node = check.args.get("node").map(|node| format!(" on node {node}")).unwrap_or_default();
    match check.status {
        VerificationStatus::Confirmed => Some(words::sentence(&format!("confirmed{node}: {}", check.detail))),
        VerificationStatus::Contradicted => Some(words::sentence(&format!(
            "the tool succeeded but the goal is not confirmed{node}: {}",
            check.detail
        ))),
        // Says nothing about the goal, and the steps have spoken for themselves.
        VerificationStatus::Unavailable if check.step_id.is_some() => {
            Some(words::sentence(&format!("this could not be checked{node}: {}", check.detail)))
        }
        VerificationStatus::Unavailable => None,
    }
}
