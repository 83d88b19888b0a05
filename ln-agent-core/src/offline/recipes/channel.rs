//! Connect, open, close, set fees.

use serde_json::{Value, json};

use super::builder::{Builder, also, args, need, payload};
use super::chain::mine_blocks;
use crate::offline::OfflineError;
use crate::offline::wish::{Clause, Test};
use crate::types::{Condition, ForEach, Op};

/// Blocks after which a channel is usable for certain.
const CONFIRMATIONS: u32 = 6;
/// Most elements a plural may have.
const MANY: u32 = 100;

/// The peer's key, and where it listens when it is one of ours.
struct Peer {
    id: Value,
    place: Option<(Value, Value)>,
}

fn peer(plan: &mut Builder, clause: &Clause) -> Result<Peer, OfflineError> {
    if let Some(id) = clause.args.get("peer_id") {
        let place = clause
            .args
            .get("host")
            .map(|host| (host.clone(), clause.args.get("port").cloned().unwrap_or(json!(9_735))));
        return Ok(Peer { id: id.clone(), place });
    }
    let info = plan.add("ln_getinfo", args([("node", need(clause, "to_node")?.clone())]));
    let at = |path| json!(payload(info, path));
    Ok(Peer { id: at("id"), place: Some((at("binding.0.address"), at("binding.0.port"))) })
}

/// Connects to the peer and answers its key.
pub(super) fn connect(plan: &mut Builder, clause: &Clause) -> Result<Value, OfflineError> {
    let from = need(clause, "from_node")?.clone();
    let Peer { id, place } = peer(plan, clause)?;
    if let Some((host, port)) = place {
        plan.add(
            "ln_connect",
            args([("from_node", from), ("peer_id", id.clone()), ("host", host), ("port", port)]),
        );
    }
    Ok(id)
}

pub(super) fn open(plan: &mut Builder, clause: &Clause) -> Result<(), OfflineError> {
    let id = connect(plan, clause)?;
    let from = need(clause, "from_node")?.clone();
    let amount = need(clause, "amount_sat")?.clone();
    let opened =
        plan.add("ln_openchannel", args([("from_node", from), ("peer_id", id), ("amount_sat", amount)]));
    plan.produced(opened);
    mine_blocks(plan, CONFIRMATIONS.into(), None);
    Ok(())
}

pub(super) fn close(plan: &mut Builder, clause: &Clause) -> Result<(), OfflineError> {
    let from = need(clause, "from_node")?.clone();
    let id = peer(plan, clause)?.id;
    let call = also(args([("from_node", from), ("peer_id", id)]), clause, &["unilateral_timeout"]);
    plan.add("ln_closechannel", call);
    mine_blocks(plan, 1, None);
    Ok(())
}

/// Every usable channel that passes the filter.
pub(super) fn close_every(plan: &mut Builder, clause: &Clause) -> Result<(), OfflineError> {
    let from = need(clause, "from_node")?.clone();
    let each = channels(plan, clause, "from_node")?;
    let call = also(
        args([("from_node", from), ("peer_id", json!("$item.peer_id"))]),
        clause,
        &["unilateral_timeout"],
    );
    plan.add_each("ln_closechannel", call, each);
    mine_blocks(plan, 1, None);
    Ok(())
}

pub(super) fn set_fee(plan: &mut Builder, clause: &Clause) -> Result<(), OfflineError> {
    let node = need(clause, "node")?.clone();
    let fees = ["feebase", "feeppm"];
    if clause.every {
        let each = channels(plan, clause, "node")?;
        plan.add_each(
            "ln_setchannel",
            also(args([("node", node), ("peer_id", json!("$item.peer_id"))]), clause, &fees),
            each,
        );
    } else {
        let id = peer(plan, clause)?.id;
        plan.add("ln_setchannel", also(args([("node", node), ("peer_id", id)]), clause, &fees));
    }
    Ok(())
}

fn channels(plan: &mut Builder, clause: &Clause, owner: &'static str) -> Result<ForEach, OfflineError> {
    let node = need(clause, owner)?.clone();
    let mut filter =
        vec![Condition { left: json!("$item.state"), op: Op::Equal, right: json!("CHANNELD_NORMAL") }];
    if clause.args.contains_key("to_node") {
        let id = peer(plan, clause)?.id;
        filter.push(Condition { left: json!("$item.peer_id"), op: Op::Equal, right: id });
    }
    if let Some(kept) = clause.args.get("except_node") {
        let info = plan.add("ln_getinfo", args([("node", kept.clone())]));
        filter.push(Condition {
            left: json!("$item.peer_id"),
            op: Op::NotEqual,
            right: json!(payload(info, "id")),
        });
    }
    let list = plan.add("ln_listchannels", args([("node", node)]));
    filter.extend(clause.filter.iter().map(on_item));
    Ok(ForEach { list: payload(list, "channels"), filter, max: most(clause) })
}

/// A filter's test as a condition on the element.
pub(super) fn on_item(test: &Test) -> Condition {
    Condition { left: json!(format!("$item.{}", test.of)), op: test.op.op(), right: test.value.clone() }
}

/// How many elements may pass.
pub(super) fn most(clause: &Clause) -> u32 {
    let said = clause.args.get("max").and_then(Value::as_u64).and_then(|max| u32::try_from(max).ok());
    said.unwrap_or(MANY)
}
