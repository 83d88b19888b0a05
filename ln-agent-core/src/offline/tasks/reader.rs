//! One task after another: every value that it has room for, from the words.

use serde_json::{Value, json};

use super::adopt::TaskFault;
use super::condition::tests;
use super::said::Said;
use super::schema::{FACTS, FIELDS};
use super::{form, value};
use crate::offline::grammar::Verb;
use crate::offline::wish::{Clause, Task};
use crate::types::Object;

pub(super) struct Reader<'a> {
    pub(super) said: &'a Said,
    pub(super) clauses: Vec<Clause>,
    pub(super) questions: Vec<String>,
    /// Amounts that have their task.
    pub(super) amounts: Vec<u64>,
}

impl Reader<'_> {
    pub(super) fn read(&mut self, raw: &Object) -> Result<(), TaskFault> {
        let name = raw.get("task").and_then(Value::as_str);
        let name = name.ok_or_else(|| TaskFault::Shape(json!(raw).to_string()))?;
        let task = form::named(name).ok_or_else(|| TaskFault::Unknown(name.to_owned()))?;
        let mut clause = Clause { task, ..Clause::default() };
        clause.when = tests(self.said, raw.get("if"), FACTS)?;
        clause.filter = tests(self.said, raw.get("where"), FIELDS)?;
        let plural = match task {
            Task::CloseChannel => self.said.words.plural,
            Task::Pay => self.said.words.plural && self.said.has(&["invoices"]),
            _ => false,
        };
        let every = raw.get("every") == Some(&json!(true)) || !clause.filter.is_empty();
        clause.every = plural && (every || self.said.has(&["every", "channels"]));
        self.fill(&mut clause, raw);
        self.manner(&mut clause);
        if value::is_all(self.said, raw.get("node")) && form::of(task).has("node") {
            self.clauses.extend((1..=self.said.node_count).map(|node| {
                let mut each = clause.clone();
                each.args.insert("node".to_owned(), json!(node));
                each
            }));
        } else {
            self.clauses.push(clause);
        }
        Ok(())
    }

    /// Every value that the task has room for, from the words.
    fn fill(&mut self, clause: &mut Clause, raw: &Object) {
        let form = form::of(clause.task);
        for name in form.required.iter().chain(form.optional) {
            let required = form.required.contains(name);
            let given = raw.get(*name).filter(|value| !value.is_null());
            let found = match *name {
                "node" | "from_node" | "to_node" => self.node(clause, name, given, required),
                "amount" => {
                    self.amount(clause, given, required);
                    continue;
                }
                "every" | "where" => continue,
                _ => self.other(clause, name, given, required),
            };
            if let Some(value) = found {
                clause.args.insert(self.member(clause.task, name).to_owned(), value);
            }
        }
        match clause.task {
            Task::Pay if !clause.every => self.what_to_pay(clause),
            Task::Withdraw => self.where_to_withdraw(clause),
            _ => {}
        }
    }

    /// What single words add to a task.
    fn manner(&mut self, clause: &mut Clause) {
        let said = self.said;
        let status = |words: &[&'static str]| words.iter().copied().find(|word| said.has(&[word]));
        let mut add = |name: &str, value: Value| drop(clause.args.insert(name.to_owned(), value));
        match clause.task {
            Task::CloseChannel if said.has(&["force", "forcibly", "forced"]) => {
                add("unilateral_timeout", json!(1))
            }
            Task::DeleteNode if said.has(&["force", "forcibly"]) => add("force", json!(true)),
            Task::Pay if said.commands(Verb::Rebalance) => add("rebalance", json!(true)),
            Task::PaymentList | Task::ForwardList => {
                if let Some(status) = status(&["failed", "pending", "settled", "complete", "offered"]) {
                    add("status", json!(status));
                }
            }
            Task::BtcTxList => {
                if let [count] = said.numbers_before("transactions")[..] {
                    clause.args.extend(count.to_u64().map(|count| ("count".to_owned(), json!(count))));
                }
            }
            _ => {}
        }
        let no_peer = !clause.args.contains_key("to_node");
        match clause.task {
            Task::SetFee if no_peer => clause.every = true,
            Task::CloseChannel if no_peer && !clause.every => {
                clause.every = true;
                clause.args.insert("max".to_owned(), json!(1));
            }
            _ => {}
        }
        if clause.every && said.has(EXCEPT) {
            self.ask(
                "Which ones should I leave alone? Please name those that I should act on instead.".to_owned(),
            );
        }
    }

    /// The name under which the recipe of a task reads a member.
    fn member(&self, task: Task, name: &'static str) -> &'static str {
        match (task, name) {
            (Task::FeeEstimate, "blocks") => "conf_target",
            (Task::DecodeInvoice, "bolt11") => "string",
            (Task::Withdraw, "address") => "destination",
            _ => name,
        }
    }

    fn node(&mut self, clause: &Clause, name: &str, given: Option<&Value>, required: bool) -> Option<Value> {
        if value::is_all(self.said, given) {
            return None;
        }
        // `node` and `from_node` may be the only node that is named; the other side is never guessed.
        let alone = required && name != "to_node";
        let creates = clause.task == Task::CreateNode;
        match value::node(self.said, given, alone, clause.task.is_read()) {
            Ok(node) => Some(node),
            Err(_) if creates => {
                given.filter(|node| node.as_u64().is_some_and(|node| self.said.number(node))).cloned()
            }
            Err(question) if required => {
                self.ask(question);
                None
            }
            Err(_) => None,
        }
    }

    fn amount(&mut self, clause: &mut Clause, given: Option<&Value>, required: bool) {
        let any =
            clause.task == Task::CreateOffer && self.said.words.amounts.is_empty() && self.said.has(ANY);
        if any {
            clause.args.insert("amount_msat".to_owned(), json!("any"));
            return;
        }
        let all = clause.task == Task::Withdraw && self.said.words.amounts.is_empty();
        if all && self.said.has(&["every", "everything", "sweep", "whole", "entire"]) {
            clause.args.insert("amount_sat".to_owned(), json!("all"));
            return;
        }
        if !required && given.is_none() && (self.said.words.amounts.is_empty() || clause.every) {
            return;
        }
        let found = value::amount(self.said, given, &self.amounts)
            .and_then(|msat| value::amount_member(clause.task, msat).map(|member| (msat, member)));
        match found {
            Ok((msat, (name, value))) => {
                self.amounts.push(msat);
                clause.args.insert(name.to_owned(), value);
            }
            Err(question) if required => self.ask(question),
            Err(_) => {}
        }
    }

    fn other(&mut self, clause: &Clause, name: &str, given: Option<&Value>, required: bool) -> Option<Value> {
        let said = self.said;
        let found = match name {
            "blocks" => value::count(said, given, "blocks")
                .or_else(|| value::count(said, given, "block"))
                .map(Value::from),
            "feebase" | "feeppm" | "last_n" => {
                given.and_then(Value::as_u64).filter(|number| said.number(*number)).map(Value::from)
            }
            "wallet" => given.filter(|_| said.has(&["wallet"])).and_then(|_| self.wallet(given)),
            "outcome" => given.cloned(),
            "query" => given.and_then(Value::as_str).filter(|text| said.verbatim(text)).map(Value::from),
            "bolt11" | "offer" | "address" | "txid" | "url" => value::special(said, name),
            _ => value::text(said, given),
        };
        if found.is_none() && required {
            self.ask(missing(clause.task, name));
        }
        found
    }

    fn wallet(&self, given: Option<&Value>) -> Option<Value> {
        if self.said.has(&["shared"]) {
            return Some(json!("shared-wallet"));
        }
        given.and_then(Value::as_str).filter(|name| self.said.verbatim(name)).map(Value::from)
    }

    /// An invoice that is there already, or who makes one over how much.
    fn what_to_pay(&mut self, clause: &mut Clause) {
        let args = &clause.args;
        if args.contains_key("bolt11") && value::stands(self.said, "bolt11") || args.contains_key("offer") {
            return;
        }
        let made = self.clauses.iter().rposition(|earlier| earlier.task == Task::CreateInvoice);
        let offered = self.clauses.iter().rposition(|earlier| earlier.task == Task::CreateOffer);
        let payee = args.get("to_node");
        let matching = |at: usize| {
            let earlier = &self.clauses[at].args;
            payee.is_none_or(|payee| earlier.get("node") == Some(payee))
                && args.get("amount_msat").is_none_or(|amount| earlier.get("amount_msat") == Some(amount))
        };
        if let Some(at) = made.filter(|at| matching(*at)) {
            clause.args.retain(|name, _| name == "from_node");
            clause.args.insert("invoice_of".to_owned(), json!(at + 1));
        } else if let Some(at) = offered {
            clause.args.retain(|name, _| name == "from_node");
            clause.args.insert("offer_of".to_owned(), json!(at + 1));
        } else if payee.is_some() && args.contains_key("amount_msat") {
            clause.args.shift_remove("bolt11");
        } else if !args.contains_key("bolt11") {
            let question = match (payee, &self.said.words.bad_amount) {
                (_, Some(question)) => question.clone(),
                (Some(_), None) => match value::amount(self.said, None, &self.amounts) {
                    Err(question) => question,
                    Ok(_) => "How much should be paid?".to_owned(),
                },
                (None, None) => {
                    "Which invoice do you mean? Please give me the invoice, or say which node made it."
                        .to_owned()
                }
            };
            self.ask(question);
        }
    }

    fn where_to_withdraw(&mut self, clause: &mut Clause) {
        let known = ["destination", "to_node"].iter().any(|name| clause.args.contains_key(*name));
        if !known && !self.said.has(&["wallet"]) {
            self.ask("To which address should it go?".to_owned());
        }
    }

    fn ask(&mut self, question: String) {
        if !self.questions.contains(&question) {
            self.questions.push(question);
        }
    }
}

const ANY: &[&str] = &["any", "anyamount", "every", "open", "variable"];
const EXCEPT: &[&str] =
    &["except", "excluding", "besides", "apart", "excepting", "butnot", "other", "others"];

fn missing(task: Task, name: &str) -> String {
    match name {
        "blocks" => "How many blocks should I mine?".to_owned(),
        "message" => "Which text should I sign?".to_owned(),
        "address" => "To which address should it go?".to_owned(),
        "txid" => "Which transaction do you mean? Please give me its id.".to_owned(),
        _ => {
            format!("Which {} do you mean for \"{}\"?", name.replace('_', " "), task.name().replace('_', " "))
        }
    }
}
