//! The order of execution: dependencies first, then by step number.

use std::collections::{BTreeMap, BTreeSet};

use crate::types::{ExecutionPlan, Placeholder, PlaceholderRoot, PlanStep, StepId};

/// Why a plan has no order. A validated plan always has one.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OrderError {
    /// A number is used twice.
    #[error("step {0} is there twice")]
    Duplicate(StepId),
    /// A dependency is no step of the plan.
    #[error("step {0} waits for step {1}, which is not there")]
    Unknown(StepId, StepId),
    /// Steps wait for each other.
    #[error("step {0} waits for itself")]
    Cycle(StepId),
}

/// What each step waits for: its dependencies, and the steps whose answers it reads.
pub(super) fn waits_for(step: &PlanStep) -> BTreeSet<StepId> {
    let conditions = step.when.iter().chain(step.for_each.iter().flat_map(|repeat| &repeat.filter));
    let sides = conditions.flat_map(|condition| [&condition.left, &condition.right]);
    let texts = step.args.values().chain(sides).filter_map(|value| Placeholder::all_in(value).ok()).flatten();
    let list = step.for_each.iter().filter_map(|repeat| Placeholder::parse(&repeat.list).ok().flatten());
    let read = texts.chain(list).filter_map(|placeholder| match placeholder.root {
        PlaceholderRoot::Step(id) => Some(id),
        PlaceholderRoot::Context | PlaceholderRoot::Item => None,
    });
    step.depends_on.iter().copied().chain(read).collect()
}

/// The steps in execution order, each with what it waits for.
pub(super) fn ordered(plan: &ExecutionPlan) -> Result<Vec<(&PlanStep, BTreeSet<StepId>)>, OrderError> {
    let mut open = BTreeMap::new();
    for step in &plan.steps {
        if open.insert(step.step_id, (step, waits_for(step))).is_some() {
            return Err(OrderError::Duplicate(step.step_id));
        }
    }
    for (id, (_, waits)) in &open {
        if let Some(unknown) = waits.iter().find(|other| !open.contains_key(other)) {
            return Err(OrderError::Unknown(*id, *unknown));
        }
    }
    let mut order = Vec::with_capacity(open.len());
    let mut done = BTreeSet::new();
    while let Some((first, _)) = open.first_key_value() {
        let ready = open.iter().find(|(_, (_, waits))| waits.is_subset(&done)).map(|(id, _)| *id);
        let id = ready.ok_or(OrderError::Cycle(*first))?;
        done.insert(id);
        order.extend(open.remove(&id));
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::needless_pass_by_value, reason = "json! literals read best as values")]

    use serde_json::{Value, json};

    use super::*;

    fn order_of(steps: Value) -> Result<Vec<u32>, OrderError> {
        let plan: ExecutionPlan = serde_json::from_value(json!({ "steps": steps })).unwrap();
        Ok(ordered(&plan)?.iter().map(|(step, _)| step.step_id.0).collect())
    }

    #[test]
    fn dependencies_come_first_and_ties_go_by_number() {
        let steps = json!([
            { "step_id": 3, "tool": "a" },
            { "step_id": 1, "tool": "a", "depends_on": [3] },
            { "step_id": 2, "tool": "a" },
            { "step_id": 4, "tool": "a", "args": { "x": "$step1.result.payload" } },
        ]);
        assert_eq!(order_of(steps), Ok(vec![2, 3, 1, 4]));
    }

    #[test]
    fn what_cannot_be_ordered_is_told_before_any_call() {
        let step = |id: u32, on: &[u32]| json!({ "step_id": id, "tool": "a", "depends_on": on });
        let cases = [
            (json!([step(1, &[2]), step(2, &[1])]), OrderError::Cycle(StepId(1))),
            (json!([step(1, &[9])]), OrderError::Unknown(StepId(1), StepId(9))),
            (json!([step(1, &[]), step(1, &[])]), OrderError::Duplicate(StepId(1))),
        ];
        for (steps, expected) in cases {
            assert_eq!(order_of(steps), Err(expected));
        }
    }
}
