//! Money: invoices, payments, offers, on-chain transfers.

use serde_json::Value;

use super::act::{Clauses, Said, Wish, read};
use super::filter::{EXCEPT, main_part, on_invoices};
use super::link::{Refusal, ask};
use super::money::Money;
use super::node::Role;
use crate::offline::wish::{Clause, Task};
use crate::types::Sat;

/// `create an invoice for 5000 msat on node 2`.
pub(super) fn bill(said: Said<'_>) -> Clauses {
    if said.has(&["bolt12", "offer"]) {
        return offer(said);
    }
    let roles = [Role::Subject, Role::On, Role::From, Role::Of, Role::Object, Role::With, Role::To];
    // `request 500 sats from node 1`: that node pays, and who makes the invoice is not said.
    let demands = said.found.verb.is_some_and(|(at, _)| said.tokens[at].is("request"))
        && !said.has(&["invoice", "invoices"]);
    if demands && said.role(&[Role::Subject, Role::On]).is_none() && said.role(&[Role::From]).is_some() {
        return ask("Which node should create the invoice?");
    }
    let msat = amount(said, "Over how much should the invoice be, in msat or sat?")?;
    let node = said.one(&roles, "Which node should create the invoice?")?;
    let copies = said.found.counted(&["invoices"]).filter(|_| said.has(&["invoices"])).unwrap_or(1);
    let stray = copies == 1 && said.has(&["invoices"]) && !said.found.numbers.is_empty();
    if stray || copies == 0 || copies > 16 || copies > 1 && said.found.label.is_some() {
        return ask(
            "How many invoices should be made, from 1 to 16? Each needs its own label, so please give none.",
        );
    }
    let wish = Wish::of(Task::CreateInvoice)
        .set("node", node)
        .set("amount_msat", msat)
        .set_some("label", said.found.label.clone())
        .set_some("description", said.found.description.clone());
    Ok((0..copies).map(|_| wish.0.clone()).collect())
}

/// Millisatoshis, or the question.
fn amount(said: Said<'_>, question: &str) -> Result<u64, Refusal> {
    match said.found.amount() {
        Ok(Some(Money::Msat(msat))) => Ok(msat),
        Ok(_) => ask(question),
        Err(fault) => ask(fault.question()),
    }
}

/// `pay it`, `pay lnbc…`, `pay node 2 5000 msat`, `pay all unpaid invoices of node 3`.
pub(super) fn pay(said: Said<'_>) -> Clauses {
    if let Some(offer) = said.found.offer.clone() {
        return pay_offer(said, offer);
    }
    if said.has(&["them"]) && said.found.money.is_empty() {
        return pay_every(said, false);
    }
    if said.has(&["every", "invoices"]) && said.has(&["invoices", "invoice", "unpaid"]) {
        return pay_every(said, false);
    }
    let from = payer(said);
    if let Some(invoice) = said.found.bolt11.clone() {
        let from = from
            .or_else(|| said.role(&[Role::Object, Role::Of, Role::To]))
            .map_or_else(|| ask("From which node should it be paid?"), Ok)?;
        return Wish::of(Task::Pay).set("from_node", from).set("bolt11", invoice).done();
    }
    let priced = !said.found.money.is_empty() || !said.found.numbers.is_empty();
    if !priced && said.has(&["it", "that", "this", "invoice", "them", "offer"])
        || !priced && from.is_some() && said.found.nodes.len() == 1
    {
        return pay_known(said, from);
    }
    new_payment(said, if said.has(&["keysend"]) { Task::Keysend } else { Task::Pay })
}

fn payer(said: Said<'_>) -> Option<u32> {
    said.role(&[Role::From, Role::Subject, Role::With, Role::On])
}

/// Who opened a channel to the payee earlier in the prompt: only that node has money in it.
fn opener(said: Said<'_>, payee: Option<u32>) -> Option<u32> {
    let number = |clause: &Clause, key: &str| clause.args.get(key).and_then(Value::as_u64).map(u32::try_from);
    let opened = |clause: &&Clause| clause.task == Task::OpenChannel;
    let mut channels = said.scene.clauses.iter().filter(opened);
    let channel = channels.next().filter(|_| channels.next().is_none())?;
    let (from, to) = (number(channel, "from_node")?.ok()?, number(channel, "to_node")?.ok()?);
    (payee == Some(to)).then_some(from)
}

/// An invoice made earlier in the prompt, or remembered, or the only unpaid one of a node.
fn pay_known(said: Said<'_>, from: Option<u32>) -> Clauses {
    let billed = said.scene.clauses.iter().rev().find(|clause| clause.task == Task::CreateInvoice);
    let payee =
        billed.and_then(|clause| clause.args.get("node")?.as_u64()).and_then(|n| u32::try_from(n).ok());
    let from = from.or_else(|| opener(said, payee));
    let from = from.map_or_else(|| ask("From which node should it be paid?"), Ok)?;
    let wish = Wish::of(Task::Pay).set("from_node", from);
    let made = said
        .scene
        .clauses
        .iter()
        .rposition(|clause| matches!(clause.task, Task::CreateInvoice | Task::FetchInvoice));
    if let Some(at) = made {
        return wish.set("invoice_of", at + 1).done();
    }
    if let Some(at) = said.scene.clauses.iter().rposition(|clause| clause.task == Task::CreateOffer) {
        return wish.set("offer_of", at + 1).done();
    }
    if said.found.nodes.iter().any(|node| {
        matches!(node.role, Role::Of | Role::Object | Role::On) && node.numbers.first() != Some(&from)
    }) {
        return pay_every(said, true);
    }
    // `if node 2 has an unpaid invoice, pay it`.
    if said.scene.condition_node().is_some_and(|owner| owner != from) && said.has(&["it", "that"]) {
        return pay_every(said, true);
    }
    let wants_offer = said.has(&["offer"]);
    let remembered = |name: &str| said.scene.artefacts.get(name);
    match (remembered("bolt11").or_else(|| remembered("bolt12")), remembered("offer")) {
        (Some(invoice), _) if !wants_offer => wish.set("bolt11", invoice.clone()).done(),
        (_, Some(offer)) => wish.set("offer", offer.clone()).done(),
        _ => ask("Which invoice do you mean? Please give me the invoice, or say which node made it."),
    }
}

/// Every unpaid invoice of a node, or the only one.
fn pay_every(said: Said<'_>, only_one: bool) -> Clauses {
    if said.has(EXCEPT) {
        return ask("Which invoices should be paid? I can choose them by amount or label, not by exception.");
    }
    let main = super::entity::Entities::of(main_part(said.tokens), said.scene.own);
    let narrow = Said { found: &main, ..said };
    let from = payer(narrow).map_or_else(|| ask("From which node should the invoices be paid?"), Ok)?;
    let owner = main
        .nodes
        .iter()
        .find(|n| n.role == Role::Of || n.role == Role::On || n.role == Role::Object)
        .and_then(|n| n.numbers.first().copied());
    let listed = || {
        let list = said.scene.clauses.iter().rev().find(|clause| clause.task == Task::InvoiceList);
        list.and_then(|clause| clause.args.get("node"))
            .and_then(Value::as_u64)
            .and_then(|node| u32::try_from(node).ok())
    };
    let owner = owner.or_else(|| said.scene.condition_node()).or_else(listed);
    let owner = owner.map_or_else(|| ask("Whose invoices should be paid?"), Ok)?;
    if owner == from {
        return ask("A node cannot pay its own invoices. From which node should they be paid?");
    }
    let filter = on_invoices(said.tokens, said.found.label.as_deref())?;
    let wish = Wish::of(Task::Pay).set("from_node", from).set("to_node", owner);
    let wish = if only_one { wish.set("max", 1) } else { wish };
    Ok(vec![Clause { every: true, filter, ..wish.0 }])
}

fn pay_offer(said: Said<'_>, offer: String) -> Clauses {
    let from = payer(said).map_or_else(|| ask("From which node should the offer be paid?"), Ok)?;
    let msat = match said.found.amount() {
        Ok(Some(Money::Msat(msat))) => Some(msat),
        Ok(_) => None,
        Err(fault) => return ask(fault.question()),
    };
    Wish::of(Task::Pay).set("from_node", from).set("offer", offer).set_some("amount_msat", msat).done()
}

/// `send 10000 msat from node 1 to node 2`.
fn new_payment(said: Said<'_>, task: Task) -> Clauses {
    let msat = amount(said, "How much should be paid, in msat or sat?")?;
    if let Some(routes) = said.routes()? {
        let wish =
            |(from, to)| Wish::of(task).set("from_node", from).set("amount_msat", msat).set("to_node", to).0;
        return Ok(routes.into_iter().map(wish).collect());
    }
    let (from, to) = said.ends();
    let from = from
        .or_else(|| said.implied(to))
        .or_else(|| opener(said, to))
        .map_or_else(|| ask("From which node should it be paid?"), Ok)?;
    let wish = Wish::of(task).set("from_node", from).set("amount_msat", msat);
    if let Some(key) = said.found.pubkey.clone().filter(|_| task == Task::Keysend) {
        return wish.set("destination", key).done();
    }
    match to {
        Some(to) if to == from => {
            ask("A node cannot pay itself. From which node to which should the money go?")
        }
        Some(to) => wish.set("to_node", to).set_some("description", said.found.description.clone()).done(),
        None => ask("To which node should it be paid?"),
    }
}

/// `node 2 receives 5000 msat from node 1`: the payment, seen from its other end.
pub(super) fn receive(said: Said<'_>) -> Clauses {
    let msat = amount(said, "How much should be paid, in msat or sat?")?;
    let payer = said.role(&[Role::From]);
    let payee = said
        .found
        .nodes
        .iter()
        .filter(|node| node.role != Role::From)
        .find_map(|node| node.numbers.first().copied());
    match (payer, payee) {
        (Some(from), Some(to)) if from != to => {
            Wish::of(Task::Pay).set("from_node", from).set("amount_msat", msat).set("to_node", to).done()
        }
        _ => ask("From which node to which should the money go?"),
    }
}

pub(super) fn keysend(said: Said<'_>) -> Clauses {
    new_payment(said, Task::Keysend)
}

/// `send …`: over Lightning between nodes, on the chain to addresses and out of the wallet.
pub(super) fn send(said: Said<'_>) -> Clauses {
    let onchain = said.has(&["onchain", "wallet"]);
    let from_node = said.role(&[Role::From, Role::Subject]);
    if said.has(&["keysend"]) {
        return keysend(said);
    }
    if said.has(&["liquidity"]) {
        return rebalance(said);
    }
    match (from_node, &said.found.address) {
        (Some(_), Some(_)) => withdraw(said),
        (None, Some(_)) => send_onchain(said),
        (Some(_), None) if onchain => withdraw(said),
        (None, None) if onchain => fund(said),
        _ => pay(said),
    }
}

fn send_onchain(said: Said<'_>) -> Clauses {
    let (btc, _) = bitcoin(said)?;
    Wish::of(Task::SendOnchain)
        .set_some("address", said.found.address.clone())
        .set("amount_btc", btc)
        .set_some("wallet", said.found.wallet.clone())
        .done()
}

/// The amount in bitcoins, as bitcoind wants it, and in satoshis.
fn bitcoin(said: Said<'_>) -> Result<(String, u64), Refusal> {
    let msat = amount(said, "How much should be sent, in sat or btc?")?;
    if msat % 1_000 != 0 {
        return ask("How much should be sent? On the chain the smallest amount is 1 sat.");
    }
    let text = Sat(msat / 1_000).to_btc_string();
    let text = text.trim_end_matches('0').trim_end_matches('.').to_owned();
    Ok((text, msat / 1_000))
}

/// `fund node 1 with 1 btc`: from the wallet.
pub(super) fn fund(said: Said<'_>) -> Clauses {
    if said.has(&["channel"]) {
        return super::act_channel::open(said);
    }
    let (btc, _) = bitcoin(said)?;
    if said.found.address.is_some() {
        return send_onchain(said);
    }
    let mut nodes: Vec<u32> = said.each_node();
    if nodes.is_empty() {
        nodes.push(said.one(&[], "Which node should be funded?")?);
    }
    let wish = |node| {
        Wish::of(Task::FundNode)
            .set("node", node)
            .set("amount_btc", btc.clone())
            .set_some("wallet", said.found.wallet.clone())
            .0
    };
    Ok(nodes.into_iter().map(wish).collect())
}

/// `withdraw 50000 sat from node 1 to bcrt1…`.
pub(super) fn withdraw(said: Said<'_>) -> Clauses {
    let from = said.one(
        &[Role::From, Role::Subject, Role::Of, Role::On, Role::Object],
        "From which node should be withdrawn?",
    )?;
    let everything = said.has(&["every", "entire", "whole", "max", "maximum"]) && said.found.money.is_empty();
    let wish = Wish::of(Task::Withdraw).set("from_node", from);
    let wish =
        if everything { wish.set("amount_sat", "all") } else { wish.set("amount_sat", bitcoin(said)?.1) };
    match (&said.found.address, said.role(&[Role::To])) {
        (Some(address), _) => wish.set("destination", address.clone()).done(),
        (None, Some(to)) if to != from => wish.set("to_node", to).done(),
        (None, _) if said.has(&["wallet"]) => {
            wish.set("wallet", said.found.wallet.clone().unwrap_or_else(|| "shared-wallet".to_owned())).done()
        }
        _ => match said.scene.artefacts.get("address").filter(|_| said.has(&["that", "it", "address"])) {
            Some(address) => wish.set("destination", address.clone()).done(),
            None => ask("Where should it go: to which address, node or wallet?"),
        },
    }
}

/// `create an offer for 1000 msat on node 1`, `… for any amount`.
pub(super) fn offer(said: Said<'_>) -> Clauses {
    let any = said.has(&["every", "open", "variable", "arbitrary"]) && said.found.money.is_empty();
    let msat = if any {
        Value::from("any")
    } else {
        amount(said, "For how much should the offer be: an amount in msat, or any amount?")?.into()
    };
    let roles = [Role::Subject, Role::On, Role::From, Role::Of, Role::Object, Role::With, Role::To];
    let node = said.one(&roles, "Which node should make the offer?")?;
    Wish::of(Task::CreateOffer)
        .set("node", node)
        .set("amount_msat", msat)
        .set_some("description", said.found.description.clone())
        .done()
}

/// `fetch an invoice for lno1… with node 1`, or a page.
pub(super) fn fetch(said: Said<'_>) -> Clauses {
    if said.found.url.is_some() {
        return read(Task::FetchUrl, &[], false, said.tokens, said.tokens, said.found, said.scene);
    }
    let made = said.scene.clauses.iter().rposition(|clause| clause.task == Task::CreateOffer);
    let offer =
        said.found.offer.clone().map(Value::from).or_else(|| said.scene.artefacts.get("offer").cloned());
    if !said.has(&["invoice", "offer"]) && said.found.offer.is_none() {
        let topic = super::read::topic(said.tokens, said.found).ok_or(Refusal::Unclear)?;
        return read(topic, &said.all_nodes(), false, said.tokens, said.tokens, said.found, said.scene);
    }
    let node = said.one(
        &[Role::With, Role::From, Role::On, Role::Subject, Role::Of, Role::Object],
        "With which node should the invoice be fetched?",
    )?;
    let msat = match said.found.amount() {
        Ok(Some(Money::Msat(msat))) => Some(msat),
        Ok(_) => None,
        Err(fault) => return ask(fault.question()),
    };
    let wish = Wish::of(Task::FetchInvoice).set("node", node).set_some("amount_msat", msat);
    match (made, offer) {
        (Some(at), _) if said.found.offer.is_none() => wish.set("offer_of", at + 1).done(),
        (_, Some(offer)) => wish.set("offer", offer).done(),
        _ => ask("For which offer should the invoice be fetched?"),
    }
}

/// Liquidity is moved by paying: how much, from where, to where must be said.
pub(super) fn rebalance(said: Said<'_>) -> Clauses {
    let (from, to) = said.ends();
    match (from, to, said.found.money.first()) {
        (Some(from), Some(to), Some((_, Money::Msat(msat)))) if from != to => Wish::of(Task::Pay)
            .set("from_node", from)
            .set("to_node", to)
            .set("amount_msat", *msat)
            .set("rebalance", true)
            .done(),
        _ => ask("I move liquidity by paying from one node to another: how much, from which node to which?"),
    }
}
