//! From a model's tasks to clauses whose values are the user's.

use serde_json::{Value, json};

use super::said::Said;
use super::schema::{FACTS, FIELDS};
use super::{form, value};
use crate::offline::grammar::{Verb, amount_of};
use crate::offline::text;
use crate::offline::translate::{complete, kind, tagged};
use crate::offline::wish::{Clause, Task, Test};
use crate::types::{Exchange, IntentBlock, IntentType, Object};

/// A model's reading, made of the user's own values.
#[derive(Clone, Debug, PartialEq)]
pub struct Adopted {
    /// The intent with its context rewritten: tags and clauses as the offline translator writes them.
    pub intent: IntentBlock,
    /// What was done otherwise than the model said.
    pub corrections: Vec<String>,
}

/// Why a model's tasks cannot be read. The message goes back to the model.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TaskFault {
    /// `tasks` is no list of objects with a task each.
    #[error(
        "`context.tasks` must be a list of objects such as {{\"task\": \"node_info\", \"node\": 1}}, not {0}"
    )]
    Shape(String),
    /// There is no such task.
    #[error("there is no task `{0}`: use one of the names that are listed, or leave `tasks` empty")]
    Unknown(String),
    /// A condition was said, and no task has one.
    #[error("the message has a condition: give it as `if` of the task that depends on it")]
    NoCondition,
    /// A condition was made up.
    #[error("the message has no condition: leave `if` out")]
    Condition,
    /// A condition cannot be read.
    #[error("the condition {0} cannot be read: give `of`, `op` and `value`, with a value of the message")]
    Test(String),
}

/// Turns the `tasks` of a model's intent, or its dispatch tag, into clauses. An intent that has neither comes back
/// as it is.
///
/// Values come from the prompt and the session alone. What is missing becomes a question in
/// `clarifications_needed`; a change that the words do not plainly ask for becomes one, too.
///
/// # Errors
///
/// [`TaskFault`] for tasks that cannot be read, and for conditions that were made up or forgotten.
pub fn adopt(
    mut intent: IntentBlock,
    history: &[Exchange],
    node_count: u32,
    own_node: u32,
) -> Result<Adopted, TaskFault> {
    intent.context.shift_remove("clauses");
    let tasks = tasks(&mut intent.context)?;
    let said = Said::of(&intent.raw_prompt, history, node_count, own_node);
    // Tasks beside `informational` mean something where the words ask for no explanation: the kind is the mistake then.
    let idle = match intent.intent_type {
        IntentType::Informational => said.words.explains,
        kind => kind == IntentType::Noop,
    };
    if idle || tasks.is_empty() {
        return Ok(Adopted { intent, corrections: Vec::new() });
    }
    let mut reader = Reader { said: &said, clauses: Vec::new(), questions: Vec::new(), amounts: Vec::new() };
    for task in &tasks {
        reader.read(task)?;
    }
    let Reader { mut clauses, mut questions, .. } = reader;
    if !said.words.conditional {
        // A condition that was made up does no harm to a read, but it may hide it.
        clauses.iter_mut().filter(|clause| clause.task.is_read()).for_each(|clause| clause.when.clear());
    }
    let changes = clauses.iter().any(|clause| !clause.task.is_read());
    if said.words.explains && changes {
        return Ok(explanation(intent));
    }
    conditions_match(&said, &clauses)?;
    if questions.is_empty() && changes && said.words.doubtful {
        questions.push("Should I really do that? Please say it as a plain command.".to_owned());
    }
    let before = std::mem::take(&mut intent.context);
    if questions.is_empty() {
        intent.intent_type = kind(&clauses);
        intent.context = tagged(&clauses);
        complete(&mut intent, &clauses);
    }
    // What the model asked itself stands; without a missing value it has no reason to ask.
    intent.clarifications_needed = questions;
    let corrections = corrections(&before, &intent.context);
    Ok(Adopted { intent, corrections })
}

/// Nothing is to be done: the words ask what would be.
fn explanation(intent: IntentBlock) -> Adopted {
    let corrections = vec!["the words ask for an explanation, so nothing is done".to_owned()];
    let intent = IntentBlock {
        intent_type: IntentType::Informational,
        context: Object::new(),
        clarifications_needed: Vec::new(),
        ..intent
    };
    Adopted { intent, corrections }
}

/// The tasks of a context, taken out of it. A dispatch tag is one task.
fn tasks(context: &mut Object) -> Result<Vec<Object>, TaskFault> {
    let given = context.shift_remove("tasks");
    let tag = ["action_target", "read_target"].iter().find_map(|name| context.get(*name)?.as_str());
    match given {
        Some(Value::Array(list)) if !list.is_empty() => list
            .into_iter()
            .map(|task| match task {
                Value::Object(task) => Ok(task),
                other => Err(TaskFault::Shape(other.to_string())),
            })
            .collect(),
        None | Some(Value::Null | Value::Array(_)) => match tag {
            // A tag that nobody knows is no task; the planner sees the rest.
            Some(name) if form::named(name).is_some() => {
                let mut task = context.clone();
                task.insert("task".to_owned(), json!(name));
                Ok(vec![task])
            }
            _ => Ok(Vec::new()),
        },
        Some(other) => Err(TaskFault::Shape(other.to_string())),
    }
}

/// A condition of the message must not get lost where something is changed, and none may be made up.
fn conditions_match(said: &Said, clauses: &[Clause]) -> Result<(), TaskFault> {
    let stated = clauses.iter().any(|clause| !clause.when.is_empty());
    let changes = clauses.iter().any(|clause| !clause.task.is_read());
    match (said.words.conditional, stated) {
        (true, false) if changes => Err(TaskFault::NoCondition),
        (false, true) => Err(TaskFault::Condition),
        _ => Ok(()),
    }
}

fn corrections(before: &Object, after: &Object) -> Vec<String> {
    before
        .iter()
        .filter(|(name, value)| after.get(*name) != Some(value) && !value.is_null())
        .map(|(name, value)| match after.get(name) {
            Some(taken) => format!("`{name}` is {taken}, as the user said, not {value}"),
            None => format!("`{name}` = {value} is left out: nothing needs it"),
        })
        .collect()
}

struct Reader<'a> {
    said: &'a Said,
    clauses: Vec<Clause>,
    questions: Vec<String>,
    /// Amounts that have their task.
    amounts: Vec<u64>,
}

impl Reader<'_> {
    fn read(&mut self, raw: &Object) -> Result<(), TaskFault> {
        let name = raw.get("task").and_then(Value::as_str);
        let name = name.ok_or_else(|| TaskFault::Shape(json!(raw).to_string()))?;
        let task = form::named(name).ok_or_else(|| TaskFault::Unknown(name.to_owned()))?;
        let mut clause = Clause { task, ..Clause::default() };
        clause.when = self.tests(raw.get("if"), FACTS)?;
        clause.filter = self.tests(raw.get("where"), FIELDS)?;
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

    fn tests(&self, given: Option<&Value>, known: &[&str]) -> Result<Vec<Test>, TaskFault> {
        let list = match given {
            Some(Value::Array(list)) => list.as_slice(),
            _ => &[],
        };
        list.iter().map(|raw| self.test(raw, known)).collect()
    }

    /// A comparison with a number of the message, or with one and none where existence is asked.
    fn test(&self, raw: &Value, known: &[&str]) -> Result<Test, TaskFault> {
        let fault = || TaskFault::Test(raw.to_string());
        let mut raw_test = raw.as_object().ok_or_else(fault)?.clone();
        if let Some(text) = raw_test.get("value").and_then(Value::as_str) {
            let plain = text.trim().parse::<u64>().ok();
            let read = amount_of(&text::read(text)).or(plain).map(Value::from);
            raw_test.insert("value".to_owned(), read.unwrap_or_else(|| json!(text)));
        }
        let mut test: Test = serde_json::from_value(Value::Object(raw_test)).map_err(|_| fault())?;
        if test.of == "wallet_balance" {
            // The wallet counts in bitcoin.
            let amounts = &self.said.words.amounts;
            let btc = amounts.iter().find(|msat| msat.is_multiple_of(BTC)).map(|msat| msat / BTC);
            test.value = btc.map(Value::from).ok_or_else(fault)?;
        }
        let grounded = match &test.value {
            Value::Number(number) => number
                .as_u64()
                .is_some_and(|n| n <= 1 || self.said.number(n) || self.said.words.amounts.contains(&n)),
            Value::Bool(_) => true,
            Value::String(word) => matches!(word.as_str(), "unpaid" | "paid" | "expired" | "ok" | "degraded"),
            _ => false,
        };
        let node = test.node.is_none_or(|node| self.said.words.nodes.contains(&node));
        if !known.contains(&test.of.as_str()) || !grounded || !node && test.of != "wallet_balance" {
            return Err(fault());
        }
        if test.of == "network_health" && !self.said.has(&["network", "health", "healthy", "degraded"]) {
            return Err(fault());
        }
        let about_node = test.of.ends_with("_count") || test.of == "node_running";
        test.node = match (about_node, test.node, self.said.words.nodes.as_slice()) {
            (false, ..) => None,
            (true, None, [first, ..]) => Some(*first),
            (true, node, _) => node,
        };
        Ok(test)
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
const BTC: u64 = 100_000_000_000;

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
