//! What the deterministic reading of a prompt asks for, step by step.

use serde_json::Value;

use super::amount;
use super::key::Key;
use super::lexicon::{SPENDS, beside, changes};
use super::stands::whole;
use crate::types::{Object, PlanStep};

/// The changing steps of a reading.
#[derive(Clone, Debug, Default)]
pub(super) struct Permit {
    steps: Vec<PlanStep>,
    /// Every node that the reading's plan touches.
    nodes: Vec<u64>,
    /// A payment of a stated amount to a node, which may also be sent without an invoice.
    pays_nodes: bool,
}

/// The smallest channel there is, in msat.
const SMALLEST_CHANNEL: u64 = 100_000_000;

impl Permit {
    pub(super) fn new(plan: &[PlanStep], pays_nodes: bool) -> Self {
        let node = |step: &PlanStep| -> Vec<u64> {
            let nodes = step.args.iter().filter(|(name, _)| Key::of(name) == Key::Node);
            nodes.filter_map(|(_, value)| whole(value)).collect()
        };
        Self {
            nodes: plan.iter().flat_map(node).collect(),
            steps: plan.iter().filter(|step| changes(&step.tool)).cloned().collect(),
            pays_nodes,
        }
    }

    pub(super) fn tools(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map(|step| step.tool.as_str())
    }

    /// Why this call goes beyond the reading.
    pub(super) fn refusal(&self, tool: &str, args: &Object) -> Option<String> {
        let same: Vec<&PlanStep> = self.steps.iter().filter(|step| step.tool == tool).collect();
        if !same.is_empty() {
            return args.iter().find_map(|(name, value)| self.beyond(&same, tool, name, value));
        }
        if tool == "ln_keysend" && self.pays_nodes {
            let paid: Vec<&PlanStep> = self
                .steps
                .iter()
                .filter(|step| matches!(step.tool.as_str(), "ln_pay" | "ln_invoice"))
                .collect();
            return args.iter().find_map(|(name, value)| self.beyond(&paid, tool, name, value));
        }
        if self.tools().any(|known| beside(known).contains(&tool)) {
            let elsewhere = |(name, value): (&String, &Value)| {
                Key::of(name) == Key::Node && whole(value).is_some_and(|node| !self.nodes.contains(&node))
            };
            return args.iter().any(elsewhere).then(|| "the request is about other nodes".to_owned());
        }
        Some("the request does not ask for it".to_owned())
    }

    /// Why this argument is none of those that the reading gives the tool.
    fn beyond(&self, same: &[&PlanStep], tool: &str, name: &str, value: &Value) -> Option<String> {
        if value.as_str().is_some_and(|text| text.starts_with('$')) {
            return None;
        }
        let known = || same.iter().filter_map(|step| step.args.get(name));
        let meant = match Key::of(name) {
            // Either end may close a channel or connect.
            Key::Node if matches!(tool, "ln_closechannel" | "ln_connect") => {
                whole(value).is_some_and(|node| self.nodes.contains(&node))
            }
            Key::Node => known().any(|other| whole(other).is_some() && whole(other) == whole(value)),
            Key::Money(places) => {
                let msat = |value: &Value| amount::read(value, places);
                let raised = |other: u64| {
                    tool == "ln_openchannel"
                        && other < SMALLEST_CHANNEL
                        && msat(value) == Some(SMALLEST_CHANNEL)
                };
                known().any(|other| {
                    other == value
                        || msat(other).is_some() && msat(other) == msat(value)
                        || msat(other).is_some_and(raised)
                })
            }
            Key::Thing(_) => {
                let literal = |other: &&Value| other.as_str().is_some_and(|text| !text.starts_with('$'));
                !known().any(|other| literal(&other))
                    || known().any(|other| match (other.as_str(), value.as_str()) {
                        (Some(a), Some(b)) => a.eq_ignore_ascii_case(b),
                        _ => false,
                    })
            }
            _ => true,
        };
        (!meant).then(|| format!("the request asks for another `{name}` than {value}"))
    }

    /// Why the steps as a whole go beyond the reading.
    pub(super) fn overrun<'s>(&self, steps: &[&'s PlanStep]) -> Option<(&'s PlanStep, String)> {
        let spends = |step: &&PlanStep| SPENDS.contains(&step.tool.as_str());
        let paid: Vec<&PlanStep> = steps.iter().copied().filter(spends).collect();
        let meant: Vec<&PlanStep> = self.steps.iter().filter(spends).collect();
        let repeats = meant.iter().any(|step| step.for_each.is_some());
        if let Some(step) = paid.iter().find(|step| step.for_each.is_some() && !repeats) {
            return Some((step, "the request does not ask for it more than once".to_owned()));
        }
        if let Some(step) = paid.get(meant.len()) {
            return Some((step, format!("the request asks for {} payments, not for more", meant.len())));
        }
        let guarded = |step: &PlanStep| !step.when.is_empty() || step.for_each.is_some();
        let conditional = |tool: &str| {
            let mut same = self.steps.iter().filter(|step| step.tool == tool).peekable();
            same.peek().is_some() && same.all(guarded)
        };
        let bold = steps.iter().find(|step| conditional(&step.tool) && !guarded(step));
        bold.map(|step| (*step, "the request asks for it under a condition only".to_owned()))
    }
}
