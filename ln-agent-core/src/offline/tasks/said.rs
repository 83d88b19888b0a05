//! Everything in a prompt, and in the session before it, that has a value.

use crate::offline::followup;
use crate::offline::grammar::{Verb, Words, words};
use crate::offline::text::{self, Decimal, Kind, Token};
use crate::types::{Exchange, Object};

/// What was said, and what "it" and "that" may mean.
pub(super) struct Said {
    pub(super) tokens: Vec<Token>,
    pub(super) words: Words,
    /// What earlier exchanges left behind, the newest value of each name.
    pub(super) earlier: Object,
    pub(super) node_count: u32,
    pub(super) own_node: u32,
    prompt: String,
}

impl Said {
    pub(super) fn of(prompt: &str, history: &[Exchange], node_count: u32, own_node: u32) -> Self {
        let tokens = text::read(prompt);
        let words = words(&tokens, own_node);
        let earlier = followup::artefacts(history);
        Self { tokens, words, earlier, node_count, own_node, prompt: prompt.to_owned() }
    }

    /// Whether a verb is commanded: it stands outside of quotes and is not negated.
    pub(super) fn commands(&self, verb: Verb) -> bool {
        self.words.verbs.contains(&verb)
    }

    /// Whether one of these words stands in it.
    pub(super) fn has(&self, words: &[&str]) -> bool {
        self.tokens.iter().any(|token| token.word().is_some_and(|word| words.contains(&word)))
    }

    /// Whether this number stands in it, in digits or in words.
    pub(super) fn number(&self, number: u64) -> bool {
        self.tokens.iter().any(|token| match &token.kind {
            Kind::Number(said) => said.to_u64() == Some(number),
            _ => false,
        })
    }

    /// Numbers that stand before a word.
    pub(super) fn numbers_before(&self, word: &str) -> Vec<Decimal> {
        let pairs = self.tokens.windows(2).filter(|pair| pair[1].is(word));
        pairs
            .filter_map(|pair| match &pair[0].kind {
                Kind::Number(number) => Some(*number),
                _ => None,
            })
            .collect()
    }

    /// The texts between quotes, and those after words such as `labelled`.
    pub(super) fn quoted(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().filter_map(|token| match &token.kind {
            Kind::Quoted(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Whether the text stands in the prompt as it is, apart from case and blanks.
    pub(super) fn verbatim(&self, text: &str) -> bool {
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let wanted = plain(text);
        !wanted.is_empty() && plain(&self.prompt).contains(&wanted)
    }
}

/// What a model is shown beside a prompt: the values in it, read by code. Empty when there are none.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::offline::facts;
/// assert_eq!(facts("send 25 sats from node 1 to node 2", 2, 1), "nodes 1, 2; amounts 25 sat");
/// assert_eq!(facts("hello", 2, 1), "");
/// ```
#[must_use]
pub fn facts(prompt: &str, node_count: u32, own_node: u32) -> String {
    let said = Said::of(prompt, &[], node_count, own_node);
    let mut parts = Vec::new();
    let nodes: Vec<String> = said.words.nodes.iter().map(u32::to_string).collect();
    match (said.words.all_nodes, nodes.is_empty()) {
        (true, _) => parts.push("nodes all".to_owned()),
        (false, false) => parts.push(format!("nodes {}", nodes.join(", "))),
        (false, true) => {}
    }
    let amounts: Vec<String> = said.words.amounts.iter().map(|msat| shown(*msat)).collect();
    if !amounts.is_empty() {
        parts.push(format!("amounts {}", amounts.join(", ")));
    }
    parts.join("; ")
}

/// In sat where it is whole.
fn shown(msat: u64) -> String {
    if msat.is_multiple_of(1_000) { format!("{} sat", msat / 1_000) } else { format!("{msat} msat") }
}
