//! Verbs, and whether a word that may be one is one here.

use crate::offline::text::{Kind, Token};

/// What a clause does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::offline) enum Verb {
    Read,
    Verify,
    Open,
    Close,
    Pay,
    Send,
    Keysend,
    Bill,
    Offer,
    Create,
    Mine,
    Start,
    Stop,
    Restart,
    Connect,
    Sign,
    Set,
    Fund,
    Withdraw,
    Delete,
    Rebalance,
    Fetch,
    Decode,
    Wait,
    Load,
}

/// The first verb of a clause and where it stands.
pub(super) fn head(tokens: &[Token]) -> Option<(usize, Verb)> {
    let found = |from: usize| (from..tokens.len()).find_map(|at| verb_at(tokens, at).map(|verb| (at, verb)));
    let first = found(0)?;
    // `make node 2 issue an invoice`: who is made to do it stands between.
    let caused = first.1 == Verb::Create && tokens.get(first.0 + 1).is_some_and(|token| token.is("node"));
    // `tell node 2 to stop`.
    let told = first.1 == Verb::Read && tokens[first.0].is("show") && {
        let after = &tokens[first.0 + 1..];
        after.first().is_some_and(|token| token.is("node"))
            && after.get(2).is_some_and(|token| token.is("to") || token.is("not"))
    };
    let caused = caused || told;
    let second = found(first.0 + 1).filter(|(at, _)| caused && *at <= first.0 + 5);
    Some(second.unwrap_or(first))
}

/// The verb at this position, unless the word is a noun or an adjective here.
pub(super) fn verb_at(tokens: &[Token], at: usize) -> Option<Verb> {
    let word = tokens[at].word()?;
    if let Some(verb) = particle_verb(tokens, at) {
        return Some(verb);
    }
    let verb = lexical(word)?;
    let before = at.checked_sub(1).map(|i| &tokens[i]);
    if verb == Verb::Read && is_question_word(word) {
        return opens_question(tokens, at).then_some(verb);
    }
    if before.and_then(Token::word).is_some_and(|word| BEFORE_A_NOUN.contains(&word)) {
        return None;
    }
    let next = tokens.get(at + 1);
    let next_is = |words: &[&str]| next.and_then(Token::word).is_some_and(|word| words.contains(&word));
    if word == "open" && next_is(&["channels", "invoices", "offers"]) && at > 0 && before_is_number(before) {
        return None;
    }
    if is_noun_too(word) && !governs(next, word) {
        return None;
    }
    Some(verb)
}

fn before_is_number(before: Option<&Token>) -> bool {
    before.is_some_and(|token| {
        matches!(token.kind, Kind::Number(_)) || token.is("lessthan") || token.is("morethan")
    })
}

/// `invoice 5000 msat`, `node 3 invoices 5 sats`, `fund node 1`: a noun that is followed by what it acts on is a verb.
fn governs(next: Option<&Token>, word: &str) -> bool {
    let Some(next) = next else { return false };
    match &next.kind {
        Kind::Number(_) => true,
        Kind::Word(after) => {
            matches!(
                after.as_str(),
                "node" | "nodes" | "n" | "a" | "an" | "me" | "him" | "it" | "them" | "my" | "half"
            ) || word == "fund" && matches!(after.as_str(), "the" | "both" | "every" | "its")
                || word == "invoice" && matches!(after.as_str(), "them" | "upto" | "morethan")
        }
        Kind::Address(_) => word == "fund",
        _ => false,
    }
}

fn is_noun_too(word: &str) -> bool {
    matches!(word, "invoice" | "invoices" | "fund" | "funds" | "offer" | "offers" | "bill")
}

/// `turn … on`, `shut … down`, `bring … back up`, `take … offline`.
fn particle_verb(tokens: &[Token], at: usize) -> Option<Verb> {
    let word = tokens[at].word()?;
    if !matches!(
        word,
        "turn"
            | "switch"
            | "shut"
            | "bring"
            | "take"
            | "power"
            | "put"
            | "spin"
            | "fire"
            | "boot"
            | "get"
            | "start"
            | "wake"
    ) {
        return None;
    }
    let rest = tokens[at + 1..].iter().take(7).filter_map(Token::word);
    for particle in rest {
        match particle {
            "on" if matches!(word, "turn" | "switch" | "power") => return Some(Verb::Start),
            "up" | "running" | "back" if !matches!(word, "shut" | "take") => return Some(Verb::Start),
            "offandon" => return Some(Verb::Restart),
            "off" | "down" if word != "start" => return Some(Verb::Stop),
            "and" | "then" | "if" => return None,
            _ => {}
        }
    }
    None
}

fn lexical(word: &str) -> Option<Verb> {
    Some(match word {
        "show" | "know" => Verb::Read,
        word if is_question_word(word) => Verb::Read,
        "verify" => Verb::Verify,
        "open" => Verb::Open,
        "close" | "shut" => Verb::Close,
        "pay" => Verb::Pay,
        "send" => Verb::Send,
        "keysend" => Verb::Keysend,
        "bill" | "request" | "invoice" | "invoices" | "invoiced" => Verb::Bill,
        "offer" | "offers" => Verb::Offer,
        "create" => Verb::Create,
        "mine" => Verb::Mine,
        "start" => Verb::Start,
        "stop" => Verb::Stop,
        "restart" => Verb::Restart,
        "connect" => Verb::Connect,
        "sign" => Verb::Sign,
        "set" => Verb::Set,
        "fund" | "funds" => Verb::Fund,
        "withdraw" => Verb::Withdraw,
        "delete" => Verb::Delete,
        "rebalance" => Verb::Rebalance,
        "fetch" | "download" | "curl" => Verb::Fetch,
        "decode" => Verb::Decode,
        "wait" => Verb::Wait,
        "load" | "ensure" => Verb::Load,
        _ => return None,
    })
}

pub(super) fn is_question_word(word: &str) -> bool {
    matches!(
        word,
        "what"
            | "which"
            | "how"
            | "howmany"
            | "who"
            | "whose"
            | "where"
            | "when"
            | "why"
            | "is"
            | "are"
            | "was"
            | "were"
            | "does"
            | "do"
            | "did"
            | "has"
    )
}

/// Whether a question begins here: nothing but noise and prepositions stands before.
fn opens_question(tokens: &[Token], at: usize) -> bool {
    tokens[..at].iter().all(|token| match &token.kind {
        Kind::Word(word) => {
            is_noise(word)
                || matches!(word.as_str(), "at" | "on" | "to" | "for" | "of" | "in" | "by" | "with" | "from")
        }
        Kind::Mark(_) => true,
        _ => false,
    })
}

/// Words that say nothing.
pub(super) fn is_noise(word: &str) -> bool {
    NOISE.contains(&word)
}

/// After one of these comes a noun.
const BEFORE_A_NOUN: &[&str] = &[
    "a",
    "an",
    "the",
    "of",
    "this",
    "that",
    "these",
    "those",
    "my",
    "our",
    "your",
    "its",
    "their",
    "'s",
    "unpaid",
    "paid",
    "fresh",
    "every",
    "no",
    "howmany",
    "which",
    "active",
    "pending",
    "last",
    "first",
    "recent",
    "bolt11",
    "bolt12",
    "unique",
    "lightning",
    "for",
    "on",
    "in",
    "with",
    "from",
    "about",
    "open",
    "more",
    "lessthan",
    "morethan",
    "atleast",
    "atmost",
    "current",
    "shared",
    "msat",
    "sat",
    "sats",
    "expired",
    "insteadof",
    "without",
];

const NOISE: &[&str] = &[
    "please", "kindly", "could", "can", "would", "will", "you", "i", "we", "want", "wanted", "to", "need",
    "like", "id", "let", "lets", "us", "just", "now", "also", "so", "ok", "okay", "hey", "hi", "hello",
    "there", "well", "and", "then", "but", "again", "quickly", "possibly", "maybe", "simply", "go", "ahead",
    "for", "me", "first", "try", "help", "must", "should", "shall", "'s", "'d", "have", "ask", "thanks",
    "thank", "cheers", "dear", "agent", "bot", "sir", "anyway", "actually", "btw", "um", "uh", "yes", "sure",
    "good", "morning", "day", "evening", "be", "love", "wish", "gonna", "wanna", "all", "right", "next",
    "only", "use", "rather", "instead", "either", "it", "they", "he", "she", "still",
];
