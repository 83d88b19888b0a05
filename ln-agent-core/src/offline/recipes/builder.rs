//! A plan in the making.

use serde_json::Value;

use super::guard;
use crate::offline::OfflineError;
use crate::offline::wish::Clause;
use crate::types::{Condition, ForEach, Object, OnError, Placeholder, PlaceholderRoot, PlanStep, StepId};

/// Steps so far, and what later clauses refer to.
#[derive(Debug, Default)]
pub(in crate::offline) struct Builder {
    steps: Vec<PlanStep>,
    /// Conditions of the clause that is being added.
    pub(super) when: Vec<Condition>,
    /// The last step that changed something, and the conditions it stands under.
    changed: Option<(StepId, Vec<Condition>)>,
    /// The step before, within the clause.
    last: Option<StepId>,
    /// Steps whose answers are what a clause made, by clause.
    products: Vec<Option<StepId>>,
    /// Reads of conditions that still hold what they read.
    pub(super) observed: Vec<(String, StepId)>,
}

impl Builder {
    /// Begins a clause: its conditions are read first.
    pub(super) fn begin(&mut self, clause: &Clause) -> Result<(), OfflineError> {
        self.last = None;
        self.when.clear();
        self.products.push(None);
        let when = guard::conditions(self, &clause.when)?;
        self.last = None;
        self.when = when;
        Ok(())
    }

    /// Ends it. What was read before an unconditional change may not hold any longer.
    pub(super) fn end(&mut self, clause: &Clause) {
        if clause.task.is_read() {
            return;
        }
        if clause.when.is_empty() {
            self.observed.clear();
        }
        if let Some(last) = self.last {
            self.changed = Some((last, self.when.clone()));
        }
    }

    /// Adds a step after the one before it in its clause, and after the last change.
    pub(super) fn add(&mut self, tool: &str, args: Object) -> StepId {
        self.push(tool, args, None)
    }

    /// Adds a step for each element of a list.
    pub(super) fn add_each(&mut self, tool: &str, args: Object, each: ForEach) -> StepId {
        self.push(tool, args, Some(each))
    }

    fn push(&mut self, tool: &str, args: Object, for_each: Option<ForEach>) -> StepId {
        let step_id = StepId(u32::try_from(self.steps.len() + 1).unwrap_or(u32::MAX));
        let mut step = PlanStep {
            step_id,
            tool: tool.to_owned(),
            args,
            depends_on: Vec::new(),
            on_error: OnError::Abort,
            max_retries: 0,
            expected_outcome: String::new(),
            when: self.when.clone(),
            for_each,
        };
        let mut needs = references(&step);
        needs.extend(self.last);
        // Steps under a condition may be skipped, and what depends on them with them: only steps under the
        // same condition do.
        if let Some((changed, when)) = &self.changed
            && (when.is_empty() || *when == self.when)
            && self.last.is_none()
        {
            needs.push(*changed);
        }
        needs.sort_unstable();
        needs.dedup();
        step.depends_on = needs;
        self.steps.push(step);
        self.last = Some(step_id);
        step_id
    }

    /// What was expected of the step just added.
    pub(super) fn tolerate(&mut self) {
        if let Some(step) = self.steps.last_mut() {
            step.on_error = OnError::Skip;
        }
    }

    /// The answer of this step is what the clause made.
    pub(super) fn produced(&mut self, step: StepId) {
        if let Some(product) = self.products.last_mut() {
            *product = Some(step);
        }
    }

    /// What the clause with this number made; clauses count from 1.
    pub(super) fn product(&self, clause: u64) -> Option<StepId> {
        let at = usize::try_from(clause).ok()?.checked_sub(1)?;
        self.products.get(at).copied().flatten()
    }

    pub(super) fn into_steps(self) -> Vec<PlanStep> {
        self.steps
    }
}

/// Steps whose answers the placeholders of a step read.
fn references(step: &PlanStep) -> Vec<StepId> {
    let mut texts: Vec<&str> = step.args.values().filter_map(Value::as_str).collect();
    let mut conditions: Vec<&Condition> = step.when.iter().collect();
    if let Some(each) = &step.for_each {
        texts.push(&each.list);
        conditions.extend(&each.filter);
    }
    texts.extend(conditions.iter().flat_map(|c| [c.left.as_str(), c.right.as_str()]).flatten());
    let root = |text: &str| Placeholder::parse(text).ok().flatten().map(|placeholder| placeholder.root);
    let step_of = |text| match root(text) {
        Some(PlaceholderRoot::Step(step)) => Some(step),
        _ => None,
    };
    texts.into_iter().filter_map(step_of).collect()
}

/// A placeholder into the payload of a step.
pub(super) fn payload(step: StepId, path: &str) -> String {
    let dot = if path.is_empty() { "" } else { "." };
    format!("$step{step}.result.payload{dot}{path}")
}

/// A member of the clause that its recipe cannot do without.
pub(super) fn need<'a>(clause: &'a Clause, name: &'static str) -> Result<&'a Value, OfflineError> {
    clause.args.get(name).ok_or_else(|| OfflineError::Incomplete { task: clause.task.name(), missing: name })
}

/// Arguments out of pairs.
pub(super) fn args<const N: usize>(pairs: [(&str, Value); N]) -> Object {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Adds the clause's members of these names, as far as it has them.
pub(super) fn also(mut args: Object, clause: &Clause, names: &[&str]) -> Object {
    for name in names {
        if let Some(value) = clause.args.get(*name) {
            args.insert((*name).to_owned(), value.clone());
        }
    }
    args
}
