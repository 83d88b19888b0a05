//! Which nodes are meant, and in which role.

use crate::offline::text::{Kind, Token};

/// The part a node plays in its clause.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Role {
    /// Before the verb: the one who acts.
    Subject,
    /// After the verb, without a preposition.
    Object,
    From,
    To,
    With,
    /// `of`, `for`, `'s`.
    Of,
    /// `on`, `at`, `in`.
    On,
    Between,
}

/// A mention of one or several nodes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NodeRef {
    /// Their numbers; empty means every node.
    pub(super) numbers: Vec<u32>,
    pub(super) role: Role,
    pub(super) at: usize,
    pub(super) end: usize,
}

/// Every mention; `verb` is where the head verb stands.
pub(super) fn nodes(tokens: &[Token], verb: Option<usize>, own: u32) -> Vec<NodeRef> {
    let mut found: Vec<NodeRef> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match mention(tokens, at, own) {
            Some((numbers, end)) => {
                let role = role(tokens, at, end, verb, found.last());
                found.push(NodeRef { numbers, role, at, end });
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

fn number(token: Option<&Token>) -> Option<u32> {
    match &token?.kind {
        Kind::Number(number) => number.to_u32(),
        _ => None,
    }
}

fn mention(tokens: &[Token], at: usize, own: u32) -> Option<(Vec<u32>, usize)> {
    let next = |offset: usize| tokens.get(at + offset);
    let is_node = |token: Option<&Token>| token.is_some_and(|t| t.is("node") || t.is("nodes"));
    match &tokens[at].kind {
        Kind::Ordinal(position) if is_node(next(1)) => Some((vec![*position], at + 2)),
        Kind::Number(_)
            if is_node(next(1)) && next(1).is_some_and(|t| t.is("node")) && number(next(2)).is_none() =>
        {
            None
        }
        Kind::Number(_) if next(1).is_some_and(|t| matches!(t.kind, Kind::Mark('>'))) => {
            Some((vec![number(next(0))?], at + 1))
        }
        Kind::Number(_) if at > 0 && matches!(tokens[at - 1].kind, Kind::Mark('>')) => {
            Some((vec![number(next(0))?], at + 1))
        }
        Kind::Number(_) if between(tokens, at) => Some((vec![number(next(0))?], at + 1)),
        Kind::Word(word) => match word.as_str() {
            "node" | "nodes" | "n" => listed(tokens, at),
            "both" | "every" if is_node(next(1)) && number(next(2)).is_none() => Some((Vec::new(), at + 2)),
            "both" | "every"
                if next(1).is_some_and(|t| t.is("the") || t.is("of") || t.is("two"))
                    && is_node(next(2))
                    && number(next(3)).is_none() =>
            {
                Some((Vec::new(), at + 3))
            }
            "my" | "our" | "this" | "your"
                if next(1).is_some_and(|t| t.is("node")) && number(next(2)).is_none() =>
            {
                Some((vec![own], at + 2))
            }
            _ => None,
        },
        _ => None,
    }
}

/// `the channel between 1 and 2`: bare numbers, when no unit makes them amounts.
fn between(tokens: &[Token], at: usize) -> bool {
    let is_between = |i: usize| i < tokens.len() && tokens[i].is("between");
    let first = at.checked_sub(1).filter(|i| is_between(*i)).map(|_| at);
    let start = first.or_else(|| at.checked_sub(2).filter(|i| *i > 0 && is_between(*i - 1)));
    start.is_some_and(|start| {
        let free = tokens.get(start + 3).and_then(Token::word).is_none_or(|word| {
            super::money::unit(word).is_none() && !matches!(word, "percent" | "ppm" | "blocks" | "pct")
        });
        number(tokens.get(start)).is_some()
            && tokens.get(start + 1).is_some_and(|t| t.is("and"))
            && number(tokens.get(start + 2)).is_some()
            && has_channel(&tokens[..start])
            && free
    })
}

fn has_channel(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| token.is("channel") || token.is("channels") || token.is("connection"))
}

/// `node 1`, `nodes 1, 2 and 3`, `node 1 and node 2`, `nodes 1 to 3`.
fn listed(tokens: &[Token], at: usize) -> Option<(Vec<u32>, usize)> {
    let first_at = at
        + 1
        + usize::from(
            tokens.get(at + 1).is_some_and(|t| t.is("number") || matches!(t.kind, Kind::Mark('#'))),
        );
    let first = number(tokens.get(first_at))?;
    let (mut numbers, mut end) = (vec![first], first_at + 1);
    let plural = tokens[at].is("nodes");
    loop {
        let separator = tokens.get(end);
        let range = plural
            && separator.is_some_and(|t| t.is("to") || t.is("through") || matches!(t.kind, Kind::Mark('-')));
        let list = separator.is_some_and(|t| t.is("and") || matches!(t.kind, Kind::Mark(',')));
        let mut after = end + 1;
        if list && tokens.get(after).is_some_and(|t| t.is("and")) {
            after += 1;
        }
        let named = tokens.get(after).is_some_and(|t| t.is("node") || t.is("n"));
        let Some(more) = number(tokens.get(after + usize::from(named))) else { break };
        // `node 1 and 5 blocks`: without its own "node" a number counts only in a list of numbers.
        let counts = named || plural;
        if range {
            numbers.extend((first + 1..=more).take(64));
        } else if list && counts {
            numbers.push(more);
        } else {
            break;
        }
        end = after + usize::from(named) + 1;
    }
    Some((numbers, end))
}

fn role(tokens: &[Token], at: usize, end: usize, verb: Option<usize>, before: Option<&NodeRef>) -> Role {
    if at > 0 && matches!(tokens[at - 1].kind, Kind::Mark('>')) {
        return Role::To;
    }
    if tokens.get(end).is_some_and(|t| matches!(t.kind, Kind::Mark('>'))) {
        return Role::From;
    }
    let preposition = tokens[..at]
        .iter()
        .rev()
        .filter_map(Token::word)
        .find(|word| !matches!(*word, "the" | "my" | "our" | "a" | "both" | "peer" | "side"));
    let adjacent = at > 0 && tokens[at - 1].word().is_some();
    match preposition.filter(|_| adjacent) {
        Some("from" | "by" | "using" | "via" | "through") => Role::From,
        Some("to" | "into" | "toward" | "towards" | "onto") if verb.is_none_or(|v| v < at) => Role::To,
        Some("with" | "against") => Role::With,
        Some("on" | "at" | "in") => Role::On,
        Some("of" | "for" | "has") => Role::Of,
        Some("between") => Role::Between,
        Some("and") if before.is_some_and(|b| b.role == Role::Between) => Role::Between,
        _ if tokens.get(end).is_some_and(|t| t.is("'s")) => Role::Of,
        _ if verb.is_some_and(|v| at < v) => Role::Subject,
        _ => Role::Object,
    }
}
