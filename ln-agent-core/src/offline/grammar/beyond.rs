//! Questions that no read answers. Saying so is better than answering a neighbouring question.

use super::entity::{Entities, has};
use crate::offline::text::Token;

/// Why this question has no answer here.
pub(super) fn beyond(tokens: &[Token], found: &Entities) -> Option<&'static str> {
    let is = |words: &[&str]| has(tokens, words);
    let asks = tokens.first().and_then(Token::word).is_some_and(super::verb::is_question_word);
    if (asks || found.money.is_empty())
        && is(&[
            "fiat", "usd", "dollar", "dollars", "eur", "euro", "euros", "gbp", "price", "prices", "cents",
        ])
    {
        return Some("I know no prices and no exchange rates, only amounts in msat, sat and btc.");
    }
    if found.nodes.is_empty() && !found.money.is_empty() && converts(tokens) {
        return Some("I convert no amounts: 1 btc is 100,000,000 sat, and 1 sat is 1,000 msat.");
    }
    if is(&["undo", "revert", "rollback"]) {
        return Some("What was done cannot be undone: payments and blocks are final.");
    }
    if is(&["cancel", "abort", "prevent", "forbid"]) {
        return Some("I cannot cancel or prevent that: what is pending settles or fails by itself.");
    }
    if is(&["halving", "hashrate", "supply"]) || is(&["coins", "bitcoins"]) && is(&["exist", "existence"]) {
        return Some(
            "I have no tool that tells that: I read the chain's height, not its schedule or supply.",
        );
    }
    if is(&["uptime"]) || is(&["long", "since", "when"]) && is(&["running", "start", "up"]) {
        return Some("I have no tool that tells since when a node runs, only whether it runs.");
    }
    if is(&["block"]) && is(&["in", "show"]) && found.numbers.iter().any(|(at, ..)| block_number(tokens, *at))
    {
        return Some("I read no single blocks, only the chain's state and the wallet's transactions.");
    }
    if is(&["version"]) && is(&["bitcoind", "core"]) {
        return Some("I have no tool that tells the version of bitcoind, only that of each Lightning node.");
    }
    if is(&["routing", "route"]) && !is(&["earn", "earned", "forwards", "income", "earnings"]) {
        return Some("I have no tool that finds routes or what they cost: paying finds one.");
    }
    if is(&["minimum", "smallest", "maximum"]) && is(&["channel"]) && found.nodes.is_empty() {
        return Some("I have no tool that tells the limits of a channel's size: opening one does.");
    }
    if is(&["change", "changed", "difference"]) && is(&["balance", "balances", "height", "funds"])
        || is(&["set"]) && is(&["was", "did"])
    {
        return Some("I read how things are now, not how they were before.");
    }
    None
}

/// `how much is 1000 sats in btc`, `convert 5 sat to msat`: an amount and another unit.
fn converts(tokens: &[Token]) -> bool {
    let units =
        tokens.iter().filter_map(Token::word).filter(|word| super::money::unit(word).is_some()).count();
    units > 1 && !has(tokens, &["wallet", "balance", "mempool", "channel", "channels", "invoice", "fee"])
}

/// `block 100`.
fn block_number(tokens: &[Token], at: usize) -> bool {
    at > 0 && tokens[at - 1].is("block")
}
