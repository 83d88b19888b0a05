//! Placeholders, dependencies and node numbers: do they lead to something that will be there?

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex_lite::Regex;
use serde_json::Value;

use super::arguments::{NODES, whole};
use super::fault::{PlanFault, shown};
use crate::types::{Condition, Object, Placeholder, PlaceholderRoot, PlanStep, StepId};

/// Every text of every step is plain or a placeholder that leads to an earlier step; no step waits for itself.
pub(super) fn check(steps: &[PlanStep]) -> Result<(), PlanFault> {
    let ids: Vec<StepId> = steps.iter().map(|step| step.step_id).collect();
    let mut waits: BTreeMap<StepId, Vec<StepId>> = BTreeMap::new();
    for step in steps {
        let mut on = dependencies(step, &ids)?;
        for (text, placeholder) in placeholders(step)? {
            match placeholder.root {
                PlaceholderRoot::Step(other) if other >= step.step_id || !ids.contains(&other) => {
                    return Err(PlanFault::Placeholder {
                        step: step.step_id,
                        text,
                        reason: format!("step {other} is not an earlier step of this plan"),
                    });
                }
                PlaceholderRoot::Step(other) => on.push(other),
                PlaceholderRoot::Context | PlaceholderRoot::Item => {}
            }
        }
        waits.insert(step.step_id, on);
    }
    ids.iter().find(|id| waits_for_itself(**id, &waits)).map_or(Ok(()), |id| Err(PlanFault::Cycle(*id)))
}

/// Whether every `$context` placeholder leads to something in this context.
///
/// # Errors
///
/// [`PlanFault::Placeholder`] for the first that does not.
pub fn check_context(steps: &[PlanStep], context: &Object) -> Result<(), PlanFault> {
    let context = Value::Object(context.clone());
    for step in steps {
        for (text, placeholder) in placeholders(step)? {
            if placeholder.root == PlaceholderRoot::Context && placeholder.path.lookup(&context).is_none() {
                let reason = "the intent's context has no such field".to_owned();
                return Err(PlanFault::Placeholder { step: step.step_id, text, reason });
            }
        }
    }
    Ok(())
}

/// Whether every literal node number is a node of a network of `node_count` nodes, counting those that earlier steps
/// create.
///
/// # Errors
///
/// [`PlanFault::Argument`] for the first that is not.
pub fn check_nodes(steps: &[PlanStep], node_count: u32) -> Result<(), PlanFault> {
    let mut last = i128::from(node_count);
    for step in steps {
        if step.tool == "ln_node_create" {
            last += 1;
        }
        for (name, value) in step.args.iter().filter(|(name, _)| NODES.contains(&name.as_str())) {
            if whole(value).is_some_and(|number| !(1..=last).contains(&number)) {
                return Err(PlanFault::Argument {
                    step: step.step_id,
                    argument: name.clone(),
                    received: shown(value),
                    expected: format!("a node from 1 to {last}"),
                });
            }
        }
    }
    Ok(())
}

/// The steps named in `depends_on`, if each is another step of the plan and named once.
fn dependencies(step: &PlanStep, ids: &[StepId]) -> Result<Vec<StepId>, PlanFault> {
    for (index, on) in step.depends_on.iter().enumerate() {
        let reason = if *on == step.step_id {
            "which is itself"
        } else if !ids.contains(on) {
            "which is not in the plan"
        } else if step.depends_on[..index].contains(on) {
            "which it names twice"
        } else {
            continue;
        };
        return Err(PlanFault::Dependency { step: step.step_id, on: *on, reason });
    }
    Ok(step.depends_on.clone())
}

/// The placeholders of arguments, conditions and repetition, each with its text.
fn placeholders(step: &PlanStep) -> Result<Vec<(String, Placeholder)>, PlanFault> {
    let mut found = Vec::new();
    for (text, item_allowed) in texts(step) {
        let fault =
            |reason: String| PlanFault::Placeholder { step: step.step_id, text: text.to_owned(), reason };
        if let Some(reason) = foreign(text) {
            return Err(fault(reason.to_owned()));
        }
        let Some(placeholder) = Placeholder::parse(text).map_err(|error| fault(error.to_string()))? else {
            continue;
        };
        if placeholder.root == PlaceholderRoot::Item && !item_allowed {
            return Err(fault("$item stands only in the args and the where of a for_each step".to_owned()));
        }
        if leads_nowhere(&placeholder) {
            return Err(fault("an answer is read as $stepN.result.payload.path".to_owned()));
        }
        found.push((text.to_owned(), placeholder));
    }
    Ok(found)
}

/// Every text of a step, and whether `$item` may stand there.
fn texts(step: &PlanStep) -> Vec<(&str, bool)> {
    let mut element = Vec::new();
    let mut once = Vec::new();
    step.args.values().for_each(|value| strings(value, &mut element));
    if let Some(for_each) = &step.for_each {
        for_each.filter.iter().for_each(|condition| sides(condition, &mut element));
        once.push(for_each.list.as_str());
    }
    step.when.iter().for_each(|condition| sides(condition, &mut once));
    let repeated = step.for_each.is_some();
    element
        .into_iter()
        .map(|text| (text, repeated))
        .chain(once.into_iter().map(|text| (text, false)))
        .collect()
}

fn sides<'a>(condition: &'a Condition, found: &mut Vec<&'a str>) {
    strings(&condition.left, found);
    strings(&condition.right, found);
}

fn strings<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(list) => list.iter().for_each(|element| strings(element, found)),
        Value::Object(object) => object.values().for_each(|element| strings(element, found)),
        _ => {}
    }
}

/// Why a text is a placeholder of another language, or one of ours in the wrong place.
fn foreign(text: &str) -> Option<&'static str> {
    static STEP_TAG: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)<\s*\$?steps?[ _-]?\[?\d+"));
    static EMBEDDED: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?i).\$(steps?[_\[]?\d+\b|context\.|item\.)"));
    if text.contains("{{") || text.contains("}}") || text.contains("{%") {
        Some("templates are not placeholders; write $stepN.result.payload.path")
    } else if text.contains("${") {
        Some("shell variables are not placeholders; write $stepN.result.payload.path")
    } else if STEP_TAG.is_match(text) {
        Some("tags are not placeholders; write $stepN.result.payload.path")
    } else if EMBEDDED.is_match(text) {
        Some("a placeholder must be the whole text")
    } else {
        None
    }
}

/// A step's answer is an envelope; a path that starts elsewhere never leads to anything.
fn leads_nowhere(placeholder: &Placeholder) -> bool {
    matches!(placeholder.root, PlaceholderRoot::Step(_))
        && !matches!(placeholder.path.parts().next(), Some("result" | "payload" | "ok" | "error"))
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is a constant and valid")
}

fn waits_for_itself(start: StepId, waits: &BTreeMap<StepId, Vec<StepId>>) -> bool {
    let mut seen = Vec::new();
    let mut open = waits.get(&start).cloned().unwrap_or_default();
    while let Some(next) = open.pop() {
        if next == start {
            return true;
        }
        if !seen.contains(&next) {
            seen.push(next);
            open.extend(waits.get(&next).into_iter().flatten());
        }
    }
    false
}
