//! Words one by one, for those who check somebody else's reading of a prompt.

use super::act::Said;
use super::command::{LIMITS, NEGATIONS, is_judged, leads_to_a_command};
use super::condition;
use super::entity::{Entities, has};
use super::link::{Scene, unheard_of};
use super::money::{Money, money_at, unit};
use super::node::nodes;
use super::split::Unit;
use super::stance::{but_not, is_forbidden, is_statement, without_noise};
use super::verb::{Verb, is_question_word, verb_at};
use crate::offline::text::{Decimal, Kind, Token};

/// Nodes named at one place.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::offline) struct Mention {
    /// Their numbers; empty means every node.
    pub(in crate::offline) numbers: Vec<u32>,
    /// First token.
    pub(in crate::offline) at: usize,
    /// Token after the last.
    pub(in crate::offline) end: usize,
}

/// Every mention of nodes.
pub(in crate::offline) fn mentions(tokens: &[Token], own: u32) -> Vec<Mention> {
    let found = nodes(tokens, None, own).into_iter();
    found.map(|node| Mention { numbers: node.numbers, at: node.at, end: node.end }).collect()
}

/// The amount that begins at this token: its number, the decimal places of its unit in millisatoshis, and the
/// millisatoshis unless something is wrong with it. `None` where no money is.
pub(in crate::offline) fn amount_at(tokens: &[Token], at: usize) -> Option<(Decimal, u32, Option<u64>)> {
    let (money, _) = money_at(tokens, at)?;
    let Kind::Number(number) = tokens[at].kind else { return None };
    let places = tokens.get(at + 1).and_then(Token::word).and_then(unit).unwrap_or(0);
    let msat = match money {
        Money::Msat(msat) => Some(msat),
        Money::Bad(_) => None,
    };
    Some((number, places, msat))
}

/// Labels, descriptions and messages of a clause.
#[derive(Clone, Debug, Default)]
pub(in crate::offline) struct Texts {
    /// The label.
    pub(in crate::offline) label: Option<String>,
    /// The description.
    pub(in crate::offline) description: Option<String>,
    /// The text to sign.
    pub(in crate::offline) message: Option<String>,
}

/// The texts of a clause.
pub(in crate::offline) fn texts(tokens: &[Token], own: u32) -> Texts {
    let found = Entities::of(tokens, own);
    Texts { label: found.label, description: found.description, message: found.message }
}

/// Who pays, opens or connects, and to whom, where a clause says both.
pub(in crate::offline) fn direction(tokens: &[Token], node_count: u32, own: u32) -> Option<(u32, u32)> {
    let tokens = but_not(without_noise(tokens));
    let found = Entities::of(tokens, own);
    let directed = found.verb.is_some_and(|(_, verb)| {
        matches!(
            verb,
            Verb::Pay
                | Verb::Send
                | Verb::Keysend
                | Verb::Open
                | Verb::Connect
                | Verb::Rebalance
                | Verb::Withdraw
        )
    });
    let named = found.nodes.iter().map(|node| node.numbers.len()).sum::<usize>();
    if !directed || named != 2 || has(tokens, &["received", "receive"]) {
        return None;
    }
    let scene = Scene::new(node_count, own, crate::types::Object::new());
    match (Said { tokens, found: &found, scene: &scene }).ends() {
        (Some(from), Some(to)) if from != to => Some((from, to)),
        _ => None,
    }
}

/// What a clause commands and what it forbids.
#[derive(Clone, Debug, Default)]
pub(in crate::offline) struct Deeds {
    /// Verbs of plain commands.
    pub(in crate::offline) commanded: Vec<Verb>,
    /// Verbs under a negation.
    pub(in crate::offline) forbidden: Vec<Verb>,
}

/// The deeds of a clause. What is asked, reported, judged or put off is neither commanded nor forbidden.
pub(in crate::offline) fn deeds(unit: &Unit, scene: &Scene) -> Deeds {
    let mut deeds = Deeds::default();
    let plain = but_not(without_noise(&unit.tokens));
    let found = Entities::of(plain, scene.own);
    let unread = unit.when.iter().any(|(words, negated)| condition::tests(words, *negated, scene).is_err());
    let idle = is_statement(plain, &found) || unheard_of(plain).is_some() || unread;
    let forbids = is_forbidden(plain, &found);
    let verb = |at| Some((at, verb_at(plain, at).filter(|verb| changes(*verb))?));
    let mut verbs: Vec<(usize, Verb)> = (0..plain.len()).filter_map(verb).take(MANY).collect();
    if verbs.is_empty() && !idle {
        verbs.extend(wanted(plain, &found));
    }
    for (at, verb) in verbs {
        let before = before(unit, &plain[at]);
        let halted = at > 0 && matches!(verb_at(plain, at - 1), Some(Verb::Stop | Verb::Start | Verb::Close));
        if forbids || halted || has(before, NEGATIONS) || has(before, &["avoid", "without", "insteadof"]) {
            deeds.forbidden.push(verb);
        } else if !idle && leads_to_a_command(before) && !is_hedged(plain, at, verb) {
            deeds.commanded.push(verb);
        }
    }
    deeds
}

/// Most deeds that one clause is searched for.
const MANY: usize = 64;

/// `another invoice for 7 sats on node 3`, `a channel of 100k sats`: a thing with an amount is to be made.
fn wanted(tokens: &[Token], found: &Entities) -> Option<(usize, Verb)> {
    let asks = tokens.first().and_then(Token::word).is_some_and(is_question_word);
    if asks || found.money.is_empty() {
        return None;
    }
    let at = tokens
        .iter()
        .position(|token| ["invoice", "channel", "payment"].iter().any(|noun| token.is(noun)))?;
    let fresh = has(&tokens[at.saturating_sub(4)..at], &["a", "an", "fresh", "another"]);
    match tokens[at].word()? {
        "invoice" => Some((at, Verb::Bill)),
        "channel" if fresh => Some((at, Verb::Open)),
        "payment" if fresh => Some((at, Verb::Pay)),
        _ => None,
    }
}

/// The words of the same part of a sentence before this one.
fn before<'u>(unit: &'u Unit, verb: &Token) -> &'u [Token] {
    let end = unit.tokens.iter().position(|token| token.start == verb.start).unwrap_or(0);
    let start = unit.tokens[..end].iter().rposition(ends_a_part).map_or(0, |mark| mark + 1);
    &unit.tokens[start..end]
}

/// Whether what follows the verb judges, limits or excludes the deed.
fn is_hedged(tokens: &[Token], at: usize, verb: Verb) -> bool {
    let after = &tokens[at..];
    let invoices = has(tokens, &["invoice", "invoices", "offer"]);
    let bills = matches!(verb, Verb::Bill | Verb::Offer) || verb == Verb::Create && invoices;
    if bills {
        return has(after, &["not", "never"]);
    }
    let halts = matches!(verb, Verb::Stop | Verb::Start | Verb::Close);
    let of_a_deed = halts && tokens.len() > at + 1 && verb_at(tokens, at + 1).is_some_and(changes);
    has(after, LIMITS) || has(after, NEGATIONS) || of_a_deed || verb != Verb::Load && is_judged(after)
}

/// `repeat after me: …`: whether words before a colon leave what follows the speaker's own command.
pub(in crate::offline) fn leaves_a_command(unit: &Unit, tokens: &[Token]) -> bool {
    let first = unit.tokens.first().map_or(0, |token| token.start);
    let before = &tokens[..tokens.partition_point(|token| token.start < first)];
    let Some((Token { kind: Kind::Mark(':'), .. }, lead)) = before.split_last() else { return true };
    let start = lead.iter().rposition(ends_a_part).map_or(0, |mark| mark + 1);
    leads_to_a_command(&lead[start..])
}

/// Where the last verb of a change stands.
pub(in crate::offline) fn last_deed(tokens: &[Token]) -> Option<usize> {
    (0..tokens.len()).rev().find(|at| verb_at(tokens, *at).is_some_and(changes))
}

fn ends_a_part(token: &Token) -> bool {
    matches!(token.kind, Kind::Mark(',' | ';' | '.' | '!' | '?'))
        || ["and", "so", "then", "but"].iter().any(|word| token.is(word))
}

const fn changes(verb: Verb) -> bool {
    !matches!(verb, Verb::Read | Verb::Verify | Verb::Sign | Verb::Decode | Verb::Wait)
}
