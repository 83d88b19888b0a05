//! What the deterministic reading of a prompt asks for, step by step.

use serde_json::Value;

use super::amount;
use super::key::Key;
use super::lexicon::{SPENDS, beside, changes, passes_on};
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
            return self.beyond_all(&same, tool, args);
        }
        if tool == "ln_keysend" && self.pays_nodes {
            let pays: Vec<&PlanStep> = self.steps.iter().filter(|step| step.tool == "ln_pay").collect();
            let bills: Vec<&PlanStep> = self.steps.iter().filter(|step| step.tool == "ln_invoice").collect();
            let (money, nodes) = args.clone().into_iter().partition(|(name, _)| name.starts_with("amount"));
            return self.beyond_all(&pays, tool, &nodes).or_else(|| self.beyond_all(&bills, tool, &money));
        }
        if self.tools().any(|known| beside(known).contains(&tool)) {
            let elsewhere = |(name, value): (&String, &Value)| {
                Key::of(name) == Key::Node && whole(value).is_some_and(|node| !self.nodes.contains(&node))
            };
            return args.iter().any(elsewhere).then(|| "the request is about other nodes".to_owned());
        }
        Some("the request does not ask for it".to_owned())
    }

    /// Why these arguments are those of none of the steps.
    fn beyond_all(&self, steps: &[&PlanStep], tool: &str, args: &Object) -> Option<String> {
        let mut faults = steps.iter().map(|step| self.beyond(step, tool, args));
        let first = faults.next()??;
        if faults.any(|fault| fault.is_none()) { None } else { Some(first) }
    }

    /// Why these arguments are not those of this step.
    fn beyond(&self, step: &PlanStep, tool: &str, args: &Object) -> Option<String> {
        let (name, value) = args.iter().find(|(name, value)| !self.is_meant(step, tool, name, value))?;
        Some(format!("the request asks for another `{name}` than {value}"))
    }

    /// Whether this argument is the step's, as far as it says where money goes or what is touched.
    fn is_meant(&self, step: &PlanStep, tool: &str, name: &str, value: &Value) -> bool {
        if value.as_str().is_some_and(|text| text.starts_with('$')) {
            return true;
        }
        let known = step.args.get(name);
        match Key::of(name) {
            // Either end may close a channel or connect.
            Key::Node if matches!(tool, "ln_closechannel" | "ln_connect") => {
                whole(value).is_some_and(|node| self.nodes.contains(&node))
            }
            Key::Node => known.and_then(whole).is_some_and(|node| whole(value) == Some(node)),
            Key::Money(places) => {
                let msat = |value: &Value| amount::read(value, places);
                let raised = |other: u64| {
                    tool == "ln_openchannel"
                        && other < SMALLEST_CHANNEL
                        && msat(value) == Some(SMALLEST_CHANNEL)
                };
                known.is_some_and(|other| {
                    other == value
                        || msat(other).is_some() && msat(other) == msat(value)
                        || msat(other).is_some_and(raised)
                })
            }
            Key::Thing(_) => match (known.and_then(Value::as_str), value.as_str()) {
                (Some(meant), Some(text)) => meant.starts_with('$') || meant.eq_ignore_ascii_case(text),
                _ => true,
            },
            _ => true,
        }
    }

    /// Why the steps as a whole go beyond the reading: what was asked for is done once each.
    pub(super) fn overrun<'s>(&self, steps: &[&'s PlanStep]) -> Option<(&'s PlanStep, String)> {
        let mut asked: Vec<&PlanStep> = self.steps.iter().collect();
        for step in steps.iter().copied().filter(|step| self.counts(&step.tool)) {
            let Some(at) = asked.iter().position(|asked| self.stands_for(step, asked)) else {
                return Some((step, "the request does not ask for it that often".to_owned()));
            };
            // Elements of a list that was asked for may be closed one by one; paying is counted.
            if asked[at].for_each.is_none() || SPENDS.contains(&step.tool.as_str()) {
                asked.remove(at);
            }
        }
        let guarded = |step: &PlanStep| !step.when.is_empty() || step.for_each.is_some();
        let conditional = |tool: &str| {
            let mut same = self.steps.iter().filter(|step| step.tool == tool).peekable();
            same.peek().is_some() && same.all(guarded)
        };
        let bold = steps.iter().find(|step| conditional(&step.tool) && !guarded(step));
        bold.map(|step| (*step, "the request asks for it under a condition only".to_owned()))
    }
    /// Whether calls of this tool are counted: those that move money, and the others that the reading has itself,
    /// unless repeating them does no harm.
    fn counts(&self, tool: &str) -> bool {
        let harmless =
            beside("ln_openchannel").contains(&tool) || matches!(tool, "ln_fetchinvoice" | "http_fetch");
        let spends = SPENDS.contains(&tool) && !passes_on(tool);
        spends || !harmless && self.tools().any(|known| known == tool)
    }

    /// Whether this step does what that one of the reading does.
    fn stands_for(&self, step: &PlanStep, asked: &PlanStep) -> bool {
        let same = asked.tool == step.tool && self.beyond(asked, &step.tool, &step.args).is_none();
        let sent = step.tool == "ln_keysend" && asked.tool == "ln_pay" && self.pays_nodes;
        (same || sent) && (step.for_each.is_none() || asked.for_each.is_some())
    }
}
