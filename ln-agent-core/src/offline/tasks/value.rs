//! One value of a task, out of the prompt or the session.

use serde_json::{Value, json};

use super::said::Said;
use crate::offline::grammar::amount_of;
use crate::offline::text::{self, Kind};
use crate::offline::wish::Task;

/// A value, or the question that only the user can answer.
pub(super) type Found = Result<Value, String>;

/// The node that a model put here, if the words name it; else the only one that they name.
///
/// A read may be about any node when none is named: the agent's own, if the model says nothing usable.
pub(super) fn node(said: &Said, given: Option<&Value>, fallback: bool, reads: bool) -> Found {
    let given = given.and_then(as_node);
    let exists = |node: u32| node >= 1 && node <= said.node_count;
    let named = |node: u32| said.words.nodes.contains(&node) || said.words.all_nodes && exists(node);
    if reads && said.words.nodes.is_empty() && fallback {
        return Ok(json!(given.filter(|node| exists(*node)).unwrap_or(said.own_node)));
    }
    if let Some(node) = given.filter(|node| named(*node) || follows(said, *node)) {
        return if exists(node) { Ok(json!(node)) } else { Err(no_node(said, node)) };
    }
    match (fallback, said.words.nodes.as_slice()) {
        (true, [only]) if exists(*only) => Ok(json!(only)),
        (_, [only]) if !exists(*only) => Err(no_node(said, *only)),
        (true, []) if said.node_count == 1 => Ok(json!(1)),
        _ => Err("Which node do you mean?".to_owned()),
    }
}

/// Whether "it" or "that" may mean this node of an earlier exchange.
fn follows(said: &Said, node: u32) -> bool {
    let mentioned =
        said.words.nodes.is_empty() && said.has(&["it", "its", "that", "there", "same", "them", "again"]);
    let earlier = ["node", "from_node", "to_node"];
    mentioned && earlier.iter().any(|name| said.earlier.get(*name) == Some(&json!(node)))
}

fn no_node(said: &Said, node: u32) -> String {
    format!("There is no node {node}: which of the nodes 1 to {} is meant?", said.node_count)
}

/// A number, or a text such as `2` or `node 2`.
fn as_node(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()),
        Value::String(text) => {
            text.trim().trim_start_matches("node").trim_matches([' ', '-', '_']).parse().ok()
        }
        _ => None,
    }
}

/// Whether all nodes are meant, by the model and by the words.
pub(super) fn is_all(said: &Said, given: Option<&Value>) -> bool {
    given.and_then(Value::as_str) == Some("all") && said.words.all_nodes
}

/// The amount of a task, in msat. What the model copied counts if the user said it; where the user said one amount,
/// that is it.
pub(super) fn amount(said: &Said, given: Option<&Value>, taken: &[u64]) -> Result<u64, String> {
    if let Some(question) = &said.words.bad_amount {
        return Err(question.clone());
    }
    let copied = given.and_then(Value::as_str).and_then(|text| amount_of(&text::read(text)));
    match (copied, said.words.amounts.as_slice()) {
        (Some(msat), amounts) if amounts.contains(&msat) => Ok(msat),
        (_, [only]) => Ok(*only),
        (_, []) => Err(missing_amount(said)),
        // Several were said, and the model names none of them: whose is whose?
        (_, amounts) => match amounts.iter().filter(|msat| !taken.contains(msat)).collect::<Vec<_>>()[..] {
            [left] if !taken.is_empty() => Ok(*left),
            _ => Err("I see several amounts: which one belongs to what? Please say it in one clause each."
                .to_owned()),
        },
    }
}

fn missing_amount(said: &Said) -> String {
    let bare =
        said.words.numbers.iter().find(|(_, after)| after.is_empty() || after == "from" || after == "to");
    match bare {
        Some((number, _)) => format!("{number} of what: msat, sat or btc?"),
        None => "How much should it be? Please give the amount with its unit: msat, sat or btc.".to_owned(),
    }
}

/// The amount under the name and in the unit that the recipe of a task reads.
pub(super) fn amount_member(task: Task, msat: u64) -> Result<(&'static str, Value), String> {
    let sat = || {
        if msat.is_multiple_of(1_000) {
            Ok(msat / 1_000)
        } else {
            Err("How much should it be, in whole sat?".to_owned())
        }
    };
    match task {
        Task::OpenChannel | Task::Withdraw => Ok(("amount_sat", json!(sat()?))),
        Task::FundNode | Task::SendOnchain => {
            let sat = sat()?;
            let text = format!("{}.{:08}", sat / 100_000_000, sat % 100_000_000);
            let short = text.trim_end_matches('0').trim_end_matches('.');
            Ok(("amount_btc", json!(short)))
        }
        _ => Ok(("amount_msat", json!(msat))),
    }
}

/// A count that was said, such as the blocks to mine.
pub(super) fn count(said: &Said, given: Option<&Value>, word: &str) -> Option<u64> {
    let stated: Vec<u64> = said.numbers_before(word).iter().filter_map(|number| number.to_u64()).collect();
    let given = given.and_then(|value| value.as_u64().or_else(|| value.as_str()?.trim().parse().ok()));
    match (given, stated.as_slice()) {
        (_, [only]) => Some(*only),
        (Some(given), _) if said.number(given) => Some(given),
        // `mine a block` states it without a number.
        (_, []) if said.has(&["a", "one", "another"]) && said.has(&["block"]) => Some(1),
        _ => None,
    }
}

/// A text that the user said: as the model copied it, or the only one between quotes.
pub(super) fn text(said: &Said, given: Option<&Value>) -> Option<Value> {
    let given = given.and_then(Value::as_str).map(|text| text.trim().trim_matches(['"', '\'']));
    let quoted: Vec<&str> = said.quoted().collect();
    match (given, quoted.as_slice()) {
        (Some(text), quoted) if quoted.iter().any(|quoted| quoted.eq_ignore_ascii_case(text)) => {
            Some(json!(text))
        }
        (Some(text), []) if said.verbatim(text) => Some(json!(text)),
        _ => None,
    }
}

/// Something with a form of its own: an invoice, an offer, an address, a transaction id, a URL.
pub(super) fn special(said: &Said, name: &str) -> Option<Value> {
    match in_prompt(said, name)[..] {
        [ref only] => Some(json!(only)),
        [] if said.has(&["it", "that", "this", "the", "same"]) => {
            let names: &[&str] = if name == "bolt11" { &["bolt11", "bolt12"] } else { &[name] };
            names.iter().find_map(|name| said.earlier.get(*name)).cloned()
        }
        _ => None,
    }
}

/// Whether such a thing stands in the prompt itself, rather than earlier in the session.
pub(super) fn stands(said: &Said, name: &str) -> bool {
    !in_prompt(said, name).is_empty()
}

fn in_prompt(said: &Said, name: &str) -> Vec<String> {
    let of_kind = |kind: &Kind| match (name, kind) {
        ("bolt11", Kind::Bolt11(text) | Kind::Bolt12Invoice(text))
        | ("offer", Kind::Offer(text))
        | ("address", Kind::Address(text))
        | ("txid", Kind::Hash(text))
        | ("url", Kind::Url(text)) => Some(text.clone()),
        _ => None,
    };
    said.tokens.iter().filter_map(|token| of_kind(&token.kind)).collect()
}
