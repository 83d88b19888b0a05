//! Channels: open, close, connect, set fees.

use super::act::{Clauses, Said, Wish};
use super::filter::{EXCEPT, main_part, on_channels};
use super::link::{Refusal, ask};
use super::money::Money;
use super::node::Role;
use crate::offline::wish::{Clause, Task};

/// `open a 100000 sat channel from node 1 to node 2`.
pub(super) fn open(said: Said<'_>) -> Clauses {
    let (from, to) = match said.ends() {
        // `if node 1 has no channel with node 2, open one`.
        (None, None) if said.scene.condition_node().is_some() && said.found.pubkey.is_none() => {
            let pair = said.scene.last_pair.filter(|pair| Some(pair.0) == said.scene.condition_node());
            (pair.map(|pair| pair.0), pair.map(|pair| pair.1))
        }
        ends => ends,
    };
    let sat = match said.found.amount() {
        Ok(Some(Money::Msat(msat))) if msat % 1_000 == 0 => msat / 1_000,
        Ok(Some(Money::Msat(_))) => return ask("How large should the channel be, in whole sat?"),
        Ok(_) => return ask("How large should the channel be, in sat?"),
        Err(fault) => return ask(fault.question()),
    };
    if let Some(routes) = said.routes()? {
        let wish = |(from, to)| {
            Wish::of(Task::OpenChannel).set("from_node", from).set("to_node", to).set("amount_sat", sat).0
        };
        return Ok(routes.into_iter().map(wish).collect());
    }
    let Some(from) = from.or_else(|| said.implied(to)) else {
        return ask("From which node should the channel be opened, and to which?");
    };
    if let Some(key) = &said.found.pubkey {
        let wish = Wish::of(Task::OpenChannel)
            .set("from_node", from)
            .set("peer_id", key.clone())
            .set("amount_sat", sat);
        return hosted(wish, said).done();
    }
    let targets: Vec<u32> = match said.found.node(&[Role::To]) {
        Some(node) if node.numbers.len() > 1 => node.numbers.clone(),
        _ => to.into_iter().collect(),
    };
    if targets.is_empty() {
        return ask("To which node should the channel be opened?");
    }
    if targets.contains(&from) {
        return ask("A node has no channel with itself. From which node to which should it be opened?");
    }
    let wish = |to: u32| {
        Wish::of(Task::OpenChannel).set("from_node", from).set("to_node", to).set("amount_sat", sat).0
    };
    Ok(targets.into_iter().map(wish).collect())
}

fn hosted(wish: Wish, said: Said<'_>) -> Wish {
    match &said.found.host {
        Some((host, port)) => wish.set("host", host.clone()).set("port", port.unwrap_or(9_735)),
        None => wish,
    }
}

/// `connect node 1 to node 2`.
pub(super) fn connect(said: Said<'_>) -> Clauses {
    let (from, to) = said.ends();
    let Some(from) = from
        .or_else(|| said.role(&[Role::Object, Role::Of]).filter(|node| Some(*node) != to))
        .or_else(|| said.implied(to))
    else {
        return ask("Which node should connect, and to which?");
    };
    if let Some(key) = &said.found.pubkey {
        if said.found.host.is_none() {
            return ask("At which host and port is that node?");
        }
        return hosted(Wish::of(Task::Connect).set("from_node", from).set("peer_id", key.clone()), said)
            .done();
    }
    match to {
        Some(to) if to != from => Wish::of(Task::Connect).set("from_node", from).set("to_node", to).done(),
        _ => ask(format!("To which node should node {from} connect?")),
    }
}

/// `close the channel between node 1 and node 2`, `close all channels of node 2`.
pub(super) fn close(said: Said<'_>) -> Clauses {
    if !said.has(&["channel", "channels", "it", "that", "them", "every"]) && said.found.nodes.len() < 2 {
        return Err(Refusal::Unclear);
    }
    let main = super::entity::Entities::of(main_part(said.tokens), said.scene.own);
    let narrow = Said { found: &main, ..said };
    let plural = said.has(&["every", "channels", "them"]) || said.has(&["both"]) && said.has(&["channels"]);
    let (from, to) = sides(narrow);
    let force = said.has(&["force", "forcibly", "unilaterally", "unilateral"]).then_some(1);
    let finish = |clause: Clause| Wish(clause).set_some("unilateral_timeout", force).done();
    match (from, to) {
        (Some(from), Some(to)) if from == to && !plural => ask("Between which two nodes is the channel?"),
        (Some(from), Some(to)) if !plural => {
            finish(Wish::of(Task::CloseChannel).set("from_node", from).set("to_node", to).0)
        }
        (Some(from), to) => {
            let filter = on_channels(said.tokens, from, said.scene.own)?;
            let peer = to.filter(|to| *to != from);
            let kept = peer.filter(|_| said.has(EXCEPT));
            if kept.is_none() && said.has(EXCEPT) {
                return ask("Which channels should be kept: those with which node?");
            }
            let wish = Wish::of(Task::CloseChannel).set("from_node", from);
            let wish = wish.set_some(if kept.is_some() { "except_node" } else { "to_node" }, peer);
            // "The channel of node 1": exactly one, or nothing is closed.
            let wish = if plural { wish } else { wish.set("max", 1) };
            finish(Clause { every: true, filter, ..wish.0 })
        }
        _ => ask("Which channel should be closed: between which nodes?"),
    }
}

/// Whose channel, and with whom: named, made earlier in the prompt, or remembered.
fn sides(said: Said<'_>) -> (Option<u32>, Option<u32>) {
    let (from, to) = said.ends();
    if let ([first, second], None) = (&said.all_nodes()[..], to.filter(|_| from.is_some())) {
        // `the node 1 - node 2 channel`.
        return (Some(*first), Some(*second));
    }
    let owner = said.role(&[Role::From, Role::Of, Role::On, Role::Subject, Role::Between, Role::Object]);
    match (from, to) {
        (Some(from), Some(to)) => (Some(from), Some(to)),
        (None, None) => {
            let opened = said.scene.clauses.iter().rev().find(|clause| clause.task == Task::OpenChannel);
            if let (None, Some((from, to)), true) =
                (opened, said.scene.last_pair, said.has(&["it", "that", "channel"]))
            {
                return (Some(from), Some(to));
            }
            let source = opened.map_or(&said.scene.artefacts, |clause| &clause.args);
            let node = |key: &str| {
                source.get(key).and_then(serde_json::Value::as_u64).and_then(|n| u32::try_from(n).ok())
            };
            (node("from_node").or_else(|| said.pronoun()), node("to_node"))
        }
        _ => (owner.or(to), None),
    }
}

/// `set the fee of node 1's channel with node 2 to 200 ppm`.
pub(super) fn set_fee(said: Said<'_>) -> Clauses {
    if !said.has(&[
        "fee", "fees", "feerate", "feerates", "ppm", "base", "feebase", "feeppm", "htlcmin", "htlcmax",
    ]) {
        return if said.has(&["invoice"]) { super::act_money::bill(said) } else { Err(Refusal::Unclear) };
    }
    let node = said.role(&[Role::Subject, Role::Of, Role::On, Role::From, Role::Between, Role::Object]);
    let pair = said.found.nodes.iter().find(|n| n.numbers.len() == 2);
    let (node, peer) = match pair {
        Some(pair) => (Some(pair.numbers[0]), Some(pair.numbers[1])),
        None => (node, said.role(&[Role::With, Role::To]).filter(|peer| Some(*peer) != node)),
    };
    let Some(node) = node.or_else(|| said.pronoun()) else { return ask("Which node's fee should be set?") };
    let ppm = said
        .found
        .counted(&["ppm"])
        .or_else(|| said.found.numbered(said.tokens, &["ppm", "feeppm", "proportional"]));
    let base = match said.found.money.first() {
        Some((_, Money::Msat(msat))) => Some(*msat),
        Some((_, Money::Bad(fault))) => return ask(fault.question()),
        _ => said.found.numbered(said.tokens, &["feebase", "base"]).or_else(|| said.found.counted(&["base"])),
    };
    if ppm.is_none() && base.is_none() {
        return ask("To what should the fee be set: how many ppm, or which base fee in msat?");
    }
    let wish = Wish::of(Task::SetFee)
        .set("node", node)
        .set_some("to_node", peer)
        .set_some("feebase", base)
        .set_some("feeppm", ppm);
    let filter =
        if peer.is_none() { on_channels(main_part(said.tokens), node, said.scene.own)? } else { Vec::new() };
    Ok(vec![Clause { every: peer.is_none(), filter, ..wish.0 }])
}
