//! Labels, descriptions and messages that stand without quotes become quoted text: data, never grammar.

use super::{Kind, Token};

/// Quotes what follows `label`, `description` and `sign the message`.
pub(super) fn quote_free_text(prompt: &str, tokens: &[Token]) -> Vec<Token> {
    let mut quoted: Vec<Token> = Vec::with_capacity(tokens.len());
    let signs = tokens.iter().any(|token| token.is("sign"));
    let mut at = 0;
    while at < tokens.len() {
        let end = tokens[at].word().and_then(|word| text_end(prompt, tokens, at, word, signs));
        quoted.push(tokens[at].clone());
        at += 1;
        if let Some((from, end)) = end {
            quoted.extend(tokens[at..from].iter().cloned());
            let start = tokens[from].start;
            let text = prompt[start..end].trim_end_matches(['.', ',', ';', ':', '!', '?', ' ']);
            quoted.push(Token { kind: Kind::Quoted(text.to_owned()), start, end });
            while at < tokens.len() && tokens[at].start < end {
                at += 1;
            }
        }
    }
    quoted
}

/// The token where the text behind a key word begins and the byte where it ends.
fn text_end(prompt: &str, tokens: &[Token], key: usize, word: &str, signs: bool) -> Option<(usize, usize)> {
    let many = match word {
        "labelled" => false,
        "description" => true,
        "message" if signs => true,
        _ => return None,
    };
    let mut from = key + 1;
    while tokens.get(from).is_some_and(|t| matches!(t.kind, Kind::Mark(':')) || t.is("it") || t.is("as")) {
        from += 1;
    }
    let first = tokens.get(from)?;
    let data = match &first.kind {
        Kind::Word(word) => !NO_TEXT.contains(&word.as_str()),
        Kind::Number(_) => !tokens.get(from + 1).and_then(Token::word).is_some_and(is_unit),
        _ => false,
    };
    if !data {
        return None;
    }
    let word_end =
        |at: usize| prompt[at..].find(char::is_whitespace).map_or(prompt.len(), |length| at + length);
    if !many {
        return Some((from, word_end(first.start)));
    }
    let stop = tokens[from + 1..].iter().enumerate().find(|(offset, token)| match &token.kind {
        Kind::Mark(',' | ';' | '.' | '!' | '?') | Kind::Quoted(_) => true,
        Kind::Word(word) if matches!(word.as_str(), "then" | "labelled" | "if" | "unless") => true,
        Kind::Word(word)
            if matches!(word.as_str(), "with" | "on" | "using" | "from" | "by" | "at" | "of") =>
        {
            tokens.get(from + offset + 2).is_some_and(|t| t.is("node") || t.is("my") || t.is("the"))
        }
        Kind::Word(word) if word == "and" => tokens.get(from + offset + 2).and_then(Token::word).is_some(),
        _ => false,
    });
    Some((from, stop.map_or(prompt.len(), |(_, token)| token.start)))
}

fn is_unit(word: &str) -> bool {
    matches!(word, "msat" | "msats" | "sat" | "sats" | "btc")
}

/// Words that begin no label.
const NO_TEXT: &[&str] = &[
    "unique", "is", "are", "and", "the", "of", "for", "on", "with", "that", "which", "a", "an", "in", "from",
    "to", "do", "does", "has", "have", "by", "should", "then", "at", "using", "node", "how", "what",
];
