//! What a whole prompt says about its commands: that they are somebody else's, taken back, or asked about.

use super::entity::has;
use super::verb::{Verb, is_noise, verb_at};
use crate::offline::text::{Kind, Token};

/// Words in a prompt that make its commands somebody's words, or no commands.
pub(in crate::offline) fn frames(tokens: &[Token]) -> bool {
    let overrides = has(tokens, &["ignore", "disregard", "override"])
        && has(tokens, &["instructions", "instruction", "rules", "prompt"]);
    overrides
        || has(tokens, FRAMES)
        || tokens.windows(3).any(|t| t[0].is("e") && t[1].kind == Kind::Mark('.') && t[2].is("g"))
}

/// `stop or restart node 2`: one of two deeds, and which is not said.
pub(in crate::offline) fn leaves_a_choice(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().any(|(at, token)| {
        let rest = &tokens[at + 1..];
        let next = rest.iter().take(3).take_while(|t| t.word().is_some_and(is_noise)).count();
        token.is("or") && next < rest.len() && verb_at(rest, next).is_some_and(|verb| verb != Verb::Read)
    })
}

/// `…, actually don't`, `… ? no!`: a lone negation behind something takes it back.
pub(in crate::offline) fn takes_back(tokens: &[Token]) -> bool {
    let ends = |at: usize| {
        tokens.get(at).is_none_or(|token| matches!(token.kind, Kind::Mark('.' | '!' | '?' | ';')))
    };
    tokens.iter().enumerate().skip(2).any(|(at, token)| {
        ["not", "no", "never", "nope", "nah"].iter().any(|word| token.is(word))
            && ends(at + 1)
            && !tokens[at - 1].is("or")
    })
}

/// `can I pay …?`, `should node 1 pay …?`: asks whether, and commands nothing.
pub(in crate::offline) fn asks_whether(tokens: &[Token]) -> bool {
    tokens.split(|token| matches!(token.kind, Kind::Mark('.' | '?' | '!' | ';'))).any(|sentence| {
        let mut words = sentence
            .iter()
            .filter_map(Token::word)
            .skip_while(|word| matches!(*word, "and" | "so" | "but" | "hey" | "hi" | "hello" | "ok"));
        let modal =
            words.next().is_some_and(|word| MODALS.contains(&word) || matches!(word, "should" | "shall"));
        let (who, what) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        modal && matches!(who, "i" | "we" | "node" | "n" | "it" | "one" | "my") && !is_to_have(who, what)
    })
}

/// `could we have a channel`: politeness, not doubt.
pub(super) fn is_to_have(who: &str, what: &str) -> bool {
    matches!(who, "i" | "we") && matches!(what, "have" | "get" | "see" | "show")
}

/// Verbs that make a wish possible, not wanted.
pub(super) const MODALS: &[&str] = &["can", "could", "would", "will", "may", "might"];

const FRAMES: &[&str] = &[
    "said",
    "says",
    "told",
    "wrote",
    "writes",
    "claims",
    "claimed",
    "heard",
    "cancel",
    "cancels",
    "abort",
    "prevent",
    "prevents",
    "forbid",
    "forbids",
    "forbidden",
    "refuse",
    "refuses",
    "refused",
    "nobody",
    "noone",
    "undo",
    "revert",
    "example",
    "todo",
    "note",
    "quote",
    "remind",
    "reminder",
    "wonder",
    "wondering",
    "thinking",
    "considering",
    "forgot",
    "eg",
    "translate",
    "poem",
    "story",
    "supposedly",
    "according",
];
