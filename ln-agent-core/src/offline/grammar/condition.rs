//! Conditions: `node 1 has fewer than five channels`.

use serde_json::{Value, json};

use super::entity::{Entities, has};
use super::link::{Refusal, Scene, ask};
use super::money::Money;
use crate::offline::text::Token;
use crate::offline::wish::{Comparison, Task, Test};

/// The comparisons that the words of a condition make; all must hold.
pub(super) fn tests(tokens: &[Token], negated: bool, scene: &Scene) -> Result<Vec<Test>, Refusal> {
    let done =
        has(tokens, &["succeed", "works", "done", "goes", "went", "ok", "confirmed", "finished", "ready"])
            && has(tokens, &["it", "that", "this", "payment", "everything"]);
    if done && !negated && !scene.clauses.is_empty() {
        // A plan stops at a step that fails, so what follows stands under this condition anyway.
        return Ok(Vec::new());
    }
    let mut tests = Vec::new();
    for part in parts(tokens) {
        let mut test = test(part, scene)?;
        if negated {
            test.op = test.op.negated();
        }
        tests.push(test);
    }
    if tests.is_empty() {
        return ask("Under which condition should I do it?");
    }
    if tests.len() > 1 && negated || has(tokens, &["or"]) {
        return ask("Should all of these conditions hold, or one of them? I can only check that all hold.");
    }
    Ok(tests)
}

/// Cut at `and`, where both sides say something.
fn parts(tokens: &[Token]) -> Vec<&[Token]> {
    let says = |part: &[Token]| has(part, &["has", "have", "is", "are", "holds", "does", "was"]);
    let parts: Vec<&[Token]> = tokens.split(|token| token.is("and")).collect();
    if parts.len() > 1 && parts.iter().all(|part| says(part)) { parts } else { vec![tokens] }
}

fn test(tokens: &[Token], scene: &Scene) -> Result<Test, Refusal> {
    let mut found = Entities::of(tokens, scene.own);
    found.verb = None;
    let numbers: Vec<u32> = found.nodes.iter().flat_map(|node| node.numbers.clone()).collect();
    if let Some(missing) = numbers.iter().find(|n| **n == 0 || **n > scene.node_count) {
        return ask(format!("Which node do you mean in the condition? There is no node {missing}."));
    }
    let (of, inherited) = fact(tokens, &found, scene)?;
    let node = numbers.first().copied().or(inherited).or_else(|| scene.meant_node());
    let peer = numbers.get(1).copied();
    let about_node =
        !matches!(of, "wallet_balance" | "block_height" | "mempool_size" | "network_health" | "fee_estimate");
    if about_node && node.is_none() {
        return ask("Which node is the condition about?");
    }
    let (op, value) = comparison(tokens, &found, of)?;
    Ok(Test {
        of: of.to_owned(),
        node: node.filter(|_| about_node),
        peer: peer.filter(|_| about_node),
        op,
        value,
    })
}

/// What is looked at, and whose it is when an earlier question says so.
fn fact(tokens: &[Token], found: &Entities, scene: &Scene) -> Result<(&'static str, Option<u32>), Refusal> {
    let is = |words: &[&str]| has(tokens, words);
    if found.nodes.len() > 1 && is(&["connected", "peer", "peers"]) || is(&["connected"]) {
        return Ok(("peer_count", None));
    }
    if is(&["running", "down", "up", "reachable", "stop", "started"])
        && !is(&["channel", "channels", "network"])
    {
        return Ok(("node_running", None));
    }
    match super::read::topic(tokens, found) {
        Some(Task::InvoiceList) if is(&["unpaid", "open", "pending"]) => Ok(("unpaid_invoice_count", None)),
        Some(Task::InvoiceList) if is(&["paid"]) => Ok(("paid_invoice_count", None)),
        Some(task) => counted(task).map(|of| (of, None)),
        None => {
            let earlier = scene.clauses.iter().rev().find(|clause| clause.task.is_read());
            let Some(clause) = earlier else {
                return ask("What should the condition look at? I did not understand it.");
            };
            let node = clause.args.get("node").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
            counted(clause.task).map(|of| (of, node))
        }
    }
}

fn counted(task: Task) -> Result<&'static str, Refusal> {
    Ok(match task {
        Task::ChannelCount => "channel_count",
        Task::PeerList => "peer_count",
        Task::InvoiceList => "invoice_count",
        Task::OfferList => "offer_count",
        Task::PaymentList => "payment_count",
        Task::ForwardList => "forward_count",
        Task::WalletBalance => "wallet_balance",
        Task::BlockHeight => "block_height",
        Task::MempoolInfo => "mempool_size",
        Task::NetworkHealth => "network_health",
        Task::NodeStatus => "node_running",
        _ => {
            return ask(
                "I cannot check that condition: I can compare counts, the wallet's balance, the block height, the mempool and whether a node runs.",
            );
        }
    })
}

fn comparison(tokens: &[Token], found: &Entities, of: &str) -> Result<(Comparison, Value), Refusal> {
    let negative = has(tokens, &["no", "not", "without", "never", "none", "empty", "zero"]);
    match of {
        "node_running" => return Ok((Comparison::Eq, json!(has(tokens, &["down", "stop"]) == negative))),
        "network_health" => {
            let bad = has(tokens, &["degraded", "down", "bad"]);
            return Ok((if bad == negative { Comparison::Eq } else { Comparison::Ne }, json!("ok")));
        }
        _ => {}
    }
    let op = operator(tokens);
    if of == "wallet_balance" {
        return match found.money.first() {
            Some((_, Money::Msat(msat))) => Ok((op.unwrap_or(Comparison::Ge), bitcoin(*msat))),
            Some((_, Money::Bad(fault))) => ask(fault.question()),
            _ => ask("With how much should I compare the balance, in sat or btc?"),
        };
    }
    let number = found.numbers.first().and_then(|(_, number, _)| number.to_u64());
    match (number, op) {
        (Some(number), op) => {
            let op = op.unwrap_or(Comparison::Eq);
            Ok((if negative { op.negated() } else { op }, json!(number)))
        }
        (None, None) if negative => Ok((Comparison::Eq, json!(0))),
        (None, None) => Ok((Comparison::Ge, json!(1))),
        (None, Some(_)) => ask("With which number should the condition compare?"),
    }
}

/// The first comparison word.
pub(super) fn operator(tokens: &[Token]) -> Option<Comparison> {
    tokens.iter().find_map(comparator)
}

/// The comparison that a word makes.
pub(super) fn comparator(token: &Token) -> Option<Comparison> {
    Some(match token.word()? {
        "lessthan" => Comparison::Lt,
        "morethan" | "over" => Comparison::Gt,
        "atleast" => Comparison::Ge,
        "atmost" | "upto" => Comparison::Le,
        "exactly" | "equalto" => Comparison::Eq,
        _ => return None,
    })
}

/// Millisatoshis as a JSON number of bitcoins.
fn bitcoin(msat: u64) -> Value {
    let text = format!("{}.{:011}", msat / 100_000_000_000, msat % 100_000_000_000);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    serde_json::from_str(text).unwrap_or(Value::Null)
}
