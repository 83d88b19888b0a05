//! Whether words command. Only an explicit, present, affirmative command changes anything; the rest is asked about.

use super::entity::{Entities, has};
use super::filter::EXCEPT;
use super::frame::{MODALS, is_to_have};
use super::node::{NodeRef, Role};
use super::verb::{Verb, is_noise, verb_at};
use crate::offline::text::{Kind, Token};
use crate::offline::wish::{Clause, Task};

/// The question to ask when the words around a change are no plain command to make it.
///
/// `unit` is the clause with its noise, `tokens` without; `found` was read out of `tokens`.
pub(super) fn doubt(
    unit: &[Token],
    tokens: &[Token],
    found: &Entities,
    clauses: &[Clause],
) -> Option<String> {
    let harmless = |task: Task| task.is_read() || matches!(task, Task::WalletAddress | Task::EnsureWallet);
    if clauses.iter().all(|clause| harmless(clause.task)) {
        return None;
    }
    let thing =
        || tokens.iter().position(|token| token.is("channel") || token.is("invoice") || token.is("payment"));
    let amount = || found.money.first().map(|(at, _)| *at);
    let at = found.verb.map(|(at, _)| at).or_else(|| amount().min(thing()).or_else(amount)).unwrap_or(0);
    let anchor = tokens.get(at)?;
    let before = unit.iter().position(|token| token.start == anchor.start).unwrap_or(0);
    if !leads_to_a_command(&unit[..before]) || is_about_a_deed(tokens, found, at) {
        return Some(NOT_A_COMMAND.to_owned());
    }
    let after = &tokens[at..];
    if leaves_one_out(tokens, found, clauses) {
        return Some("From which node to which? Please say it in one sentence for each.".to_owned());
    }
    // What an invoice is for may be said in any words.
    let bills = clauses.iter().all(|clause| matches!(clause.task, Task::CreateInvoice | Task::CreateOffer));
    if bills {
        return has(after, &["not", "never"]).then(|| NOT_A_COMMAND.to_owned());
    }
    if has(after, LIMITS) {
        return Some("I do each thing once and now. What exactly should I do?".to_owned());
    }
    if !anchor.is("ensure") && is_judged(after) {
        return Some(NOT_A_COMMAND.to_owned());
    }
    if has(after, NEGATIONS) {
        return Some("I am not sure what is excluded. Please say only what should be done.".to_owned());
    }
    if has(after, &["or"]) {
        return Some("Which of them should I do? Please name one.".to_owned());
    }
    let opens = clauses.iter().all(|clause| clause.task == Task::OpenChannel);
    clauses.iter().any(|clause| moves_money(clause.task)).then(|| vague(tokens, found, opens)).flatten()
}

const NOT_A_COMMAND: &str = "Should I do that? I change something only when told to plainly, such as \"pay 1000 sat from node 1 to node 2\".";

const fn moves_money(task: Task) -> bool {
    matches!(
        task,
        Task::Pay | Task::Keysend | Task::OpenChannel | Task::SendOnchain | Task::FundNode | Task::Withdraw
    )
}

/// One amount, exact, from one node: all that moves money needs it.
fn vague(tokens: &[Token], found: &Entities, opens: bool) -> Option<String> {
    let hedged = found.money.iter().any(|(at, _)| {
        tokens[..*at].iter().rev().take(2).filter_map(Token::word).any(|word| HEDGES.contains(&word))
    });
    if hedged && !has(tokens, &["where", "whose", "invoice", "invoices"]) {
        return Some("How much exactly? Please give one amount.".to_owned());
    }
    // `open one to node 2 with 100k sats`: that one is no number.
    let counts = found.numbers.iter().filter(|(at, number, _)| {
        number.to_u64() != Some(1) || tokens[*at].end - tokens[*at].start != "one".len()
    });
    if !found.money.is_empty() && counts.count() > 0 {
        return Some("I see several numbers: how much exactly, and in which unit?".to_owned());
    }
    // Several nodes at one end: a channel may be opened to each of several, nothing else.
    let fans_out = |node: &NodeRef| node.numbers.len() > 1 && !(opens && node.role == Role::To);
    (found.nodes.len() > 1 && found.nodes.iter().any(fans_out))
        .then(|| "From which node to which? Please say it in one sentence each.".to_owned())
}

/// `create an invoice on nodes 1 and 2`: nodes named in one breath must all be acted on.
fn leaves_one_out(tokens: &[Token], found: &Entities, clauses: &[Clause]) -> bool {
    let uses = |node: u32| clauses.iter().flat_map(|clause| clause.args.values()).any(|value| *value == node);
    let mut listed = found.nodes.iter().filter(|node| node.numbers.len() > 1).flat_map(|node| &node.numbers);
    !has(tokens, EXCEPT) && listed.any(|node| !uses(*node))
}

/// Whether nothing before the verb makes it a question, a report or a wish of somebody else.
pub(super) fn leads_to_a_command(before: &[Token]) -> bool {
    let words: Vec<&str> = before.iter().filter_map(Token::word).collect();
    let known = before.iter().all(|token| match &token.kind {
        Kind::Word(word) => is_noise(word) || LEADS.contains(&word.as_str()) || is_manner(word),
        Kind::Quoted(_) => false,
        _ => true,
    });
    // `can you`, `I would like`; not `node 1 could`, `I might`.
    let modal = words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        let after_next = words.get(at + 2).copied().unwrap_or_default();
        let polite = matches!(next, "you" | "like" | "love" | "prefer" | "please" | "want" | "kindly")
            || is_to_have(next, after_next);
        MODALS.contains(word) && !polite && (at == 0 || words[at - 1] != "you")
    });
    let asks = words.first().is_some_and(|word| matches!(*word, "should" | "shall" | "must"))
        && words.len() > 1
        && words[1] != "you";
    let told_of = matches!(words.last(), Some(&("i" | "we" | "they" | "he" | "she")))
        || words.iter().any(|word| matches!(*word, "wanted" | "maybe"));
    known && !modal && !asks && !told_of
}

/// `paying node 2 was a mistake`: a deed that is spoken about.
pub(super) fn is_judged(after: &[Token]) -> bool {
    let filters =
        has(after, &["labelled", "description", "that", "which", "where", "whose", "who", "it", "them"]);
    !filters && has(after, &["is", "was", "were", "would", "fail", "been"])
}

/// `cooperatively`, `quickly`: how it is done; not `hardly`.
fn is_manner(word: &str) -> bool {
    word.ends_with("ly")
        && !matches!(word, "hardly" | "barely" | "rarely" | "scarcely" | "only")
        && !matches!(
            word,
            "supposedly" | "allegedly" | "reportedly" | "seemingly" | "apparently" | "hypothetically"
        )
}

/// `stop paying node 2`: the deed is spoken of, not wanted.
fn is_about_a_deed(tokens: &[Token], found: &Entities, at: usize) -> bool {
    let halts = found.verb.is_some_and(|(_, verb)| matches!(verb, Verb::Stop | Verb::Start | Verb::Close));
    halts
        && at + 1 < tokens.len()
        && verb_at(tokens, at + 1)
            .is_some_and(|verb| !matches!(verb, Verb::Read | Verb::Stop | Verb::Start | Verb::Restart))
}

/// What may stand before the verb of a command, beside noise.
const LEADS: &[&str] = &[
    "node",
    "nodes",
    "n",
    "both",
    "every",
    "the",
    "a",
    "an",
    "my",
    "our",
    "own",
    "its",
    "from",
    "on",
    "at",
    "in",
    "with",
    "via",
    "by",
    "using",
    "through",
    "of",
    "into",
    "between",
    "after",
    "before",
    "wallet",
    "shared",
    "miner",
    "onchain",
    "lightning",
    "following",
    "thing",
    "things",
    "steps",
    "do",
    "that",
    "this",
    "them",
    "same",
    "one",
    "create",
    "show",
    "ensure",
    "open",
    "finally",
    "over",
    "out",
    "has",
    "needs",
    "tell",
    "this",
    "number",
    "new",
    "fresh",
    "or",
    "msat",
    "sat",
    "sats",
    "btc",
    "proceed",
    "immediately",
    "channel",
    "invoice",
    "invoices",
    "payment",
    "offer",
    "address",
    "force",
    "forcibly",
    "unilaterally",
    "gracefully",
    "receive",
    "step",
    "setup",
    "perform",
    "execute",
    "initiate",
    "trigger",
    "kind",
    "devices",
    "lan",
    "othermachine",
    "other",
];

/// A time that is not now, or more than one time.
pub(super) const LIMITS: &[&str] = &[
    "until",
    "till",
    "while",
    "when",
    "day",
    "days",
    "time",
    "periodically",
    "forever",
    "after",
    "before",
    "week",
    "weeks",
    "month",
    "months",
    "year",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "morning",
    "evening",
    "night",
];

pub(super) const NEGATIONS: &[&str] =
    &["not", "no", "never", "nothing", "nobody", "none", "inactive", "neither", "nor", "zero"];

const HEDGES: &[&str] = &[
    "about",
    "around",
    "roughly",
    "approximately",
    "approx",
    "circa",
    "nearly",
    "almost",
    "atleast",
    "atmost",
    "upto",
    "morethan",
    "lessthan",
    "over",
    "maybe",
    "perhaps",
    "some",
];
