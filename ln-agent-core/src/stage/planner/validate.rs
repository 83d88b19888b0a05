//! From a model's JSON to steps that are well-formed, or to the first fault.

use std::collections::BTreeSet;

use serde_json::Value;

use super::fault::{PlanFault, shown};
use super::{arguments, flow, references};
use crate::tool::Registry;
use crate::types::{IntentType, Object, OnError, PlanStep, StepId};

/// The steps of a plan, every one of them well-formed.
///
/// Besides the form of each member this checks tools and arguments against the registry, every placeholder against
/// the steps before it, dependencies for cycles, conditions and repetitions. No steps at all are right only for
/// [`Noop`](IntentType::Noop) and [`Informational`](IntentType::Informational). What needs the network or the
/// context is checked by [`check_nodes`](super::check_nodes) and [`check_context`](super::check_context).
///
/// # Errors
///
/// The first [`PlanFault`].
///
/// # Examples
///
/// ```
/// use ln_agent_core::IntentType;
/// use ln_agent_core::stage::planner::validate;
/// use ln_agent_core::tool::Registry;
///
/// let steps = serde_json::json!([{ "step_id": 1, "tool": "ln_teleport", "args": {} }]);
/// let fault = validate(&steps, &Registry::default(), IntentType::Freeform).unwrap_err();
/// assert_eq!(fault.to_string(), "step 1 calls the unknown tool `ln_teleport`: use a tool of the list, spelt exactly");
/// ```
pub fn validate(raw: &Value, tools: &Registry, kind: IntentType) -> Result<Vec<PlanStep>, PlanFault> {
    let list = raw.as_array().ok_or_else(|| PlanFault::NotAList(shown(raw)))?;
    if list.is_empty() && !matches!(kind, IntentType::Noop | IntentType::Informational) {
        return Err(PlanFault::Empty);
    }
    if list.len() > MAX_STEPS {
        return Err(PlanFault::TooManySteps(list.len(), MAX_STEPS));
    }
    let mut steps = Vec::with_capacity(list.len());
    let mut ids = BTreeSet::new();
    for (index, element) in list.iter().enumerate() {
        let step = step(index + 1, element)?;
        if !ids.insert(step.step_id) {
            return Err(PlanFault::DuplicateId(step.step_id));
        }
        steps.push(arguments::checked(step, tools)?);
    }
    for step in &steps {
        flow::check(step)?;
    }
    references::check(&steps)?;
    Ok(steps)
}

/// Most steps of a plan. Longer ones are loops unrolled by a model that went astray.
const MAX_STEPS: usize = 200;
/// Most extra attempts of a step.
const MAX_RETRIES: u64 = 5;
const MEMBERS: [&str; 9] = [
    "step_id",
    "tool",
    "args",
    "depends_on",
    "on_error",
    "max_retries",
    "expected_outcome",
    "when",
    "for_each",
];

fn step(at: usize, element: &Value) -> Result<PlanStep, PlanFault> {
    let members = element.as_object().ok_or(PlanFault::NotAnObject(at))?;
    if let Some(unknown) = members.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
        return Err(PlanFault::UnknownMember(at, unknown.clone(), MEMBERS.join(", ")));
    }
    let read = Members { at, members };
    Ok(PlanStep {
        step_id: read.required("step_id", "a whole number from 1", step_id)?,
        tool: read.required("tool", "the name of a tool", |v| v.as_str().map(str::to_owned))?,
        args: match members.get("args") {
            None => Object::new(),
            Some(_) => read.required("args", "an object", |v| v.as_object().cloned())?,
        },
        depends_on: read
            .optional("depends_on", "a list of step_ids", |v| v.as_array()?.iter().map(step_id).collect())?,
        on_error: read.optional("on_error", "abort, retry or skip", |v| {
            serde_json::from_value::<OnError>(v.clone()).ok()
        })?,
        max_retries: read.optional("max_retries", "a whole number from 0 to 5", |v| {
            v.as_u64().filter(|n| *n <= MAX_RETRIES).and_then(|n| u32::try_from(n).ok())
        })?,
        expected_outcome: read.optional("expected_outcome", "a text", |v| v.as_str().map(str::to_owned))?,
        when: read.optional("when", "a list of {left, op, right} with a known op", |v| {
            serde_json::from_value(v.clone()).ok()
        })?,
        for_each: read.optional("for_each", "an object {in, where, max}, max from 1", |v| {
            serde_json::from_value(v.clone()).ok().map(Some)
        })?,
    })
}

fn step_id(value: &Value) -> Option<StepId> {
    value.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n >= 1).map(StepId)
}

struct Members<'a> {
    at: usize,
    members: &'a Object,
}

impl Members<'_> {
    fn required<T>(
        &self,
        member: &'static str,
        expected: &'static str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<T, PlanFault> {
        let value = self.members.get(member).unwrap_or(&Value::Null);
        read(value).ok_or_else(|| PlanFault::Member { at: self.at, member, received: shown(value), expected })
    }

    /// Absent and null read as the default.
    fn optional<T: Default>(
        &self,
        member: &'static str,
        expected: &'static str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<T, PlanFault> {
        match self.members.get(member) {
            None | Some(Value::Null) => Ok(T::default()),
            Some(_) => self.required(member, expected, read),
        }
    }
}
