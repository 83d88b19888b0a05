//! Conditions of clauses: what is read for them, and how it is compared.

use serde_json::json;

use super::builder::{Builder, args, payload};
use crate::offline::OfflineError;
use crate::offline::wish::Test;
use crate::types::{Condition, ForEach, Object, Op, StepId};

/// Reads what the tests look at, and says how it must compare.
pub(super) fn conditions(plan: &mut Builder, tests: &[Test]) -> Result<Vec<Condition>, OfflineError> {
    tests.iter().map(|test| condition(plan, test)).collect()
}

fn condition(plan: &mut Builder, test: &Test) -> Result<Condition, OfflineError> {
    if let (Some(status), Some(node)) = (test.of.strip_suffix("_invoice_count"), test.node) {
        let step = with_status(plan, node, status);
        return Ok(Condition {
            left: json!(payload(step, "#")),
            op: test.op.op(),
            right: test.value.clone(),
        });
    }
    let (tool, path) = FACTS
        .iter()
        .find(|(of, ..)| *of == test.of)
        .map(|(_, tool, path)| (*tool, *path))
        .ok_or_else(|| OfflineError::UnknownFact(test.of.clone()))?;
    let mut call = Object::new();
    if let Some(node) = test.node {
        call.insert("node".to_owned(), json!(node));
    }
    let step = observe(plan, tool, call);
    let left = match (test.peer, test.node) {
        (Some(peer), Some(node)) => payload(shared_with(plan, step, &test.of, node, peer), "#"),
        _ => payload(step, path),
    };
    Ok(Condition { left: json!(left), op: test.op.op(), right: test.value.clone() })
}

/// Reads a fact, once.
pub(super) fn observe(plan: &mut Builder, tool: &str, call: Object) -> StepId {
    let key = format!("{tool} {}", json!(call));
    if let Some((_, step)) = plan.observed.iter().find(|(seen, _)| *seen == key) {
        return *step;
    }
    let step = plan.add(tool, call);
    plan.observed.push((key, step));
    step
}

/// One status read per element shared with the peer: the length of its answer counts them.
fn shared_with(plan: &mut Builder, list: StepId, of: &str, node: u32, peer: u32) -> StepId {
    let seen = format!("{of} of {node} with {peer}");
    if let Some((_, step)) = plan.observed.iter().find(|(key, _)| *key == seen) {
        return *step;
    }
    let (name, key) = if of == "peer_count" { ("peers", "$item.id") } else { ("channels", "$item.peer_id") };
    let identity = observe(plan, "ln_getinfo", args([("node", json!(peer))]));
    let same = Condition { left: json!(key), op: Op::Equal, right: json!(payload(identity, "id")) };
    let each = ForEach { list: payload(list, name), filter: vec![same], max: 100 };
    let step = plan.add_each("ln_node_status", args([("node", json!(node))]), each);
    plan.observed.push((seen, step));
    step
}

/// The same for invoices of this status.
fn with_status(plan: &mut Builder, node: u32, status: &str) -> StepId {
    let seen = format!("{status} invoices of {node}");
    if let Some((_, step)) = plan.observed.iter().find(|(key, _)| *key == seen) {
        return *step;
    }
    let list = observe(plan, "ln_listinvoices", args([("node", json!(node))]));
    let same = Condition { left: json!("$item.status"), op: Op::Equal, right: json!(status) };
    let each = ForEach { list: payload(list, "invoices"), filter: vec![same], max: 1_000 };
    let step = plan.add_each("ln_node_status", args([("node", json!(node))]), each);
    plan.observed.push((seen, step));
    step
}

/// Fact, the tool that reads it, and where it stands in the answer.
const FACTS: [(&str, &str, &str); 11] = [
    ("channel_count", "ln_listchannels", "channels.#"),
    ("peer_count", "ln_listpeers", "peers.#"),
    ("invoice_count", "ln_listinvoices", "invoices.#"),
    ("offer_count", "ln_listoffers", "offers.#"),
    ("payment_count", "ln_listpays", "pays.#"),
    ("forward_count", "ln_listforwards", "forwards.#"),
    ("wallet_balance", "btc_getbalance", ""),
    ("block_height", "btc_getblockchaininfo", "blocks"),
    ("mempool_size", "btc_getmempoolinfo", "size"),
    ("node_running", "ln_node_status", "running"),
    ("network_health", "network_health", "status"),
];
