//! The evidence of a request: everything its words say for certain.

use std::collections::{BTreeSet, HashSet};

use super::amount::Amount;
use super::data;
use super::key::Sort;
use super::licence::Basis;
use super::words;
use crate::offline::grammar::{Texts, amount_at, direction, mentions, split, texts};
use crate::offline::text::{self, Kind, Token};
use crate::offline::{followup, translate};
use crate::types::{Exchange, IntentBlock, Object};

/// What the words of a request say for certain, and what they allow.
///
/// # Examples
///
/// ```
/// use ln_agent_core::offline::Evidence;
///
/// let evidence = Evidence::of("invoice 25,000 sat on node 2", &[], 2, 1);
/// assert_eq!(evidence.facts(), "nodes: 2; amounts: 25000 sat = 25000000 msat");
/// ```
#[derive(Clone, Debug)]
pub struct Evidence {
    /// What the deterministic translator reads.
    pub(super) heard: IntentBlock,
    pub(super) node_count: u32,
    pub(super) own: u32,
    pub(super) said: Said,
    /// What earlier exchanges left behind.
    pub(super) artefacts: Object,
    /// Values of a context that was settled before.
    pub(super) context: Object,
    /// Why changes are allowed, and which.
    pub(super) basis: Basis,
}

/// Values in the words.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    pub(super) amounts: Vec<Amount>,
    /// Money is spoken of in a way that gives no amount.
    pub(super) bad_money: bool,
    /// Numbers that are neither money nor nodes.
    pub(super) numbers: Vec<u64>,
    pub(super) nodes: BTreeSet<u32>,
    /// Bare numbers where a node may be meant: `from 1 to 2`.
    pub(super) perhaps: BTreeSet<u32>,
    pub(super) every_node: bool,
    pub(super) things: Vec<(Sort, String)>,
    pub(super) labels: Vec<String>,
    pub(super) descriptions: Vec<String>,
    pub(super) messages: Vec<String>,
    pub(super) quoted: Vec<String>,
    /// From which node to which, where every clause that says so says the same.
    pub(super) direction: Option<(u32, u32)>,
    /// Canonical words of the tokenizer, outside of texts.
    pub(super) spoken: HashSet<String>,
    /// Every word as typed, lower-case.
    pub(super) words: HashSet<String>,
    /// The prompt as typed, lower-case.
    pub(super) prompt: String,
}

impl Evidence {
    /// The evidence of a prompt. Nodes are 1 to `node_count`; "my node" is `own_node`. Values that earlier exchanges
    /// left behind count where the prompt leans on them.
    #[must_use]
    pub fn of(prompt: &str, history: &[Exchange], node_count: u32, own_node: u32) -> Self {
        let (full, before) = followup::in_full(prompt, history);
        let heard = translate(prompt, history, node_count, own_node);
        let said = Said::read(&full, node_count, own_node);
        let basis = Basis::of(&full, before, &heard, node_count, own_node);
        Self {
            heard,
            node_count,
            own: own_node,
            said,
            artefacts: followup::artefacts(history),
            context: Object::new(),
            basis,
        }
    }

    /// The evidence of an intent whose context was settled before, for a planner that has no history: values of the
    /// context count as said. A prompt that only repeats an earlier one is allowed what the context's clauses ask.
    #[must_use]
    pub fn of_intent(intent: &IntentBlock, node_count: u32, own_node: u32) -> Self {
        let mut evidence = Self::of(&intent.raw_prompt, &[], node_count, own_node);
        evidence.context.clone_from(&intent.context);
        if followup::is_elliptic(&intent.raw_prompt) {
            evidence.basis = Basis::of_settled(intent, node_count);
        }
        evidence
    }

    /// Whether one of these canonical words is said outside of texts.
    pub(super) fn says(&self, any: &[&str]) -> bool {
        any.iter().any(|word| self.said.spoken.contains(*word))
    }

    /// Whether the deterministic translator understood the whole prompt as something to do or read.
    pub(super) fn is_understood(&self) -> bool {
        self.heard.clarifications_needed.is_empty() && !self.heard.intent_type.is_idle()
    }
}

impl Said {
    fn read(prompt: &str, node_count: u32, own: u32) -> Self {
        let spoken = data::spoken(prompt, &text::read(prompt));
        let tokens = text::read(spoken);
        let mut said = Self {
            words: words::of(prompt).collect(),
            spoken: tokens.iter().filter_map(|token| token.word().map(str::to_owned)).collect(),
            prompt: prompt.to_lowercase(),
            ..Self::default()
        };
        said.numbers_of(&tokens, node_count, own);
        said.things_of(spoken, &tokens);
        let mut directions = Vec::new();
        for unit in split(&tokens) {
            let Texts { label, description, message } = texts(&unit.tokens, own);
            said.labels.extend(label);
            said.descriptions.extend(description);
            said.messages.extend(message);
            directions.extend(direction(&unit.tokens, node_count, own));
        }
        directions.dedup();
        if let [one] = directions[..] {
            said.direction = Some(one);
        }
        said
    }

    /// Nodes, amounts and what other numbers there are.
    fn numbers_of(&mut self, tokens: &[Token], node_count: u32, own: u32) {
        let named = mentions(tokens, own);
        self.nodes = named.iter().flat_map(|mention| mention.numbers.iter().copied()).collect();
        let names: HashSet<usize> = named.iter().flat_map(|mention| mention.at..mention.end).collect();
        let apart = |word: &str| (0..tokens.len()).any(|at| tokens[at].is(word) && !names.contains(&at));
        self.every_node = named.iter().any(|mention| mention.numbers.is_empty())
            || apart("nodes") && (self.nodes.is_empty() || apart("every") || apart("both") || apart("other"))
            || node_count == 2 && (apart("both") || apart("other"));
        for (at, token) in tokens.iter().enumerate().filter(|(at, _)| !names.contains(at)) {
            match &token.kind {
                Kind::Number(number) => match amount_at(tokens, at) {
                    Some((typed, places, Some(msat))) => {
                        self.amounts.push(Amount { msat, typed, places });
                        self.bad_money |= is_range(tokens, at) && !names.contains(&(at - 2));
                    }
                    Some(_) => self.bad_money = true,
                    None => {
                        self.numbers.extend(number.to_u64());
                        // `half` of a channel is 50 percent of it.
                        let percent = number.scaled(2).filter(|percent| *percent < 100);
                        self.numbers.extend(percent.filter(|_| number.to_u64().is_none()));
                        self.perhaps.extend(number.to_u32().filter(|_| may_be_node(tokens, at)));
                    }
                },
                Kind::Ordinal(number) => self.numbers.push(u64::from(*number)),
                Kind::Word(word) if matches!(word.as_str(), "a" | "an" | "another" | "single" | "once") => {
                    self.numbers.push(1);
                }
                Kind::Quoted(text) => self.quoted.push(text.clone()),
                Kind::Host(_, Some(port)) => self.numbers.push(u64::from(*port)),
                _ => {}
            }
        }
    }

    fn things_of(&mut self, spoken: &str, tokens: &[Token]) {
        for token in tokens {
            self.things.extend(thing(&token.kind));
            // A thing between quotes is that thing when nothing else stands there.
            if let Kind::Quoted(text) = &token.kind
                && let [Token { kind, .. }] = &text::read(text)[..]
            {
                self.things.extend(thing(kind));
            }
        }
        let ids = spoken.split(|c: char| !c.is_ascii_alphanumeric()).filter(|run| is_short_channel_id(run));
        self.things.extend(ids.map(|id| (Sort::ShortChannelId, id.to_lowercase())));
    }
}

/// `7 or 9 sats`: which of them is not said.
fn is_range(tokens: &[Token], at: usize) -> bool {
    let joins = |token: &Token| token.is("or") || token.is("to") || token.kind == Kind::Mark('-');
    at > 1 && joins(&tokens[at - 1]) && matches!(tokens[at - 2].kind, Kind::Number(_))
}

/// `from 1 to 2`: a number behind a preposition, without a unit or a noun that is counted.
fn may_be_node(tokens: &[Token], at: usize) -> bool {
    const COUNTED: &[&str] = &[
        "block",
        "blocks",
        "confirmations",
        "channel",
        "channels",
        "invoice",
        "invoices",
        "payment",
        "payments",
        "percent",
        "pct",
        "ppm",
        "peer",
        "peers",
        "base",
        "more",
        "txs",
        "times",
        "seconds",
        "minutes",
        "runs",
        "lessthan",
        "morethan",
        "atleast",
        "atmost",
    ];
    let near = |at: usize| tokens.get(at).and_then(Token::word);
    let before = at.checked_sub(1).and_then(near).is_some_and(|word| {
        matches!(
            word,
            "from" | "to" | "with" | "at" | "on" | "of" | "by" | "peer" | "via" | "between" | "and"
        )
    });
    before && near(at + 1).is_none_or(|word| !COUNTED.contains(&word))
}

fn thing(kind: &Kind) -> Option<(Sort, String)> {
    Some(match kind {
        Kind::Bolt11(text) => (Sort::Invoice, text.clone()),
        Kind::Bolt12Invoice(text) => (Sort::Bolt12Invoice, text.clone()),
        Kind::Offer(text) => (Sort::Offer, text.clone()),
        Kind::Address(text) => (Sort::Address, text.clone()),
        Kind::Hash(text) => (Sort::Hash, text.clone()),
        Kind::Pubkey(text) => (Sort::Pubkey, text.clone()),
        Kind::Url(text) => (Sort::Url, text.clone()),
        _ => return None,
    })
}

/// `103x1x0`: block, transaction, output.
fn is_short_channel_id(text: &str) -> bool {
    let parts: Vec<&str> = text.split('x').collect();
    parts.len() == 3 && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}
