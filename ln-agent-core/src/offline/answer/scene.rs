//! What a whole run tells about its parts: which node an id belongs to, whose invoice is paid, what was asked for.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::reading::{plain, text};
use crate::types::{IntentBlock, StepResult};

/// A run, as its sentences need it.
#[derive(Default)]
pub(super) struct Scene {
    /// Public key to node.
    nodes: BTreeMap<String, String>,
    /// Invoice to the node that made it.
    invoices: BTreeMap<String, String>,
    /// Deposit address to the node that made it.
    addresses: BTreeMap<String, String>,
    /// Nodes that were stopped and started.
    restarted: BTreeSet<String>,
    /// Prompt and goal, in lower case.
    wish: String,
    /// Something failed or is unknown.
    pub(super) troubled: bool,
}

impl Scene {
    pub(super) fn of(intent: &IntentBlock, results: &[StepResult]) -> Self {
        let mut scene = Self {
            wish: format!("{}\n{}", intent.raw_prompt, intent.goal).to_lowercase(),
            troubled: results.iter().any(is_trouble),
            ..Self::default()
        };
        let mut stopped = BTreeSet::new();
        for step in results.iter().filter(|step| step.ok) {
            let Some(node) = step.args.get("node").map(plain) else { continue };
            let payload = step.payload();
            match step.tool.as_str() {
                "ln_getinfo" => scene.nodes.extend(text(payload, "id").map(|id| (id, node))),
                "ln_newaddr" => scene.addresses.extend(text(payload, "address").map(|made| (made, node))),
                "ln_invoice" => scene.invoices.extend(text(payload, "bolt11").map(|made| (made, node))),
                "ln_listinvoices" => {
                    let made = elements(payload, "invoices").iter().filter_map(|one| text(one, "bolt11"));
                    scene.invoices.extend(made.map(|made| (made, node.clone())));
                }
                "ln_node_stop" => {
                    stopped.insert(node);
                }
                "ln_node_start" if stopped.contains(&node) => {
                    scene.restarted.insert(node);
                }
                _ => {}
            }
        }
        scene
    }

    /// Whether prompt or goal holds one of these phrases.
    pub(super) fn asks(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.wish.contains(phrase))
    }

    /// `node 2` where the run tells so, otherwise the beginning of the key.
    pub(super) fn peer(&self, id: &str) -> String {
        match self.nodes.get(id) {
            Some(node) => format!("node {node}"),
            None => short(id),
        }
    }

    /// `node 2` where it made the address, otherwise the address.
    pub(super) fn place(&self, address: &str) -> String {
        self.addresses.get(address).map_or_else(|| address.to_owned(), |node| format!("node {node}"))
    }

    /// The node that made an invoice.
    pub(super) fn payee(&self, invoice: &str) -> Option<String> {
        self.invoices.get(invoice).map(|node| format!("node {node}"))
    }

    /// Whether a node was stopped and started again.
    pub(super) fn restarted(&self, node: &str) -> bool {
        self.restarted.contains(node)
    }
}

/// Failed, and not waived; or not known.
pub(super) fn is_trouble(step: &StepResult) -> bool {
    step.unknown || (!step.ok && !step.skipped && step.not_needed.is_none())
}

/// A hash or key by its beginning; everything shorter, such as a short channel id, as it is.
pub(super) fn short(id: &str) -> String {
    const LONG: usize = 40;
    const KEPT: usize = 12;
    if id.len() < LONG || !id.is_ascii() {
        return id.to_owned();
    }
    format!("{}…", &id[..KEPT])
}

/// The members of a value, or the value where it is the list itself.
fn elements<'v>(payload: &'v Value, name: &str) -> &'v [Value] {
    payload.get(name).unwrap_or(payload).as_array().map_or(&[], Vec::as_slice)
}
