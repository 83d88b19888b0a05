//! The whole answer, from the results themselves.

use super::said::{Said, sentences};
use super::scene::{Scene, is_trouble};
use super::told::told;
use super::{confirm, explain, failure, sentence, spared, words};
use crate::offline::dispatch;
use crate::types::{
    ExecutionPlan, IntentBlock, IntentType, StepId, StepResult, Verdict, Verification, VerificationStatus,
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
    let scene = Scene::of(intent, results);
    let shown = told(&scene, plan, results).into_iter();
    let said: Option<Vec<Said>> =
        shown.map(|step| sentence::known(&scene, &step.tool, &step.args, step.payload())).collect();
    said.filter(|said| !said.is_empty()).map(|said| sentences(&said).join(" "))
}

/// An honest answer to any run: what was reached in one sentence, the values that are needed next, and where it is
/// confirmed; failures first, in the node's words, then what stays. Explanations are in the future tense and begin with
/// “No action was taken.”
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
    let scene = Scene::of(intent, results);
    let mut text: Vec<String> =
        results.iter().filter(|step| is_trouble(step)).map(failure::sentence).collect();
    let mut told = told(&scene, plan, results);
    let spared = spared::of(&scene, plan, results, &told);
    told.retain(|step| !spared.observed.contains(&step.step_id));
    text.extend(done(&scene, &told, results));
    text.extend(spared.sentences);
    text.extend(results.iter().filter(|step| is_waived(step)).map(failure::passed_over));
    text.extend(failure::left_out(plan, results));
    let ids: Vec<StepId> = told.iter().map(|step| step.step_id).collect();
    text.extend(confirm::sentences(&scene, &ids, verification));
    let explained =
        scene.troubled || verification.iter().any(|check| check.status == VerificationStatus::Contradicted);
    if !verdict.ok && !explained {
        text.push(words::sentence(&format!("the goal was not reached: {}", verdict.reason)));
    }
    if text.is_empty() {
        text.push(words::sentence(&verdict.reason));
    }
    text.join(" ")
}

fn without_results(intent: &IntentBlock, plan: &ExecutionPlan, verdict: &Verdict) -> String {
    if !intent.clarifications_needed.is_empty() {
        return format!("{} Nothing was done.", intent.clarifications_needed.join(" "));
    }
    match intent.intent_type {
        IntentType::Informational => explain::explanation(intent),
        IntentType::Noop => match intent.context.get("reason").and_then(serde_json::Value::as_str) {
            Some(reason) => format!("{reason} Nothing was done."),
            None => explain::abilities(),
        },
        _ if !verdict.ok => words::sentence(&format!("nothing was done: {}", verdict.reason)),
        _ if plan.steps.is_empty() => "Nothing was done: there was nothing to do.".to_owned(),
        _ => "The plan is ready; nothing was executed.".to_owned(),
    }
}

/// What went well. Where something else did not, it is told as what stays.
fn done(scene: &Scene, told: &[&StepResult], results: &[StepResult]) -> Vec<String> {
    let mut said: Vec<Said> = told.iter().flat_map(|step| sentence::of(scene, step)).collect();
    if !scene.troubled {
        return sentences(&said);
    }
    // Single calls of a step that failed as a whole went well, too.
    let partly = results.iter().filter(|step| is_trouble(step) && !step.iterations.is_empty());
    said.extend(partly.flat_map(|step| sentence::repeated(scene, step)));
    let (acts, facts): (Vec<Said>, Vec<Said>) = said.into_iter().partition(|one| one.act);
    let mut text = sentences(&facts);
    let mut stays = sentences(&acts);
    if let Some(first) = stays.first_mut() {
        let mut chars = first.chars();
        let lower: String = chars.next().into_iter().flat_map(char::to_lowercase).chain(chars).collect();
        *first = format!("Done before and still in place: {lower}");
    }
    text.append(&mut stays);
    text
}

fn is_waived(step: &StepResult) -> bool {
    step.skipped && !step.ok && step.not_needed.is_none() && !step.unknown
}
