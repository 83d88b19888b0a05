//! Filters on a plural: `where node 1 holds less than 10% of the capacity`.

use serde_json::json;

use super::condition::comparator;
use super::entity::{Entities, has};
use super::link::{Refusal, ask};
use super::money::{Money, money_at};
use crate::offline::text::{Kind, Token};
use crate::offline::wish::{Comparison, Test};

/// Words that exclude what follows them.
pub(super) const EXCEPT: &[&str] =
    &["except", "excluding", "besides", "apart", "excepting", "butnot", "other"];

/// The clause without what its filter says, for finding out whose things are meant.
pub(super) fn main_part(tokens: &[Token]) -> &[Token] {
    let filter = tokens.iter().position(|t| {
        t.word().is_some_and(|w| {
            matches!(w, "where" | "whose" | "that" | "which" | "lessthan" | "morethan" | "atleast" | "atmost")
        })
    });
    // `the channel that node 1 has with node 2`: no filter, the nodes come after it.
    let names = |part: &[Token]| has(part, &["node", "nodes", "n", "its"]);
    match filter {
        Some(at) if names(&tokens[..at]) || !names(tokens) => &tokens[..at],
        _ => tokens,
    }
}

/// Conditions on channels, seen from `node`.
pub(super) fn on_channels(tokens: &[Token], node: u32, own: u32) -> Result<Vec<Test>, Refusal> {
    let start = main_part(tokens).len();
    let holder = Entities::of(&tokens[start..], own).nodes.first().and_then(|n| n.numbers.first().copied());
    let mut tests = Vec::new();
    for (at, op) in comparisons(tokens) {
        let Some(number_at) = number_after(tokens, at) else {
            return ask("With how much should I compare the channels?");
        };
        let Kind::Number(number) = tokens[number_at].kind else { continue };
        if tokens.get(number_at + 1).is_some_and(|t| t.is("percent") || t.is("pct")) {
            let Some(percent) = number.to_u64().filter(|p| *p <= 100) else {
                return ask("Which share do you mean, as a whole percentage from 0 to 100?");
            };
            let theirs = holder.is_some_and(|holder| holder != node)
                || has(tokens, &["remote", "theirs", "receivable", "inbound"]);
            let (op, percent) = if theirs { (mirrored(op), 100 - percent) } else { (op, percent) };
            tests.push(field("our_share_percent", op, json!(percent)));
        } else {
            let ours =
                has(tokens, &["holds", "hold", "ours", "local", "spendable", "own", "side", "balance"]);
            let name = if ours { "to_us_msat" } else { "total_msat" };
            tests.push(field(name, op, amount(tokens, number_at)?));
        }
    }
    let says_more = has(tokens, &["where", "whose"]) && tests.is_empty();
    if says_more {
        ask("Which channels do you mean? I can choose them by size, by share in percent, or by peer.")
    } else {
        Ok(tests)
    }
}

/// Conditions on invoices.
pub(super) fn on_invoices(tokens: &[Token], label: Option<&str>) -> Result<Vec<Test>, Refusal> {
    let mut tests = vec![field("status", Comparison::Eq, json!("unpaid"))];
    for (at, op) in comparisons(tokens) {
        let Some(number_at) = number_after(tokens, at) else {
            return ask("With how much should I compare the invoices?");
        };
        tests.push(field("amount_msat", op, amount(tokens, number_at)?));
    }
    if let Some(label) = label {
        tests.push(field("label", Comparison::Eq, json!(label)));
    }
    Ok(tests)
}

fn field(of: &str, op: Comparison, value: serde_json::Value) -> Test {
    Test { of: of.to_owned(), node: None, peer: None, op, value }
}

fn comparisons(tokens: &[Token]) -> impl Iterator<Item = (usize, Comparison)> + '_ {
    tokens.iter().enumerate().filter_map(|(at, token)| Some((at, comparator(token)?)))
}

fn number_after(tokens: &[Token], at: usize) -> Option<usize> {
    (at + 1..tokens.len().min(at + 4)).find(|i| matches!(tokens[*i].kind, Kind::Number(_)))
}

fn amount(tokens: &[Token], at: usize) -> Result<serde_json::Value, Refusal> {
    match money_at(tokens, at) {
        Some((Money::Msat(msat), _)) => Ok(json!(msat)),
        Some((Money::Bad(fault), _)) => ask(fault.question()),
        _ => ask("Which unit does the limit have: msat, sat or btc?"),
    }
}

const fn mirrored(op: Comparison) -> Comparison {
    match op {
        Comparison::Lt => Comparison::Gt,
        Comparison::Le => Comparison::Ge,
        Comparison::Gt => Comparison::Lt,
        Comparison::Ge => Comparison::Le,
        same => same,
    }
}
