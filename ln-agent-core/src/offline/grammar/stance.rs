//! What a clause is before it is understood: forbidden, a statement, about nothing here.

use super::entity::{Entities, has};
use super::read::topic;
use super::verb::{Verb, is_noise};
use crate::offline::text::{Kind, Token};

/// `do not stop node 2`, `never pay`, `instead of opening a channel`, `without mining`.
pub(super) fn is_forbidden(tokens: &[Token], found: &Entities) -> bool {
    if tokens.first().is_some_and(|token| token.is("insteadof") || token.is("without")) {
        return true;
    }
    let Some((verb_at, _)) = found.verb else { return has(tokens, &["not", "never"]) };
    tokens[..verb_at]
        .iter()
        .any(|token| token.is("not") || token.is("never") || token.is("no") || token.is("avoid"))
        && !tokens.first().and_then(Token::word).is_some_and(super::verb::is_question_word)
}

/// `stop node 2, not node 1`: what is excluded is left out, where that changes nothing for the rest.
pub(super) fn but_not(tokens: &[Token]) -> &[Token] {
    let excluded = |at: usize| {
        at > 1 && tokens[at].is("not") && tokens.get(at + 1).is_some_and(|t| t.is("node") || t.is("n"))
    };
    match (2..tokens.len()).find(|at| excluded(*at)) {
        Some(at) if tokens.len() == at + 3 && !has(&tokens[..at], &["every", "both", "nodes"]) => {
            &tokens[..at]
        }
        _ => tokens,
    }
}

/// `it is switched off`, `node 3 is down`: says how things are and asks for nothing.
pub(super) fn is_statement(tokens: &[Token], found: &Entities) -> bool {
    let subject_end = match found.nodes.first() {
        Some(node) if node.at == 0 => node.end,
        _ if tokens.first().is_some_and(|t| t.is("it") || t.is("they")) => 1,
        _ => return false,
    };
    tokens
        .get(subject_end)
        .is_some_and(|t| ["is", "are", "was", "were", "has", "seems"].iter().any(|word| t.is(word)))
        && found.verb.is_none_or(|(_, verb)| verb == Verb::Read)
}

/// The clause from its first word that says something to its last.
pub(super) fn without_noise(tokens: &[Token]) -> &[Token] {
    let keep = |token: &Token| match &token.kind {
        Kind::Word(word) => !is_noise(word) || matches!(word.as_str(), "i" | "it" | "we" | "have" | "all"),
        Kind::Mark(mark) => *mark == '-' || *mark == '>',
        _ => true,
    };
    let start = tokens.iter().position(keep).unwrap_or(tokens.len());
    let end = tokens
        .iter()
        .rposition(|token| !matches!(token.kind, Kind::Mark(_)) && !token.is("please"))
        .map_or(start, |at| at + 1);
    &tokens[start..end.max(start)]
}

/// Whether the words are about Lightning or Bitcoin at all.
pub(super) fn is_ours(tokens: &[Token], found: &Entities) -> bool {
    let entities = !found.nodes.is_empty()
        || !found.money.is_empty()
        || found.bolt11.is_some()
        || found.offer.is_some()
        || found.address.is_some();
    let acts = found.verb.is_some_and(|(_, verb)| {
        !matches!(
            verb,
            Verb::Read
                | Verb::Verify
                | Verb::Create
                | Verb::Send
                | Verb::Set
                | Verb::Fetch
                | Verb::Stop
                | Verb::Start
                | Verb::Open
                | Verb::Close
                | Verb::Wait
        )
    });
    let everything = has(tokens, &["every"])
        && found.verb.is_some_and(|(_, verb)| matches!(verb, Verb::Stop | Verb::Start | Verb::Close));
    entities
        || acts
        || everything
        || topic(tokens, found).is_some()
        || has(
            tokens,
            &[
                "node",
                "nodes",
                "channel",
                "channels",
                "invoice",
                "invoices",
                "payment",
                "payments",
                "block",
                "blocks",
                "wallet",
                "bitcoin",
                "lightning",
                "peer",
                "peers",
                "sats",
                "msat",
                "mempool",
                "btc",
                "offer",
                "offers",
                "htlc",
                "htlcs",
                "funds",
                "it",
                "its",
                "repeat",
            ],
        )
}
