//! Prompts that lean on earlier ones: `do it again`, `and node 2?`.

use super::text::{Kind, Token};
use super::translate;
use crate::types::{Exchange, IntentBlock, Object};

/// What earlier exchanges left behind; the newest value of each name.
pub(super) fn artefacts(history: &[Exchange]) -> Object {
    let mut all = Object::new();
    for exchange in history {
        // "It" is the newest thing that can be paid, of whatever kind.
        if PAYABLE.iter().any(|name| exchange.artefacts.contains_key(*name)) {
            all.retain(|name, _| !PAYABLE.contains(&name.as_str()));
        }
        all.extend(
            exchange
                .artefacts
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(k, v)| (k.clone(), v.clone())),
        );
    }
    all
}

const PAYABLE: [&str; 3] = ["bolt11", "bolt12", "offer"];

/// The intent of `do it again` and `and node 2?`: that of the last prompt, repeated or moved to other nodes.
pub(super) fn repeated(
    prompt: &str,
    tokens: &[Token],
    history: &[Exchange],
    node_count: u32,
    own: u32,
) -> Option<IntentBlock> {
    let nodes = elliptic_nodes(tokens);
    let again = says_again(tokens);
    if nodes.is_none() && !again {
        return None;
    }
    let Some((last, before)) = history.split_last() else {
        return again
            .then(|| question(prompt, "What should I repeat? There is no earlier request in this session."));
    };
    let said = match &nodes {
        None => last.prompt.clone(),
        Some(nodes) => moved(&last.prompt, nodes)?,
    };
    let mut intent = translate(&said, before, node_count, own);
    // A sentence that only swaps the node may repeat a question, never a payment.
    let reads = intent.success_criteria.is_empty();
    if nodes.is_some() && !reads {
        return Some(question(prompt, "What should be done with that node? Please say it in full."));
    }
    prompt.clone_into(&mut intent.raw_prompt);
    Some(intent)
}

/// The prompt that this one repeats or moves to other nodes, as if it had been said in full, and the exchanges
/// before it. The prompt itself when it stands alone.
pub(super) fn in_full<'h>(prompt: &str, history: &'h [Exchange]) -> (String, &'h [Exchange]) {
    let (mut said, mut before) = (prompt.to_owned(), history);
    while let Some((last, earlier)) = before.split_last() {
        let tokens = super::text::read(&said);
        let full = match elliptic_nodes(&tokens) {
            Some(nodes) => moved(&last.prompt, &nodes),
            None => says_again(&tokens).then(|| last.prompt.clone()),
        };
        let Some(full) = full else { break };
        (said, before) = (full, earlier);
    }
    (said, before)
}

/// Whether it only refers to an earlier prompt.
pub(super) fn is_elliptic(prompt: &str) -> bool {
    let tokens = super::text::read(prompt);
    elliptic_nodes(&tokens).is_some() || says_again(&tokens)
}

fn says_again(tokens: &[Token]) -> bool {
    let mut words = tokens.iter().filter(|token| !matches!(token.kind, Kind::Mark(_)));
    words.clone().any(|token| token.is("repeat"))
        && words.all(|token| {
            token.word().is_some_and(|word| {
                matches!(
                    word,
                    "repeat"
                        | "please"
                        | "now"
                        | "and"
                        | "just"
                        | "can"
                        | "you"
                        | "could"
                        | "ok"
                        | "yes"
                        | "the"
                        | "last"
                        | "one"
                )
            })
        })
        || tokens.len() <= 2 && tokens.first().is_some_and(|token| token.is("again"))
}

/// The numbers of `and node 2?`, `what about nodes 2 and 3`, `node 3?`.
fn elliptic_nodes(tokens: &[Token]) -> Option<Vec<u64>> {
    let mut numbers = Vec::new();
    for token in tokens {
        match &token.kind {
            Kind::Number(number) => numbers.push(number.to_u64()?),
            Kind::Word(word)
                if matches!(
                    word.as_str(),
                    "and"
                        | "whatabout"
                        | "node"
                        | "nodes"
                        | "n"
                        | "for"
                        | "on"
                        | "of"
                        | "now"
                        | "the"
                        | "please"
                        | "also"
                        | "same"
                        | "ok"
                        | "then"
                        | "at"
                ) => {}
            Kind::Mark(_) => {}
            _ => return None,
        }
    }
    let node = tokens.iter().any(|token| token.is("node") || token.is("nodes") || token.is("n"));
    (node && !numbers.is_empty()).then_some(numbers)
}

/// The prompt with its node replaced, when it names exactly one.
fn moved(prompt: &str, nodes: &[u64]) -> Option<String> {
    let tokens = super::text::read(prompt);
    let mut places = tokens.windows(2).filter(|pair| pair[0].is("node") || pair[0].is("n")).filter_map(
        |pair| match pair[1].kind {
            Kind::Number(_) => Some((pair[0].start, pair[1].end)),
            _ => None,
        },
    );
    let (start, end) = places.next()?;
    if places.next().is_some() {
        return None;
    }
    let listed: Vec<String> = nodes.iter().map(|node| format!("node {node}")).collect();
    Some(format!("{}{}{}", &prompt[..start], listed.join(" and "), &prompt[end..]))
}

fn question(prompt: &str, text: &str) -> IntentBlock {
    IntentBlock {
        goal: "clarify what is wanted".to_owned(),
        clarifications_needed: vec![text.to_owned()],
        human_summary: format!("I need to know more before I do anything: {text}"),
        raw_prompt: prompt.to_owned(),
        ..IntentBlock::default()
    }
}
