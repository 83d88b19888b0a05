//! Does a result hold what its case names?

use super::render::fill;
use super::{Case, Expect, fabricated};
use crate::tool::Registry;
use crate::types::{Failure, IntentType, Object, Outcome, PipelineResult, StepResult};

/// Everything that is wrong with a result, besides the state of the nodes.
pub(super) fn faults(case: &Case, result: &PipelineResult, tools: &Registry) -> Vec<String> {
    let mut faults = Vec::new();
    faults.extend(ending(case.expect, result));
    faults.extend(called(case, result, tools));
    faults.extend(arguments(case, result));
    faults.extend(answer(case, result));
    if case.expect == Expect::Ok {
        let broken = result.step_results.iter().filter(|step| !step.ok && !step.skipped);
        faults.extend(broken.map(|step| {
            format!(
                "step {} ({}) failed: {}",
                step.step_id,
                step.tool,
                step.error.as_deref().unwrap_or("no reason")
            )
        }));
    }
    let invented = fabricated(result);
    if !invented.is_empty() {
        faults.push(format!("the answer states what nobody said: {}", invented.join(", ")));
    }
    faults
}

fn ending(expect: Expect, result: &PipelineResult) -> Option<String> {
    let kind = result.intent.as_ref().map(|intent| intent.intent_type);
    let idle = result.step_results.is_empty();
    let right = match expect {
        Expect::Ok => result.outcome == Outcome::Ok,
        Expect::Failed => matches!(result.outcome, Outcome::Failed | Outcome::Partial),
        Expect::Refused => {
            result.outcome == Outcome::Refused && result.failure != Some(Failure::Clarification)
        }
        Expect::Unknown => result.outcome == Outcome::Unknown,
        Expect::Clarify => result.failure == Some(Failure::Clarification) && idle,
        Expect::Informational => kind.is_some_and(IntentType::is_idle) && idle,
    };
    let word = result.failure.map(|failure| format!(" ({failure:?})")).unwrap_or_default();
    (!right)
        .then(|| format!("ended {:?}{word}, expected {expect:?}: {}", result.outcome, result.content.trim()))
}

fn carried_out(result: &PipelineResult) -> impl Iterator<Item = &StepResult> {
    result.step_results.iter().filter(|step| step.not_needed.is_none())
}

fn called(case: &Case, result: &PipelineResult, tools: &Registry) -> Vec<String> {
    let names: Vec<&str> = carried_out(result).map(|step| step.tool.as_str()).collect();
    let mut faults = Vec::new();
    let mut rest = names.iter();
    if let Some(missing) = case.expect_tools.iter().find(|wanted| !rest.any(|name| name == wanted)) {
        faults.push(format!("`{missing}` was not called in its place: {}", names.join(", ")));
    }
    for group in &case.any_tools {
        if !group.iter().any(|wanted| names.contains(&wanted.as_str())) {
            faults.push(format!("none of {} was called: {}", group.join(", "), names.join(", ")));
        }
    }
    for step in carried_out(result) {
        let effect = tools.effect_of(&step.tool, &step.args).name();
        if case.forbid_tools.iter().any(|name| *name == step.tool || name == effect) {
            faults.push(format!("`{}` ({effect}) must not be called", step.tool));
        }
    }
    if let Some(most) = case.max_steps.filter(|most| names.len() > *most) {
        faults.push(format!("{} steps, at most {most}: {}", names.len(), names.join(", ")));
    }
    faults
}

fn arguments(case: &Case, result: &PipelineResult) -> Vec<String> {
    let mut faults = Vec::new();
    for (tool, wanted) in &case.args {
        let mut sent = carried_out(result).filter(|step| step.tool == *tool).flat_map(|step| {
            let each = step.iterations.iter().map(|one| &one.args);
            std::iter::once(&step.args).chain(each)
        });
        let holds = |args: &Object| wanted.iter().all(|(name, value)| args.get(name) == Some(value));
        if !sent.any(holds) {
            let all: Vec<String> = carried_out(result)
                .filter(|step| step.tool == *tool)
                .map(|step| serde_json::Value::Object(step.args.clone()).to_string())
                .collect();
            let wanted = serde_json::Value::Object(wanted.clone());
            faults.push(format!("`{tool}` was not called with {wanted}: {}", all.join(" ")));
        }
    }
    faults
}

fn answer(case: &Case, result: &PipelineResult) -> Vec<String> {
    let said = result.content.to_lowercase();
    let plain = said.replace(',', "");
    let mut faults = Vec::new();
    for template in &case.answer_has {
        match fill(template, result) {
            Ok(wanted) => {
                let wanted = wanted.to_lowercase();
                if !said.contains(&wanted) && !plain.contains(&wanted.replace(',', "")) {
                    faults.push(format!("the answer lacks `{wanted}`: {}", result.content.trim()));
                }
            }
            Err(missing) => faults.push(missing),
        }
    }
    for unwanted in &case.answer_lacks {
        if said.contains(&unwanted.to_lowercase()) {
            faults.push(format!("the answer must not say `{unwanted}`: {}", result.content.trim()));
        }
    }
    faults
}
