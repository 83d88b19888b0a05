//! Prompts to intents, without a model.

use serde_json::{Value, json};

use super::dispatch::dispatch;
use super::followup;
use super::grammar::{
    Mood, Scene, Understood, asks_whether, frames, leaves_a_choice, mood, split, subject, takes_back,
    understand,
};
use super::say;
use super::text::{self, Token};
use super::wish::{Clause, Task};
use crate::types::{Exchange, IntentBlock, IntentType, Object};

/// The intent of a prompt. Always answers: what is not understood becomes a question or a `noop`, never a guess.
///
/// Nodes are 1 to `node_count`; "my node" is `own_node`. Clauses that are more than one dispatch tag stand in
/// `context.clauses`; a lone clause's values stand beside them under their canonical names.
///
/// # Examples
///
/// ```
/// use ln_agent_core::offline::{plan, translate};
///
/// let intent = translate("what is the block height?", &[], 2, 1);
/// assert_eq!(intent.context["read_target"], "block_height");
/// assert_eq!(plan(&intent, 2).unwrap().steps[0].tool, "btc_getblockchaininfo");
/// assert!(!translate("pay node 2 5000 from node 1", &[], 2, 1).clarifications_needed.is_empty());
/// ```
#[must_use]
pub fn translate(prompt: &str, history: &[Exchange], node_count: u32, own_node: u32) -> IntentBlock {
    let tokens = text::read(prompt);
    if let Some(intent) = followup::repeated(prompt, &tokens, history, node_count, own_node) {
        return intent;
    }
    let read = |explains: bool| {
        let mut scene = Scene::new(node_count, own_node, followup::artefacts(history));
        scene.explains = explains;
        Reading::of(prompt, &tokens, &mut scene)
    };
    if mood(&tokens) == Mood::Active {
        let reading = read(false);
        if !(reading.would_change() && asks_whether(&tokens)) {
            return reading.intent(prompt);
        }
    }
    explanation(prompt, &read(true), subject(&tokens, own_node))
}

/// Whether the words speak of a change without plainly commanding it: they ask, report, suppose or take back.
pub(super) fn is_doubted(prompt: &str, history: &[Exchange], node_count: u32, own_node: u32) -> bool {
    let tokens = text::read(prompt);
    let mut scene = Scene::new(node_count, own_node, followup::artefacts(history));
    mood(&tokens) != Mood::Active
        || asks_whether(&tokens)
        || frames(&tokens)
        || takes_back(&tokens)
        || corrects_itself(&tokens)
        || leaves_a_choice(&tokens)
        || Reading::of(prompt, &tokens, &mut scene).doubted
}

/// What the clauses of a prompt came to.
struct Reading {
    clauses: Vec<Clause>,
    questions: Vec<String>,
    forbidden: bool,
    /// A change is spoken of, but not plainly commanded.
    doubted: bool,
    /// Why a question has no answer here.
    beyond: Option<String>,
}

impl Reading {
    fn of(prompt: &str, tokens: &[Token], scene: &mut Scene) -> Self {
        const MANY: usize = 64;
        let (mut questions, mut forbidden, mut doubted) = (Vec::new(), false, false);
        let mut beyond: Option<String> = None;
        let mut unmined = false;
        let mut foreign: Option<String> = None;
        if corrects_itself(tokens) || takes_back(tokens) {
            questions.push("You took something back. What should I do, in one sentence?".to_owned());
        }
        for unit in split(tokens) {
            match understand(&unit, scene) {
                Understood::Clauses(clauses) => scene.clauses.extend(clauses),
                Understood::Ask(question) if !questions.contains(&question) => questions.push(question),
                Understood::Unclear => questions.push(unclear(prompt, &unit.tokens)),
                Understood::Foreign => foreign = foreign.or_else(|| Some(unclear(prompt, &unit.tokens))),
                Understood::Nothing => {
                    forbidden |= unit.tokens.iter().any(|token| token.is("not"));
                    unmined |= unit.tokens.iter().any(|token| token.is("mine"));
                }
                Understood::Doubt(question) => {
                    doubted = true;
                    if !questions.contains(&question) {
                        questions.push(question);
                    }
                }
                Understood::Beyond(reason) => beyond = beyond.or(Some(reason)),
                Understood::Ask(_) => {}
            }
            if scene.clauses.len() > MANY {
                questions =
                    vec![format!("That is more than {MANY} things at once. Which should I do first?")];
                break;
            }
        }
        if unmined && scene.clauses.iter().any(|clause| clause.task.mines()) {
            questions.push("That mines blocks to confirm it. Should I do it all the same?".to_owned());
        }
        // Alone it is out of the domain; among other wishes it must not be dropped in silence.
        questions.extend(foreign.filter(|_| !scene.clauses.is_empty()));
        questions.extend(beyond.clone().filter(|_| !scene.clauses.is_empty()));
        let mut reading = Self { clauses: scene.clauses.clone(), questions, forbidden, doubted, beyond };
        if frames(tokens) && reading.would_change() {
            reading.doubted = true;
            reading
                .questions
                .push("Should I really do that? It reads as if somebody else said it.".to_owned());
        }
        if leaves_a_choice(tokens) && reading.would_change() {
            reading.questions.push("Which of the two should I do?".to_owned());
        }
        reading.questions.truncate(4);
        reading
    }

    fn would_change(&self) -> bool {
        self.doubted || self.clauses.iter().any(|clause| !clause.task.is_read())
    }

    fn intent(self, prompt: &str) -> IntentBlock {
        let base = IntentBlock { raw_prompt: prompt.to_owned(), ..IntentBlock::default() };
        if !self.questions.is_empty() {
            let summary = format!("I need to know more before I do anything: {}", self.questions[0]);
            return IntentBlock {
                goal: if self.clauses.is_empty() {
                    "clarify what is wanted".to_owned()
                } else {
                    say::list(&self.clauses)
                },
                intent_type: kind(&self.clauses),
                clarifications_needed: self.questions,
                human_summary: summary,
                ..base
            };
        }
        if self.clauses.is_empty() {
            let reason = if let Some(reason) = &self.beyond {
                reason
            } else if self.forbidden {
                "Understood: nothing was done."
            } else {
                "There is nothing for me to do: I operate Bitcoin and Lightning nodes (channels, invoices, payments, blocks, balances)."
            };
            let context = self.beyond.iter().map(|reason| ("reason".to_owned(), json!(reason))).collect();
            return IntentBlock {
                goal: "nothing to do".to_owned(),
                context,
                intent_type: IntentType::Noop,
                human_summary: reason.to_owned(),
                ..base
            };
        }
        let goal = say::list(&self.clauses);
        let changes = self.clauses.iter().filter(|clause| !clause.task.is_read());
        let success_criteria = changes.map(|clause| format!("done: {}", say::clause(clause))).collect();
        let mut intent = IntentBlock {
            human_summary: format!("{goal}."),
            goal,
            intent_type: kind(&self.clauses),
            context: tagged(&self.clauses),
            success_criteria,
            ..base
        };
        complete(&mut intent, &self.clauses);
        intent
    }
}

/// `wait, no`, `I mean`, `scratch that`: what holds cannot be told for certain.
fn corrects_itself(tokens: &[Token]) -> bool {
    const PHRASES: [&str; 12] = [
        "wait no",
        "no wait",
        "i mean",
        "i meant",
        "scratch that",
        "never mind",
        "forget it",
        "forget that",
        "cancel that",
        "on second thought",
        "actually no",
        "or rather",
    ];
    let words: Vec<&str> = tokens.iter().filter_map(Token::word).collect();
    PHRASES.iter().any(|phrase| {
        let length = phrase.split(' ').count();
        words.windows(length).any(|window| phrase.split(' ').zip(window).all(|(a, b)| a == *b))
    }) || words.contains(&"nevermind")
        || words.contains(&"kidding")
}

fn unclear(prompt: &str, tokens: &[Token]) -> String {
    let start = tokens.first().map_or(0, |token| token.start);
    let end = tokens.last().map_or(start, |token| token.end).max(start);
    let said: String = prompt[start..end].chars().take(80).collect();
    format!("I did not understand \"{said}\". What should I do?")
}

/// Clauses beside everything that the dispatch table does not say alone.
pub(super) fn complete(intent: &mut IntentBlock, clauses: &[Clause]) {
    if intent.context.contains_key("clauses") || dispatch(intent).is_none() {
        intent.context = composed(clauses);
    }
}

/// One tag and its values; nothing for what no single tag says.
pub(super) fn tagged(clauses: &[Clause]) -> Object {
    let [clause] = clauses else { return composed(clauses) };
    match clause.task.tag() {
        Some(tag) if clause.when.is_empty() && !clause.every && plain(clause) => {
            let mut context = clause.args.clone();
            context.insert(tag.to_owned(), json!(clause.task.name()));
            context
        }
        _ => composed(clauses),
    }
}

/// Whether the dispatch row passes on every value the clause has.
fn plain(clause: &Clause) -> bool {
    let filtered = matches!(clause.task, Task::PaymentList | Task::InvoiceList);
    !filtered || clause.args.keys().all(|key| key == "node")
}

/// The clauses, and beside them the values that only one clause has or that all agree on.
fn composed(clauses: &[Clause]) -> Object {
    let mut context = Object::new();
    let mut conflicting: Vec<String> = Vec::new();
    for (key, value) in clauses.iter().flat_map(|clause| &clause.args) {
        match context.get(key) {
            Some(other) if other != value => conflicting.push(key.clone()),
            _ => drop(context.insert(key.clone(), value.clone())),
        }
    }
    context.retain(|key, _| {
        !conflicting.contains(key) && !matches!(key.as_str(), "invoice_of" | "offer_of" | "max")
    });
    context.insert("clauses".to_owned(), serde_json::to_value(clauses).unwrap_or(Value::Null));
    context
}

/// The kind of a lone unconditional clause; everything else is freeform.
pub(super) fn kind(clauses: &[Clause]) -> IntentType {
    let [clause] = clauses else { return IntentType::Freeform };
    if !clause.when.is_empty() {
        return IntentType::Freeform;
    }
    match clause.task {
        Task::OpenChannel => IntentType::OpenChannel,
        Task::SetFee => IntentType::SetFee,
        Task::Pay if clause.args.contains_key("rebalance") => IntentType::Rebalance,
        Task::Pay | Task::Keysend => IntentType::PayInvoice,
        Task::Recall => IntentType::Recall,
        _ => IntentType::Freeform,
    }
}

/// An explanation is wanted: what would be done is named, nothing is done.
fn explanation(prompt: &str, reading: &Reading, topic: Option<Task>) -> IntentBlock {
    let mut context = Object::new();
    if let Some(topic) = topic {
        context.insert("topic".to_owned(), json!(topic.name()));
    }
    let changes = reading.questions.is_empty() && reading.clauses.iter().any(|clause| !clause.task.is_read());
    let summary = match reading.clauses.first().filter(|_| changes) {
        Some(_) => {
            context.insert("would".to_owned(), serde_json::to_value(&reading.clauses).unwrap_or(Value::Null));
            format!("An explanation is wanted, so nothing is executed: {}.", say::list(&reading.clauses))
        }
        None => "An explanation is wanted, so nothing is executed.".to_owned(),
    };
    IntentBlock {
        goal: "explain without doing anything".to_owned(),
        intent_type: IntentType::Informational,
        context,
        human_summary: summary,
        raw_prompt: prompt.to_owned(),
        ..IntentBlock::default()
    }
}
