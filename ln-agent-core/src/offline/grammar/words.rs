//! What single words say, without regard to how they hang together: for checking what somebody else made of them.

use super::entity::Entities;
use super::frame::{asks_whether, frames, takes_back};
use super::money::{Money, money_at};
use super::mood::{Mood, mood};
use super::verb::{Verb, verb_at};
use crate::offline::text::{Decimal, Kind, Token};

/// The words of a prompt.
#[derive(Clone, Debug, Default)]
pub(in crate::offline) struct Words {
    /// Node numbers that are named, in order, each once.
    pub(in crate::offline) nodes: Vec<u32>,
    /// All nodes are spoken of.
    pub(in crate::offline) all_nodes: bool,
    /// Amounts with a unit, in msat, in order.
    pub(in crate::offline) amounts: Vec<u64>,
    /// What is wrong with an amount, as a question.
    pub(in crate::offline) bad_amount: Option<String>,
    /// A number that is neither amount nor node, and the word after it.
    pub(in crate::offline) numbers: Vec<(Decimal, String)>,
    /// Verbs that are not negated, with repetition.
    pub(in crate::offline) verbs: Vec<Verb>,
    /// Nothing in it is to be done: an explanation is wanted.
    pub(in crate::offline) explains: bool,
    /// Its commands are somebody's words, taken back, or asked about.
    pub(in crate::offline) doubtful: bool,
    /// Something is to hold before something is done.
    pub(in crate::offline) conditional: bool,
    /// Several things are meant at once.
    pub(in crate::offline) plural: bool,
}

/// Reads them.
pub(in crate::offline) fn words(tokens: &[Token], own: u32) -> Words {
    let found = Entities::of(tokens, own);
    let mut words = Words {
        explains: mood(tokens) == Mood::Explain,
        doubtful: frames(tokens) || takes_back(tokens) || asks_whether(tokens),
        conditional: (0..tokens.len()).any(|at| is_condition(tokens, at)),
        plural: tokens.iter().any(|token| PLURAL.iter().any(|word| token.is(word))),
        numbers: found.numbers.iter().map(|(_, number, after)| (*number, after.clone())).collect(),
        ..Words::default()
    };
    for node in &found.nodes {
        words.all_nodes |= node.numbers.is_empty();
        for number in &node.numbers {
            if !words.nodes.contains(number) {
                words.nodes.push(*number);
            }
        }
    }
    for at in 0..tokens.len() {
        match money_at(tokens, at) {
            Some((Money::Msat(msat), _)) => words.amounts.push(msat),
            Some((Money::Bad(fault), _)) => words.bad_amount = Some(fault.question()),
            None => {}
        }
        if let Some(verb) = verb_at(tokens, at).filter(|_| !is_negated(tokens, at)) {
            words.verbs.push(verb);
        }
    }
    words
}

/// `if …`, but neither `when was …?` nor `… and if it works, …`: a plan stops at a step that fails anyway.
fn is_condition(tokens: &[Token], at: usize) -> bool {
    if !CONDITION.iter().any(|word| tokens[at].is(word)) {
        return false;
    }
    let next: Vec<&str> = tokens[at + 1..].iter().take(3).filter_map(Token::word).collect();
    let asks = tokens[at].is("when")
        && matches!(next.first(), Some(&("did" | "does" | "was" | "is" | "will" | "were" | "do")));
    let done =
        ["succeed", "works", "done", "goes", "went", "ok", "confirmed", "finished", "ready", "succeeds"];
    let worked = matches!(next.first(), Some(&("it" | "that" | "this" | "everything" | "payment")))
        && next.iter().any(|word| done.contains(word));
    !asks && !worked
}

/// The amount that a text states, in msat.
pub(in crate::offline) fn amount_of(tokens: &[Token]) -> Option<u64> {
    let mut amounts = (0..tokens.len()).filter_map(|at| money_at(tokens, at));
    match (amounts.next(), amounts.next()) {
        (Some((Money::Msat(msat), _)), None) => Some(msat),
        _ => None,
    }
}

/// `not`, `never`, `without`, `no need to` shortly before, within the same sentence.
fn is_negated(tokens: &[Token], at: usize) -> bool {
    tokens[..at]
        .iter()
        .rev()
        .take(4)
        .take_while(|token| !matches!(token.kind, Kind::Mark('.' | '!' | '?' | ';' | ',')))
        .any(|token| {
            ["not", "never", "without", "no", "insteadof", "avoid"].iter().any(|word| token.is(word))
        })
}

const CONDITION: &[&str] =
    &["if", "unless", "when", "whenever", "provided", "providing", "aslongas", "incase", "otherwise", "else"];
const PLURAL: &[&str] = &["every", "both", "channels", "invoices"];
