//! What is known while a plan runs.

use std::collections::{BTreeMap, BTreeSet};

use super::oscillation::Oscillation;
use crate::tool::ToolErrorKind;
use crate::types::{StepId, StepResult, Verification};

/// Results so far, and what must be remembered between steps.
#[derive(Default)]
pub(super) struct State {
    pub(super) results: BTreeMap<StepId, StepResult>,
    /// Steps in the order in which they are listed.
    pub(super) listed: Vec<StepId>,
    pub(super) verification: Vec<Verification>,
    pub(super) oscillation: Oscillation,
    /// How many nodes there are; creating one raises it.
    pub(super) node_count: u32,
    /// Steps that were not needed; what waits for them is not needed either.
    pub(super) not_needed: BTreeSet<StepId>,
}

/// A finished step with what follows from it.
pub(super) struct Finished {
    pub(super) result: StepResult,
    /// Ends the plan.
    pub(super) stop: Option<Stop>,
    pub(super) verification: Vec<Verification>,
    /// Something changed.
    pub(super) changed: bool,
}

/// Why the plan ends here.
#[derive(Clone, Debug)]
pub(super) struct Stop {
    pub(super) error: String,
    pub(super) kind: Option<ToolErrorKind>,
}

impl State {
    /// Lists a result.
    pub(super) fn keep(&mut self, finished: Finished) -> Option<Stop> {
        let id = finished.result.step_id;
        if finished.result.not_needed.is_some() {
            self.not_needed.insert(id);
        }
        if finished.changed {
            self.oscillation.reset();
            self.node_count = self.node_count.max(created_node(&finished.result));
        }
        self.listed.push(id);
        self.results.insert(id, finished.result);
        self.verification.extend(finished.verification);
        finished.stop
    }

    /// The results in the order of execution.
    pub(super) fn into_results(mut self) -> (Vec<StepResult>, Vec<Verification>) {
        let results = self.listed.iter().filter_map(|id| self.results.remove(id)).collect();
        (results, self.verification)
    }
}

/// The node that a step created, else 0.
fn created_node(result: &StepResult) -> u32 {
    let created = result.tool == "ln_node_create";
    let calls = result.iterations.iter().filter(|call| call.ok).map(|call| &call.args).chain([&result.args]);
    let nodes =
        calls.filter_map(|args| args.get("node")?.as_u64()).filter_map(|node| u32::try_from(node).ok());
    if created { nodes.max().unwrap_or(0) } else { 0 }
}
