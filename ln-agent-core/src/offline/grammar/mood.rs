//! Whether anything is to be done at all.

use crate::offline::text::{Kind, Token};

/// How a prompt is meant.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::offline) enum Mood {
    /// Something is to be read or done.
    Active,
    /// An explanation is wanted.
    Explain,
}

/// The mood of a whole prompt. Hypothetical is what says so anywhere; `explain` counts where it leads.
pub(in crate::offline) fn mood(tokens: &[Token]) -> Mood {
    let sentences = tokens.split(|t| matches!(t.kind, Kind::Mark('.' | '?' | '!' | ';')));
    let mut first = true;
    for sentence in sentences {
        let words: Vec<&str> = sentence.iter().filter_map(Token::word).collect();
        if words.is_empty() {
            continue;
        }
        let foresees = matches!(words[0], "what" | "how" | "howmany" | "which")
            && words.windows(4).any(|w| {
                w[0] == "after"
                    && w[1..].iter().any(|v| matches!(*v, "pay" | "send" | "open" | "close" | "withdraw"))
            });
        if foresees || ANYWHERE.iter().any(|phrase| holds(&words, phrase)) || first && leads(&words) {
            return Mood::Explain;
        }
        first &= words.iter().all(|word| super::verb::is_noise(word));
    }
    Mood::Active
}

fn holds(words: &[&str], phrase: &str) -> bool {
    let length = phrase.split(' ').count();
    words.windows(length).any(|window| phrase.split(' ').zip(window).all(|(a, b)| a == *b))
}

/// A sentence that begins by asking for an explanation.
fn leads(words: &[&str]) -> bool {
    let start =
        words.iter().position(|word| !super::verb::is_noise(word) && *word != "show").unwrap_or(words.len());
    // `show me how to` keeps its `how`; `would`, `can` and the like are noise in front.
    let rest: Vec<&str> = words[start..].iter().map(|word| if *word == "'s" { "is" } else { word }).collect();
    match rest[..] {
        [
            "explain" | "suppose" | "imagine" | "hypothetically" | "theoretically" | "teach" | "describe"
            | "why" | "outline" | "define",
            ..,
        ] => true,
        ["how", "would" | "do" | "does" | "can" | "could" | "should" | "to" | "are" | "might", ..] => true,
        ["how", "is" | "did", second, ..] => !matches!(second, "node" | "the" | "my" | "every" | "network"),
        ["what", "is" | "are", ref rest @ ..] => is_definition(rest),
        ["what", "does", .., "mean" | "do"] => true,
        ["what", "if" | "happens" | "would", ..] => true,
        ["difference", ..] => true,
        _ => false,
    }
}

/// `what is a channel`, `what are htlcs`: a term and nothing else.
fn is_definition(rest: &[&str]) -> bool {
    matches!(rest, ["a" | "an", ..]) && !rest.iter().any(|word| matches!(*word, "node" | "balance" | "of"))
        || rest.len() <= 2
            && rest.last().is_some_and(|word| {
                matches!(
                    *word,
                    "htlc"
                        | "htlcs"
                        | "bolt11"
                        | "bolt12"
                        | "lightning"
                        | "bitcoin"
                        | "mempool"
                        | "channels"
                        | "invoices"
                        | "sat"
                        | "msat"
                )
            })
            && !rest.contains(&"the")
        || rest.contains(&"difference")
}

const ANYWHERE: &[&str] = &[
    "should i",
    "should we",
    "is it safe",
    "is it ok to",
    "is it wise",
    "is it a good idea",
    "would close",
    "would open",
    "would pay",
    "would it",
    "the steps for",
    "the steps to",
    "no need to run",
    "no need to do",
    "no need to execute",
    "pretend",
    "simulate",
    "simulated",
    "show me how",
    "show how i",
    "how i could",
    "how i can",
    "how we could",
    "what does it take",
    "what it takes to",
    "what is needed to",
    "able to",
    "what would happen",
    "what happens",
    "what happened if",
    "what if",
    "what would",
    "walk me through",
    "walk through",
    "talk me through",
    "guide me through",
    "suppose",
    "supposing",
    "supposed i",
    "imagine",
    "hypothetically",
    "hypothetical",
    "theoretically",
    "in theory",
    "just explain",
    "only explain",
    "explain how",
    "explain what",
    "explain why",
    "explain the steps",
    "not do it",
    "not do anything",
    "not execute",
    "not actually",
    "not run anything",
    "not run it",
    "without doing",
    "without executing",
    "without running",
    "without actually",
    "dry run",
    "how would i",
    "how would you",
    "how would we",
    "how would one",
    "how do i",
    "how do you",
    "how do we",
    "how can i",
    "how can we",
    "how could i",
    "how should i",
    "how does",
    "how to",
    "which steps would",
    "what steps would",
    "would it be possible",
    "is it possible to",
    "if i were to",
    "if i wanted to",
    "if we were to",
    "were i to",
    "would it cost",
    "step by step guide",
    "steps involved",
    "steps are involved",
    "steps are needed",
    "steps needed",
];
