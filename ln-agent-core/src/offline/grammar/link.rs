//! Clauses in their context: what was said before fills what a clause leaves out.

use serde_json::Value;

use super::act::act;
use super::command::doubt;
use super::condition::tests;
use super::entity::{Entities, has};
use super::read::topic;
use super::split::Unit;
use super::stance::{but_not, is_forbidden, is_ours, is_statement, without_noise};
use super::verb::Verb;
use crate::offline::text::{Kind, Token};
use crate::offline::wish::{Clause, Task};
use crate::types::Object;

/// What is known while the clauses of a prompt are read.
#[derive(Clone, Debug, Default)]
pub(in crate::offline) struct Scene {
    /// Nodes are 1 to this number.
    pub(in crate::offline) node_count: u32,
    /// "My node".
    pub(in crate::offline) own: u32,
    /// What earlier exchanges left behind, the newest value of each name.
    pub(in crate::offline) artefacts: Object,
    /// Clauses read so far.
    pub(in crate::offline) clauses: Vec<Clause>,
    /// What "it" and "its" may mean.
    pub(in crate::offline) last_node: Option<u32>,
    /// The two nodes named together last: whose channel "it" is.
    pub(in crate::offline) last_pair: Option<(u32, u32)>,
    /// Nothing is done: it is only found out what would be.
    pub(in crate::offline) explains: bool,
    /// The node that the clause's condition is about.
    condition_node: Option<u32>,
    /// The deed before, for `…, then 10 sats from node 2 to node 1`.
    last_verb: Option<Verb>,
}

/// What became of a clause.
#[derive(Debug)]
pub(in crate::offline) enum Understood {
    /// It asks for these.
    Clauses(Vec<Clause>),
    /// It is of the domain, and a question is open.
    Ask(String),
    /// It speaks of a change without commanding it plainly.
    Doubt(String),
    /// It asks for what nothing here tells: why.
    Beyond(String),
    /// It forbids something, or is not about anything here.
    Nothing,
    /// It speaks of the domain, and makes no sense to the grammar.
    Unclear,
    /// It wants something that is not done here.
    Foreign,
}

/// Why a clause has no plain meaning.
#[derive(Debug)]
pub(super) enum Refusal {
    Ask(String),
    Doubt(String),
    Beyond(&'static str),
    Unclear,
}

pub(super) fn ask<T>(question: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Ask(question.into()))
}

/// Reads one clause.
pub(in crate::offline) fn understand(unit: &Unit, scene: &mut Scene) -> Understood {
    let tokens = without_noise(&unit.tokens);
    if tokens.is_empty() {
        return Understood::Nothing;
    }
    scene.condition_node = None;
    for (condition, _) in &unit.when {
        let about = Entities::of(condition, scene.own);
        let named = about.nodes.first().and_then(|node| node.numbers.first().copied());
        // `how many channels does node 1 have? If fewer than five, …`: about the node just looked at.
        scene.condition_node = named.or_else(|| scene.looked_at());
        scene.mention(&about);
    }
    let tokens = but_not(tokens);
    let found = Entities::of(tokens, scene.own);
    if has(tokens, &["both"])
        && scene.node_count != 2
        && found.nodes.iter().any(|node| node.numbers.is_empty())
    {
        return Understood::Ask(format!("Which two of the {} nodes do you mean?", scene.node_count));
    }
    if let Some(number) = missing_node(&found, scene, tokens) {
        let known = if scene.node_count == 1 {
            "only node 1".to_owned()
        } else {
            format!("1 to {}", scene.node_count)
        };
        return Understood::Ask(format!(
            "Which node do you mean? There is no node {number}: the nodes are {known}."
        ));
    }
    let idle = is_forbidden(tokens, &found) || is_statement(tokens, &found);
    let outcome = if idle { Ok(Vec::new()) } else { clauses(tokens, &found, scene) };
    let outcome = outcome.and_then(|clauses| {
        match doubt(&unit.tokens, tokens, &found, &clauses).filter(|_| !scene.explains) {
            Some(question) => Err(Refusal::Doubt(question)),
            None => {
                // `start node 2 if it is down`: what the condition leaves open is what the clause names.
                let silent = |(words, _): &(Vec<Token>, bool)| {
                    Entities::of(words, scene.own).nodes.is_empty() && has(words, &["it", "its"])
                };
                if !unit.when.is_empty() && unit.when.iter().all(silent) && scene.last_node.is_none() {
                    scene.mention(&found);
                }
                under_conditions(clauses, unit, scene)
            }
        }
    });
    scene.mention(&found);
    scene.last_verb = found.verb.map(|(_, verb)| verb).or(scene.last_verb);
    match outcome {
        Ok(clauses) if clauses.is_empty() => Understood::Nothing,
        Ok(clauses) => Understood::Clauses(clauses),
        Err(Refusal::Ask(question)) => Understood::Ask(question),
        Err(Refusal::Doubt(question)) => Understood::Doubt(question),
        Err(Refusal::Beyond(reason)) => Understood::Beyond(reason.to_owned()),
        Err(Refusal::Unclear) if is_ours(tokens, &found) => Understood::Unclear,
        Err(Refusal::Unclear) if found.verb.is_some() => Understood::Foreign,
        Err(Refusal::Unclear) => Understood::Nothing,
    }
}

fn under_conditions(mut clauses: Vec<Clause>, unit: &Unit, scene: &Scene) -> Result<Vec<Clause>, Refusal> {
    if clauses.is_empty() {
        return Ok(clauses);
    }
    let mut when = Vec::new();
    for (tokens, negated) in &unit.when {
        when.extend(tests(tokens, *negated, scene)?);
    }
    for clause in &mut clauses {
        clause.when.clone_from(&when);
    }
    Ok(clauses)
}

fn clauses(tokens: &[Token], found: &Entities, scene: &Scene) -> Result<Vec<Clause>, Refusal> {
    if found.verb.is_some_and(|(_, verb)| !matches!(verb, Verb::Read | Verb::Verify | Verb::Sign))
        && let Some(question) = unheard_of(tokens)
    {
        return ask(question);
    }
    let asks = tokens.first().and_then(Token::word).is_some_and(super::verb::is_question_word);
    let from_outside =
        has(tokens, &["othermachine", "lan"]) && has(tokens, &["reachable", "connect", "expose", "announce"]);
    if from_outside && !asks && !found.nodes.is_empty() {
        return super::act_node::reach(super::act::Said { tokens, found, scene });
    }
    let verifies = found.verb.is_some_and(|(_, verb)| verb == Verb::Verify) && !scene.clauses.is_empty();
    if !is_ours(tokens, found) && !verifies {
        return Err(Refusal::Unclear);
    }
    match found.verb {
        Some((_, Verb::Read)) => {
            wanted_thing(tokens, found, scene).unwrap_or_else(|| reads(tokens, found, scene))
        }
        Some((_, Verb::Verify)) => verify(tokens, found, scene),
        Some((at, verb)) => act(verb, at, tokens, found, scene),
        None if matches!(
            scene.last_verb,
            Some(Verb::Pay | Verb::Send | Verb::Open | Verb::Bill | Verb::Keysend)
        ) && !found.money.is_empty() =>
        {
            act(scene.last_verb.unwrap_or(Verb::Pay), 0, tokens, found, scene)
        }
        None => wanted_thing(tokens, found, scene).unwrap_or_else(|| reads(tokens, found, scene)),
    }
}

/// What is said about an act that no step can do: repeating it, doing it later.
pub(super) fn unheard_of(tokens: &[Token]) -> Option<&'static str> {
    if has(tokens, &["times", "twice", "thrice", "repeatedly"]) {
        return Some("I do each thing once. Please say it as often as you want it done.");
    }
    if has(tokens, &["channel"]) && has(tokens, &["private", "unannounced", "unpublished"]) {
        return Some("I open channels that are announced only. Should I open such a one?");
    }
    let later = [
        "later", "tomorrow", "tonight", "hourly", "daily", "weekly", "hour", "hours", "minute", "minutes",
        "midnight", "noon", "week", "month",
    ];
    has(tokens, &later).then_some("I can only act now, not later or on a schedule. Should I do it now?")
}

/// `give me an invoice over 5 sats`, `a channel of 100k sats from …`: a thing with an amount is to be made.
fn wanted_thing(tokens: &[Token], found: &Entities, scene: &Scene) -> Option<Result<Vec<Clause>, Refusal>> {
    let new = |noun: &str| {
        tokens.iter().enumerate().any(|(at, token)| {
            token.is(noun)
                && tokens[..at].iter().rev().take(4).any(|t| t.is("a") || t.is("an") || t.is("fresh"))
        })
    };
    let priced = !found.money.is_empty() || !found.numbers.is_empty();
    let asks = tokens.first().and_then(Token::word).is_some_and(super::verb::is_question_word);
    if found.verb.is_none()
        && !asks
        && new("payment")
        && !has(tokens, &["channel"])
        && !found.money.is_empty()
    {
        return Some(act(Verb::Pay, 0, tokens, found, scene));
    }
    let blocks = found.counted(&["block", "blocks", "more"]).is_some();
    if found.verb.is_none() && !asks && blocks && topic(tokens, found) == Some(Task::BlockHeight) {
        return Some(ask("Should blocks be mined? Please say so, and how many."));
    }
    let receives = found.verb.is_none() && has(tokens, &["receive"]) && !found.money.is_empty();
    let made =
        receives || !asks && (new("invoice") || has(tokens, &["invoice"]) && found.verb.is_none() && priced);
    if receives && found.nodes.len() > 1 {
        // `node 2 receives 5000 msat from node 1`.
        return Some(super::act_money::receive(super::act::Said { tokens, found, scene }));
    }
    if made {
        return Some(act(Verb::Bill, 0, tokens, found, scene));
    }
    let (from, to) = super::act::Said { tokens, found, scene }.ends();
    let sized = found.verb.is_none()
        && !found.money.is_empty()
        && has(tokens, &["channel"])
        && from.is_some()
        && to.is_some();
    (!asks && priced && (new("channel") || sized)).then(|| act(Verb::Open, 0, tokens, found, scene))
}

/// `verify the payment`: of the payment just made, the payer's list.
fn verify(tokens: &[Token], found: &Entities, scene: &Scene) -> Result<Vec<Clause>, Refusal> {
    if has(tokens, &["mine", "blocks", "block"]) && !found.numbers.is_empty() {
        return act(Verb::Mine, 0, tokens, found, scene);
    }
    let paid = scene.clauses.iter().rev().find(|clause| matches!(clause.task, Task::Pay | Task::Keysend));
    let payer = paid.and_then(|clause| clause.args.get("from_node"));
    match (payer, found.nodes.is_empty()) {
        (Some(node), true) if has(tokens, &["payment", "it", "that", "paid", "succeed"]) => {
            let args = [("node".to_owned(), node.clone())].into_iter().collect();
            Ok(vec![Clause { task: Task::PaymentList, args, ..Clause::default() }])
        }
        _ => match reads(tokens, found, scene) {
            // "and verify": every change is verified anyway.
            Err(Refusal::Unclear) if !scene.clauses.is_empty() => Ok(Vec::new()),
            other => other,
        },
    }
}

/// One or several reads: `the peers and channels of node 1`.
fn reads(tokens: &[Token], found: &Entities, scene: &Scene) -> Result<Vec<Clause>, Refusal> {
    if let Some(reason) = super::beyond::beyond(tokens, found) {
        return Err(Refusal::Beyond(reason));
    }
    if super::read::topic(tokens, found) == Some(Task::Recall) {
        return Ok(vec![super::act::recall(tokens, found)]);
    }
    let mut parts: Vec<(Task, Vec<u32>, bool, &[Token])> = Vec::new();
    for part in tokens.split(|t| t.is("and") || matches!(t.kind, Kind::Mark(','))) {
        let here = Entities::of(part, scene.own);
        let task = topic(part, &here);
        let numbers: Vec<u32> = here.nodes.iter().flat_map(|node| node.numbers.clone()).collect();
        let every = here.nodes.iter().any(|node| node.numbers.is_empty());
        match (task, parts.last_mut()) {
            (Some(task), _) => parts.push((task, numbers, every, part)),
            (None, Some(last)) => {
                last.1.extend(numbers);
                last.2 |= every;
            }
            (None, None) => {}
        }
    }
    let whole = topic(tokens, found);
    let split_helps =
        parts.len() > 1 && parts.iter().any(|part| part.0 != parts[0].0 || part.1 != parts[0].1);
    if !split_helps {
        let task = whole.ok_or(Refusal::Unclear)?;
        let numbers = found.nodes.iter().flat_map(|node| node.numbers.clone()).collect();
        let every = found.nodes.iter().any(|node| node.numbers.is_empty());
        parts = vec![(task, numbers, every, tokens)];
    }
    let all_numbers: Vec<u32> = parts.iter().flat_map(|part| part.1.clone()).collect();
    let mut clauses: Vec<Clause> = Vec::new();
    for (task, numbers, every, part) in parts {
        let numbers = if numbers.is_empty() && !every { all_numbers.clone() } else { numbers };
        for clause in super::act::read(task, &numbers, every, part, tokens, found, scene)? {
            if !clauses.contains(&clause) {
                clauses.push(clause);
            }
        }
    }
    Ok(clauses)
}

/// A node that does not exist, unless it is to be created.
fn missing_node(found: &Entities, scene: &Scene, tokens: &[Token]) -> Option<u32> {
    let creates = found.verb.is_some_and(|(_, verb)| verb == Verb::Create)
        && !has(tokens, &["invoice", "channel", "offer", "address"]);
    let mut numbers = found.nodes.iter().flat_map(|node| &node.numbers);
    numbers.find(|number| **number == 0 || (**number > scene.node_count && !creates)).copied()
}

impl Scene {
    /// Before the first clause.
    pub(in crate::offline) fn new(node_count: u32, own: u32, artefacts: Object) -> Self {
        Self { node_count, own, artefacts, ..Self::default() }
    }

    /// Remembers the nodes that were named.
    fn mention(&mut self, found: &Entities) {
        let numbers: Vec<u32> = found.nodes.iter().flat_map(|node| node.numbers.clone()).take(3).collect();
        if let [first, second] = numbers[..] {
            self.last_pair = Some((first, second));
        }
        if let Some(node) = found.nodes.iter().rev().find_map(|node| node.numbers.first()) {
            self.last_node = Some(*node);
        }
    }

    /// The node of the question just before.
    fn looked_at(&self) -> Option<u32> {
        let last = self.clauses.last().filter(|clause| clause.task.is_read())?;
        last.args.get("node").and_then(Value::as_u64).and_then(|node| u32::try_from(node).ok())
    }

    /// Who acts when only the condition says so: `if node 1 has no channel, open one to node 2`.
    pub(super) const fn condition_node(&self) -> Option<u32> {
        self.condition_node
    }

    /// A node that "it", "its" or "that node" stands for.
    pub(super) fn meant_node(&self) -> Option<u32> {
        let remembered =
            ["node", "from_node"].iter().find_map(|key| self.artefacts.get(*key).and_then(Value::as_u64));
        self.last_node.or_else(|| remembered.and_then(|node| u32::try_from(node).ok()))
    }
}
