//! A model's context, brought back to what the words say.

use serde_json::{Value, json};

use super::Evidence;
use super::key::{Key, Sort};
use super::stands::{Place, whole};
use crate::offline::wish::{Clause, Task};
use crate::tool::Effect;
use crate::types::Object;

/// A context after [`Evidence::settle`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settled {
    /// What is left, and what was put right.
    pub context: Object,
    /// What was changed and why, one sentence each.
    pub corrections: Vec<String>,
    /// What the user has to be asked, because money or a wish is in doubt.
    pub questions: Vec<String>,
}

/// What becomes of a value.
pub(super) enum Verdict {
    /// It stands.
    Keep,
    /// The words say this instead.
    Replace(Value),
    /// The words say nothing of the kind.
    Drop,
    /// Nothing to go by, and it matters: the user is asked.
    Ask(String),
}

impl Evidence {
    /// Checks a model's context against the words. A value in the wrong unit or beside the only thing of its kind is
    /// put right, an invented one is left out, and where money cannot be told for certain the user is asked.
    #[must_use]
    pub fn settle(&self, context: Object) -> Settled {
        let mut settled = Settled::default();
        let moves = self.moves_money(&context);
        for (name, value) in context {
            if value.is_null() {
                continue;
            }
            match Key::of(&name) {
                Key::Clauses => self.settle_clauses(&name, &value, &mut settled),
                Key::Target => self.settle_target(name, value, &mut settled),
                _ => {
                    let verdict = self.judge(&name, &value, Place::default(), moves);
                    settled.take(name, value, verdict);
                }
            }
        }
        self.supply_node(&mut settled);
        settled
    }

    /// What the words make of a value.
    pub(super) fn judge(&self, name: &str, value: &Value, place: Place, moves: bool) -> Verdict {
        let heard = self.heard.context.get(name).filter(|_| self.is_understood());
        if self.heard.context.get(name) == Some(value) {
            return Verdict::Keep;
        }
        match Key::of(name) {
            Key::Node => self.judge_node(name, value, heard, place),
            Key::Money(places) => self.judge_money(name, value, places, heard, moves),
            Key::Unknown if matches!(value, Value::Array(_) | Value::Object(_)) => Verdict::Drop,
            Key::Unknown => Verdict::Drop,
            _ if self.stands(name, value, place) => Verdict::Keep,
            Key::Thing(sorts) => self.only_thing(sorts).map_or(Verdict::Drop, Verdict::Replace),
            Key::Text | Key::Verbatim => self.only_text(name).map_or(Verdict::Drop, Verdict::Replace),
            _ => heard.map_or(Verdict::Drop, |heard| Verdict::Replace(heard.clone())),
        }
    }

    fn judge_node(&self, name: &str, value: &Value, heard: Option<&Value>, place: Place) -> Verdict {
        // In a clause only the clause's own words tell which of the nodes it is about.
        let heard = heard.filter(|heard| whole(heard).is_some() && !place.composes);
        if let Some(heard) = heard {
            return if whole(heard) == whole(value) {
                Verdict::Keep
            } else {
                Verdict::Replace(heard.clone())
            };
        }
        let said = self.said.direction.filter(|_| !place.composes);
        match (name, said) {
            ("from_node", Some((from, _))) if whole(value) != Some(from.into()) => {
                return Verdict::Replace(json!(from));
            }
            ("to_node", Some((_, to))) if whole(value) != Some(to.into()) => {
                return Verdict::Replace(json!(to));
            }
            _ => {}
        }
        if whole(value).is_some_and(|node| self.node_stands(node, place)) {
            return Verdict::Keep;
        }
        match self.only_node().filter(|_| name == "node") {
            Some(node) => Verdict::Replace(json!(node)),
            None => Verdict::Drop,
        }
    }

    fn only_node(&self) -> Option<u32> {
        let mut nodes = self.said.nodes.iter();
        nodes.next().filter(|_| nodes.next().is_none() && !self.said.every_node).copied()
    }

    fn only_thing(&self, sorts: &[Sort]) -> Option<Value> {
        let mut found = self.said.things.iter().filter(|(sort, _)| sorts.contains(sort));
        found.next().filter(|_| found.next().is_none()).map(|(_, text)| json!(text))
    }

    fn only_text(&self, name: &str) -> Option<Value> {
        let texts = match name {
            "label" => &self.said.labels,
            "description" => &self.said.descriptions,
            _ => &self.said.messages,
        };
        match &texts[..] {
            [only] if !only.is_empty() => Some(json!(only)),
            _ => None,
        }
    }

    /// A tag that asks for a change nobody asked for is replaced by what was understood, or left out.
    fn settle_target(&self, name: String, value: Value, settled: &mut Settled) {
        let tools: &[&str] = match value.as_str() {
            Some("start_node") => &["ln_node_start"],
            Some("stop_node") => &["ln_node_stop"],
            Some("restart_node") => &["ln_node_stop", "ln_node_start"],
            Some("mine_blocks") => &["btc_generatetoaddress"],
            _ => &[],
        };
        let asked = tools.iter().all(|tool| self.allows(tool, Effect::Write, &Object::new()));
        let known = self.stands(&name, &value, Place::default());
        let verdict = if known && (asked || name == "topic") {
            Verdict::Keep
        } else {
            let heard = self.heard.context.get(&name).filter(|_| self.is_understood());
            heard.map_or(Verdict::Drop, |heard| Verdict::Replace(heard.clone()))
        };
        settled.take(name, value, verdict);
    }

    /// The only node named, where something is to be known or done about one and none was given.
    fn supply_node(&self, settled: &mut Settled) {
        const ENDS: [&str; 4] = ["node", "from_node", "to_node", "clauses"];
        let context = &settled.context;
        let idle = self.heard.intent_type.is_idle();
        if idle
            || context.is_empty()
            || ENDS.iter().any(|key| context.contains_key(*key))
            || context.contains_key("topic")
        {
            return;
        }
        let target = ["read_target", "action_target"].iter().find_map(|key| context.get(*key));
        let task = target.and_then(|target| serde_json::from_value::<Task>(target.clone()).ok());
        if task.is_some_and(|task| !task.needs_node()) {
            return;
        }
        let heard = self.heard.context.get("node").and_then(whole).and_then(|node| u32::try_from(node).ok());
        let node = if self.is_understood() { heard } else { self.only_node() };
        if let Some(node) = node {
            settled.corrections.push(format!("node: {node}, which the request names, was missing"));
            settled.context.insert("node".to_owned(), json!(node));
        }
    }

    /// Whether money moves with what this context asks for.
    fn moves_money(&self, context: &Object) -> bool {
        let reads = context.contains_key("read_target") && !context.contains_key("clauses");
        let tasks = context.get("clauses").and_then(Value::as_array).into_iter().flatten();
        let mut tasks =
            tasks.filter_map(|clause| serde_json::from_value::<Clause>(clause.clone()).ok()).peekable();
        !reads && (tasks.peek().is_none() || tasks.any(|clause| needs_money(clause.task)))
    }
}

/// Whether it makes no sense without an amount, or moves one.
pub(super) const fn needs_money(task: Task) -> bool {
    matches!(
        task,
        Task::Pay
            | Task::Keysend
            | Task::OpenChannel
            | Task::SendOnchain
            | Task::FundNode
            | Task::Withdraw
            | Task::CreateInvoice
            | Task::CreateOffer
            | Task::FetchInvoice
            | Task::SetFee
    )
}

impl Settled {
    /// Puts a value where its verdict says.
    pub(super) fn take(&mut self, name: String, value: Value, verdict: Verdict) {
        let kept = self.heed(&name, value, verdict);
        self.context.extend(kept.map(|value| (name, value)));
    }

    /// Writes down what became of a value, and gives what is left of it.
    pub(super) fn heed(&mut self, name: &str, value: Value, verdict: Verdict) -> Option<Value> {
        match verdict {
            Verdict::Keep => Some(value),
            Verdict::Replace(better) => {
                self.corrections.push(format!("{name}: {better}, as the request says, instead of {value}"));
                Some(better)
            }
            Verdict::Drop => {
                self.corrections
                    .push(format!("{name}: {value} was left out, for the request does not say it"));
                None
            }
            Verdict::Ask(question) => {
                self.corrections
                    .push(format!("{name}: {value} was left out, for the request does not say it"));
                self.ask(question);
                None
            }
        }
    }

    pub(super) fn ask(&mut self, question: String) {
        if !self.questions.contains(&question) {
            self.questions.push(question);
        }
    }
}
