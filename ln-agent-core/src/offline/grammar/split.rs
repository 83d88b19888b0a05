//! A prompt's tokens cut into clauses, with the conditions they stand under.

use super::verb::{Verb, head, is_noise, is_question_word, verb_at};
use crate::offline::text::{Kind, Token};

/// A clause and its conditions, still in words.
#[derive(Clone, Debug, Default)]
pub(in crate::offline) struct Unit {
    /// Its words.
    pub(in crate::offline) tokens: Vec<Token>,
    /// Conditions: their words, and whether they must *not* hold.
    pub(in crate::offline) when: Vec<(Vec<Token>, bool)>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Lead {
    Plain,
    If,
    Unless,
    IfSo,
    Otherwise,
    /// What follows is done last.
    Before,
    /// What follows is done first.
    After,
}

#[derive(Debug)]
struct Piece {
    tokens: Vec<Token>,
    lead: Lead,
    after_then: bool,
}

/// The clauses, in order.
pub(in crate::offline) fn split(tokens: &[Token]) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut last_condition: Vec<(Vec<Token>, bool)> = Vec::new();
    for sentence in tokens.split(|token| matches!(token.kind, Kind::Mark('.' | ';' | '?' | '!'))) {
        assemble(pieces(sentence), &mut units, &mut last_condition);
    }
    share_objects(&mut units);
    units
}

/// `stop and start node 2`: a bare verb acts on what the next verb acts on.
fn share_objects(units: &mut [Unit]) {
    for at in (1..units.len()).rev() {
        let (before, after) = units.split_at_mut(at);
        let (Some(bare), Some(next)) = (before.last_mut(), after.first()) else { return };
        let mut words = bare.tokens.iter().filter(|token| !token.word().is_some_and(is_noise));
        let lone = words.next().is_some_and(|token| {
            token.word().is_some_and(|word| matches!(word, "stop" | "start" | "restart" | "close" | "create"))
        });
        if lone
            && words.next().is_none()
            && let Some((verb, _)) = head(&next.tokens)
        {
            bare.tokens.extend_from_slice(&next.tokens[verb + 1..]);
        }
    }
}

/// Puts conditions and what they govern together.
fn assemble(pieces: Vec<Piece>, units: &mut Vec<Unit>, last: &mut Vec<(Vec<Token>, bool)>) {
    let first_unit = units.len();
    let mut postponed = None;
    let mut active: Vec<(Vec<Token>, bool)> = Vec::new();
    let spoken: Vec<bool> = pieces.iter().map(says_something).collect();
    for (at, piece) in pieces.into_iter().enumerate() {
        match piece.lead {
            Lead::If | Lead::Unless => {
                // `mine, then, if …, pay`: a condition after a break governs what follows it, if anything does.
                let breaks = at == 0 || !spoken[at - 1];
                let leads = breaks && spoken.get(at + 1) == Some(&true) || units.len() == first_unit;
                let condition = vec![(piece.tokens, piece.lead == Lead::Unless)];
                last.clone_from(&condition);
                // Behind its clause it governs what stands before it, back to the last `then`.
                if !leads && active.is_empty() {
                    govern(&mut units[first_unit..], &condition);
                } else {
                    active = condition;
                }
            }
            Lead::Otherwise | Lead::IfSo => {
                if last.is_empty()
                    && let Some(question) = units.last()
                {
                    *last = vec![(question.tokens.clone(), false)];
                }
                if last.is_empty() {
                    // `otherwise pay it`, and nothing before: a condition that nobody can check.
                    *last = vec![(Vec::new(), false)];
                }
                let flip = piece.lead == Lead::Otherwise;
                active = last.iter().map(|(tokens, negated)| (tokens.clone(), *negated != flip)).collect();
                if !piece.tokens.is_empty() {
                    units.push(Unit { tokens: piece.tokens, when: active.clone() });
                }
            }
            Lead::Before | Lead::After => {
                let last = units.len() > first_unit;
                let unit = Unit { tokens: piece.tokens, when: active.clone() };
                match (piece.lead, last) {
                    // `before closing it, show it`: put behind what follows.
                    (Lead::Before, false) => postponed = Some(unit),
                    (Lead::After, true) => units.insert(units.len() - 1, unit),
                    _ => units.push(unit),
                }
            }
            Lead::Plain if piece.tokens.is_empty() => {}
            Lead::Plain => {
                let mut tokens = piece.tokens;
                if piece.after_then && active.is_empty() {
                    let mark = Token { kind: Kind::Word("then".to_owned()), ..tokens[0].clone() };
                    tokens.insert(0, mark);
                }
                units.push(Unit { tokens, when: active.clone() });
                units.extend(postponed.take());
            }
        }
    }
    units.extend(postponed);
}

/// Puts clauses under the condition behind them, back to the last `then`.
fn govern(units: &mut [Unit], condition: &[(Vec<Token>, bool)]) {
    let from = units.iter().rposition(|unit| unit.tokens.first().is_some_and(|token| token.is("then")));
    for unit in &mut units[from.unwrap_or(0)..] {
        unit.when = condition.to_vec();
    }
}

fn says_something(piece: &Piece) -> bool {
    let says = |token: &Token| {
        token.word().is_none_or(|word| !is_noise(word)) && !matches!(token.kind, Kind::Mark(_))
    };
    piece.tokens.iter().any(says)
}

fn pieces(sentence: &[Token]) -> Vec<Piece> {
    let mut pieces = vec![Piece { tokens: Vec::new(), lead: Lead::Plain, after_then: false }];
    for (at, token) in sentence.iter().enumerate() {
        let current = &pieces[pieces.len() - 1];
        let in_condition = matches!(current.lead, Lead::If | Lead::Unless);
        if let Some(lead) = lead(sentence, at) {
            pieces.push(Piece { tokens: Vec::new(), lead, after_then: false });
        } else if token.is("then") {
            pieces.push(Piece { tokens: Vec::new(), lead: Lead::Plain, after_then: true });
        } else if cuts(sentence, at, in_condition) {
            let keep =
                token.is("insteadof") || token.is("without") || verb_starts_here(sentence, at, in_condition);
            let tokens = if keep { vec![token.clone()] } else { Vec::new() };
            pieces.push(Piece { tokens, lead: Lead::Plain, after_then: false });
        } else if let Some(piece) = pieces.last_mut() {
            piece.tokens.push(token.clone());
        }
    }
    pieces
}

fn lead(sentence: &[Token], at: usize) -> Option<Lead> {
    match sentence[at].word()? {
        "if" | "when" | "once" if embedded(&sentence[..at]) => None,
        "if" => Some(Lead::If),
        "when" | "once"
            if at == 0 && sentence.get(1).is_some_and(|t| !t.word().is_some_and(is_question_word)) =>
        {
            Some(Lead::If)
        }
        // `pay … when node 2 runs`: a condition behind what it governs.
        "when" | "once"
            if head(&sentence[..at]).is_some_and(|(_, verb)| verb != Verb::Read)
                && sentence.get(at + 1).is_some_and(|t| !t.word().is_some_and(is_question_word)) =>
        {
            Some(Lead::If)
        }
        "before" if verb_follows(&sentence[at + 1..]) => Some(Lead::Before),
        "after" if verb_follows(&sentence[at + 1..]) => Some(Lead::After),
        "unless" => Some(Lead::Unless),
        "ifso" => Some(Lead::IfSo),
        "otherwise" => Some(Lead::Otherwise),
        _ => None,
    }
}

/// `before you close it`, `after mining`.
fn verb_follows(rest: &[Token]) -> bool {
    let at = rest.iter().take(4).take_while(|token| token.word().is_some_and(is_noise)).count();
    at < rest.len() && verb_at(rest, at).is_some_and(|verb| verb != Verb::Read)
}

/// `check if node 1 runs`: a question, not a condition.
fn embedded(before: &[Token]) -> bool {
    let last = before.iter().rev().filter_map(Token::word).find(|word| !matches!(*word, "me" | "us" | "out"));
    last.is_some_and(|word| matches!(word, "show" | "verify" | "know" | "wonder" | "ask" | "sure"))
}

fn cuts(sentence: &[Token], at: usize, in_condition: bool) -> bool {
    match &sentence[at].kind {
        Kind::Mark(':') if is_address(&sentence[..at]) => false,
        Kind::Mark(':') => {
            at > 0
                && !is_heading(&sentence[..at])
                && (is_chatter(&sentence[..at]) || starts_clause(&sentence[at + 1..], in_condition))
                && !sentence[at - 1]
                    .word()
                    .is_some_and(|w| matches!(w, "labelled" | "description" | "message"))
        }
        // `node 1, please sign this`: who is spoken to, no clause.
        Kind::Mark(',') if is_address(&sentence[..at]) => false,
        Kind::Mark(',') => starts_clause(&sentence[at + 1..], in_condition),
        Kind::Word(word) if matches!(word.as_str(), "and" | "but" | "or") => {
            !in_condition && !joins_two_ends(&sentence[..at]) && starts_clause(&sentence[at + 1..], false)
        }
        Kind::Word(word) if word == "insteadof" => true,
        Kind::Word(word) if word == "without" => verb_follows(&sentence[at + 1..]),
        Kind::Word(_) => verb_starts_here(sentence, at, in_condition),
        _ => false,
    }
}

/// `between node 1` before an `and`: what follows is the other end.
fn joins_two_ends(before: &[Token]) -> bool {
    before.iter().rev().take(4).any(|token| token.is("between"))
}

/// Words before a colon that ask for nothing: `anyway: …`.
fn is_chatter(before: &[Token]) -> bool {
    head(before).is_none()
        && !before.iter().filter_map(Token::word).any(|word| {
            matches!(
                word,
                "invoice" | "channel" | "blocks" | "block" | "offer" | "payment" | "node" | "nodes" | "peers"
            )
        })
}

/// `note:`, `the command is:`: kept with what follows, which it may turn into no command.
fn is_heading(before: &[Token]) -> bool {
    head(before).is_none() && !before.iter().filter_map(Token::word).all(is_noise)
}

fn is_address(before: &[Token]) -> bool {
    before.len() <= 4
        && before.iter().all(|token| {
            token.word().is_some_and(|word| {
                matches!(word, "node" | "hey" | "from" | "on" | "at" | "with" | "using" | "for")
            }) || matches!(token.kind, Kind::Number(_))
        })
}

/// `if node 1 has no channel open one`: no comma says where the condition ends.
fn verb_starts_here(sentence: &[Token], at: usize, in_condition: bool) -> bool {
    in_condition
        && at > 0
        && !sentence[at - 1]
            .word()
            .is_some_and(|word| is_noise(word) || matches!(word, "not" | "can" | "to" | "if" | "unless"))
        && !sentence[at].word().is_some_and(is_question_word)
        && verb_at(sentence, at).is_some()
        && has_predicate(&sentence[..at])
}

fn has_predicate(tokens: &[Token]) -> bool {
    tokens.iter().rev().take(12).filter_map(Token::word).any(|word| {
        matches!(
            word,
            "has"
                | "have"
                | "is"
                | "are"
                | "holds"
                | "hold"
                | "runs"
                | "succeed"
                | "fail"
                | "exists"
                | "does"
        )
    })
}

/// Whether a new clause begins with these words.
fn starts_clause(rest: &[Token], in_condition: bool) -> bool {
    let mut at = 0;
    // A dozen at most: the time stays linear however much noise there is.
    while at < 12
        && rest.get(at).is_some_and(|token| match &token.kind {
            Kind::Word(word) => is_noise(word) || word == "not",
            Kind::Mark(',') => true,
            _ => false,
        })
    {
        at += 1;
    }
    let Some(first) = rest.get(at) else { return false };
    let Some(word) = first.word() else { return false };
    if matches!(
        word,
        "if" | "unless" | "ifso" | "otherwise" | "before" | "after" | "explain" | "whatabout" | "repeat"
    ) {
        return true;
    }
    if let Some(verb) = verb_at(rest, at) {
        let predicate = in_condition && matches!(word, "is" | "are" | "has" | "does" | "do");
        return !predicate && (verb != Verb::Read || !matches!(word, "which" | "whose" | "where"));
    }
    subject_then_verb(&rest[at..])
}

/// `node 1 pays it`, `both nodes show …`.
fn subject_then_verb(rest: &[Token]) -> bool {
    let subject = rest.iter().take_while(|token| match &token.kind {
        Kind::Number(_) | Kind::Ordinal(_) => true,
        Kind::Word(word) => {
            matches!(
                word.as_str(),
                "node"
                    | "nodes"
                    | "n"
                    | "both"
                    | "every"
                    | "the"
                    | "my"
                    | "also"
                    | "then"
                    | "should"
                    | "must"
                    | "will"
                    | "can"
                    | "to"
                    | "please"
            )
        }
        _ => false,
    });
    let length = subject.count();
    let named = rest[..length].iter().any(|t| t.is("node") || t.is("n") || t.is("nodes"));
    named
        && length < rest.len()
        && head(&rest[length..length + 2.min(rest.len() - length)])
            .is_some_and(|(at, verb)| at == 0 && verb != Verb::Read)
}
