//! What the words make of an amount, and of the clauses that carry amounts.

use serde_json::{Value, json};

use super::Evidence;
use super::amount::{self, Amount};
use super::key::Key;
use super::settle::{Settled, Verdict, needs_money};
use super::stands::{Place, whole};
use crate::offline::recipes;
use crate::offline::wish::{Clause, Test};
use crate::tool::Effect;
use crate::types::{Object, PlanStep};

impl Evidence {
    /// An amount must be one that was said, in the unit it was said in.
    pub(super) fn judge_money(
        &self,
        name: &str,
        value: &Value,
        places: u32,
        heard: Option<&Value>,
        moves: bool,
    ) -> Verdict {
        let same = |other: &Value| amount::read(other, places);
        if let Some(heard) = heard {
            let agrees = heard == value || same(heard).is_some() && same(heard) == same(value);
            return if agrees { Verdict::Keep } else { Verdict::Replace(heard.clone()) };
        }
        if self.money_stands(name, value, places, Place::default()) {
            return Verdict::Keep;
        }
        let amounts = self.amounts_once();
        let typed = amounts.iter().find(|amount| amount.is_typed_as(value));
        let meant = typed.or_else(|| amounts.first().filter(|_| amounts.len() == 1));
        match meant.and_then(|amount| amount::write(amount.msat, places)) {
            Some(better) if !self.said.bad_money => Verdict::Replace(better),
            _ if moves || !amounts.is_empty() => Verdict::Ask(self.amount_question(&amounts)),
            _ => Verdict::Drop,
        }
    }

    /// The amounts that were said, each once.
    fn amounts_once(&self) -> Vec<&Amount> {
        let mut once: Vec<&Amount> = Vec::new();
        for amount in &self.said.amounts {
            if !once.iter().any(|known| known.msat == amount.msat) {
                once.push(amount);
            }
        }
        once
    }

    fn amount_question(&self, amounts: &[&Amount]) -> String {
        let bare = self.said.numbers.iter().max().filter(|number| **number > 1);
        match (amounts, bare) {
            ([], Some(number)) if !self.said.bad_money => format!("{number} of what: msat, sat or btc?"),
            ([], _) => "How much should it be, in msat, sat or btc?".to_owned(),
            _ => {
                let said: Vec<String> = amounts.iter().map(ToString::to_string).collect();
                format!("Which amount belongs to what? You said {}.", said.join(", "))
            }
        }
    }

    /// Checks every clause; one that nobody asked for, or whose condition cannot be checked, is left out with a
    /// question, because what is left of such a wish is another wish.
    pub(super) fn settle_clauses(&self, name: &str, value: &Value, settled: &mut Settled) {
        if self.heard.context.get(name) == Some(value) {
            settled.context.insert(name.to_owned(), value.clone());
            return;
        }
        let Ok(clauses) = serde_json::from_value::<Vec<Clause>>(value.clone()) else {
            return settled.take(name.to_owned(), value.clone(), Verdict::Drop);
        };
        let clauses: Vec<Value> =
            clauses.into_iter().filter_map(|clause| self.settled_clause(clause, settled)).collect();
        if !clauses.is_empty() {
            settled.context.insert(name.to_owned(), Value::Array(clauses));
        }
    }

    fn settled_clause(&self, mut clause: Clause, settled: &mut Settled) -> Option<Value> {
        let task = clause.task;
        if !self.asks_for(&clause) {
            settled.corrections.push(format!("clause {}: left out, for nobody asked for it", task.name()));
            settled.ask(format!("Should I do that: {}? I did not read it in your words.", task.name()));
            return None;
        }
        let tests = || clause.when.iter().chain(&clause.filter);
        if let Some(test) = tests().find(|test| !self.test_stands(test)) {
            settled.corrections.push(format!(
                "clause {}: its condition on {} is not said",
                task.name(),
                test.of
            ));
            settled.ask(format!("Under which condition should I do it: {}?", task.name()));
            return None;
        }
        let place = Place { reads: task.is_read(), composes: true, ..Place::default() };
        let heard = self.heard_like(&clause);
        for (name, value) in std::mem::take(&mut clause.args) {
            let meant = heard.as_ref().and_then(|heard| heard.get(&name));
            let verdict = match (Key::of(&name), meant) {
                _ if meant == Some(&value) => Verdict::Keep,
                (Key::Node | Key::Money(_), Some(meant)) => Verdict::Replace(meant.clone()),
                (Key::Money(places), None) => {
                    self.judge_money(&name, &value, places, None, needs_money(task))
                }
                // References between clauses and limits are the model's own.
                (Key::Unknown, _)
                    if matches!(name.as_str(), "invoice_of" | "offer_of" | "max" | "fetched") =>
                {
                    Verdict::Keep
                }
                _ => self.judge(&name, &value, place, needs_money(task)),
            };
            let kept = settled.heed(&name, value, verdict);
            clause.args.extend(kept.map(|value| (name, value)));
        }
        serde_json::to_value(&clause).ok()
    }

    /// The values of the only clause of this task that the deterministic translator reads.
    fn heard_like(&self, clause: &Clause) -> Option<Object> {
        let clauses = self.heard.context.get("clauses").filter(|_| self.is_understood())?;
        let clauses: Vec<Clause> = serde_json::from_value(clauses.clone()).ok()?;
        let mut same = clauses.into_iter().filter(|heard| heard.task == clause.task);
        same.next().filter(|_| same.next().is_none()).map(|heard| heard.args)
    }

    /// Whether the tools of its recipe are allowed.
    fn asks_for(&self, clause: &Clause) -> bool {
        if clause.task.is_read() {
            return true;
        }
        let bare = Clause { when: Vec::new(), filter: Vec::new(), ..clause.clone() };
        let steps: Vec<PlanStep> = recipes::steps(&[bare]).unwrap_or_default();
        // Amounts and nodes are put right afterwards; what counts here is the deed.
        let changing = steps.iter().filter(|step| super::lexicon::changes(&step.tool));
        changing.into_iter().all(|step| self.allows(&step.tool, Effect::Write, &Object::new()))
    }

    fn test_stands(&self, test: &Test) -> bool {
        let place = Place { reads: true, ..Place::default() };
        let node = |node: Option<u32>| node.is_none_or(|node| self.node_stands(node.into(), place));
        let value = match test.of.as_str() {
            "wallet_balance" if test.value.is_number() => {
                whole(&test.value) == Some(0) || self.money_stands("amount_btc", &test.value, 11, place)
            }
            of => self.value_of_test_stands(of, &test.value),
        };
        node(test.node)
            && node(test.peer)
            && (value || json!(true) == test.value || json!(false) == test.value)
    }
}
