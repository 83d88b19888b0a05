//! A clause with a verb, or a question with a topic, becomes wishes.

use serde_json::{Value, json};

use super::act_channel::{close, connect, open, set_fee};
use super::act_money::{bill, fetch, fund, keysend, offer, pay, rebalance, send, withdraw};
use super::act_node::{create, lifecycle, mine, reach, sign};
use super::entity::{Entities, has};
use super::link::{Refusal, Scene, ask};
use super::node::Role;
use super::verb::Verb;
use crate::offline::text::{Kind, Token};
use crate::offline::wish::{Clause, Task};
use crate::types::Object;

pub(super) type Clauses = Result<Vec<Clause>, Refusal>;

/// What a clause is read from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) found: &'a Entities,
    pub(super) scene: &'a Scene,
}

/// The wishes of a clause whose head is this verb.
pub(super) fn act(verb: Verb, at: usize, tokens: &[Token], found: &Entities, scene: &Scene) -> Clauses {
    let said = Said { tokens, found, scene };
    if said.has(&["reachable", "expose", "announce"])
        && matches!(verb, Verb::Create | Verb::Set | Verb::Start | Verb::Open | Verb::Restart)
    {
        return reach(said);
    }
    if verb == Verb::Stop && said.has(&["channel", "channels"]) {
        return close(said);
    }
    match verb {
        Verb::Open if said.has(&["wallet"]) && !said.has(&["channel"]) => load(said),
        Verb::Open => open(said),
        Verb::Close => close(said),
        Verb::Pay => pay(said),
        Verb::Send => send(said),
        Verb::Keysend => keysend(said),
        // `invoices node 2`: the list.
        Verb::Bill if tokens[at].is("invoices") && found.money.is_empty() && found.numbers.is_empty() => {
            read(Task::InvoiceList, &said.each_node(), false, tokens, tokens, found, scene)
        }
        Verb::Bill => bill(said),
        Verb::Offer => offer(said),
        Verb::Create => create(said, at),
        Verb::Mine => mine(said),
        Verb::Start | Verb::Stop | Verb::Restart | Verb::Delete => lifecycle(verb, said),
        Verb::Connect => connect(said),
        Verb::Sign => sign(said),
        Verb::Set => set_fee(said),
        Verb::Fund => fund(said),
        Verb::Withdraw => withdraw(said),
        Verb::Rebalance => rebalance(said),
        Verb::Fetch => fetch(said),
        Verb::Decode => read(Task::DecodeInvoice, &said.all_nodes(), false, tokens, tokens, found, scene),
        Verb::Wait => wait(said),
        Verb::Load => load(said),
        Verb::Read | Verb::Verify => Err(Refusal::Unclear),
    }
}

/// One read, for each of these nodes.
pub(super) fn read(
    task: Task,
    numbers: &[u32],
    every: bool,
    part: &[Token],
    tokens: &[Token],
    found: &Entities,
    scene: &Scene,
) -> Clauses {
    let args = details(task, numbers, part, tokens, found, scene)?;
    if !task.needs_node() {
        return Ok(vec![Clause { task, args, ..Clause::default() }]);
    }
    let clause = |node: u32| {
        let mut args = args.clone();
        args.insert("node".to_owned(), json!(node));
        Clause { task, args, ..Clause::default() }
    };
    Ok(whose(numbers, every, part, scene)?.into_iter().map(clause).collect())
}

/// What a read says beside its node.
fn details(
    task: Task,
    numbers: &[u32],
    part: &[Token],
    tokens: &[Token],
    found: &Entities,
    scene: &Scene,
) -> Result<Object, Refusal> {
    let mut args = Object::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            args.insert(key.to_owned(), value);
        }
    };
    match task {
        Task::FeeEstimate => {
            let target = found
                .counted(&["blocks", "block", "confirmations"])
                .or_else(|| found.numbered(tokens, &["target", "within"]));
            put("conf_target", target.map(Value::from));
        }
        Task::WalletBalance | Task::WalletAddress => put("wallet", found.wallet.clone().map(Value::from)),
        Task::BtcTxList => {
            put("wallet", found.wallet.clone().map(Value::from));
            put(
                "count",
                found
                    .counted(&["tx", "txs", "onchain", "last", "recent"])
                    .or_else(|| found.numbered(tokens, &["last", "recent"]))
                    .map(Value::from),
            );
        }
        Task::ShowTransaction => put("txid", found.hash.clone().map(Value::from)),
        Task::FetchUrl => put("url", found.url.clone().map(Value::from)),
        Task::DecodeInvoice => {
            let text = found.bolt11.clone().or_else(|| found.offer.clone()).map(Value::from);
            let text = text
                .or_else(|| ["bolt11", "offer"].iter().find_map(|key| scene.artefacts.get(*key).cloned()));
            if text.is_none() {
                return ask("Which invoice or offer should I decode?");
            }
            put("string", text);
            put("node", Some(json!(numbers.first().copied().unwrap_or(scene.own))));
        }
        Task::InvoiceList => {
            let said = found.label.clone().filter(|label| !label.is_empty()).map(Value::from);
            let meant = || {
                scene
                    .artefacts
                    .get("label")
                    .filter(|_| found.nodes.is_empty() && has(part, &["it", "that", "this"]))
                    .cloned()
            };
            put("label", said.or_else(meant));
        }
        Task::ForwardList => put(
            "status",
            ["settled", "offered"]
                .iter()
                .find(|s| has(part, &[**s]))
                .map(|s| json!(s))
                .or_else(|| has(part, &["fail"]).then(|| json!("failed"))),
        ),
        Task::PaymentList => {
            let status = if has(part, &["pending"]) {
                Some("pending")
            } else if has(part, &["fail"]) {
                Some("failed")
            } else {
                None
            };
            put("status", status.map(Value::from));
        }
        _ => {}
    }
    Ok(args)
}

/// The nodes a read is about: those named, those meant, or all there are.
fn whose(numbers: &[u32], every: bool, part: &[Token], scene: &Scene) -> Result<Vec<u32>, Refusal> {
    const MANY: u32 = 16;
    if !numbers.is_empty() {
        let mut unique: Vec<u32> = Vec::new();
        numbers.iter().for_each(|n| {
            if !unique.contains(n) {
                unique.push(*n)
            }
        });
        return Ok(unique);
    }
    if !every {
        if has(part, &["my", "i", "own"]) {
            return Ok(vec![scene.own]);
        }
        if let Some(node) = scene.last_node {
            return Ok(vec![node]);
        }
        if has(part, &["its", "it", "that", "their", "there"])
            && let Some(node) = scene.meant_node()
        {
            return Ok(vec![node]);
        }
    }
    if scene.node_count > MANY {
        return ask(format!("Which node do you mean, from 1 to {}?", scene.node_count));
    }
    Ok((1..=scene.node_count.max(1)).collect())
}

/// A question to the memory.
pub(super) fn recall(tokens: &[Token], found: &Entities) -> Clause {
    let mut args = Object::new();
    let topics = ["payment", "invoice", "channel", "offer", "block", "open", "close", "pay"];
    let plural = |word: &str| format!("{word}s");
    let query = topics.iter().find(|topic| has(tokens, &[topic, &plural(topic)]));
    if let Some(query) = query {
        // "pay" finds "payment", "pays" and "pay".
        args.insert("query".to_owned(), json!(if *query == "payment" { "pay" } else { query }));
    }
    let last_one = has(tokens, &["last"])
        && !has(
            tokens,
            &[
                "runs",
                "prompts",
                "requests",
                "commands",
                "tasks",
                "actions",
                "payments",
                "things",
                "operations",
            ],
        );
    let count = found.numbers.first().and_then(|(_, number, _)| number.to_u64()).filter(|n| *n > 0);
    if let Some(count) = count.or(last_one.then_some(1)) {
        args.insert("last_n".to_owned(), json!(count));
    }
    if has(tokens, &["fail", "error", "errors"]) && !has(tokens, &["did", "succeed"]) {
        args.insert("outcome".to_owned(), json!("failed"));
    } else if has(tokens, &["which", "show", "what"]) && has(tokens, &["succeed"]) {
        args.insert("outcome".to_owned(), json!("ok"));
    }
    Clause { task: Task::Recall, args, ..Clause::default() }
}

fn wait(said: Said<'_>) -> Clauses {
    // `wait until it is active`: I can wait for payments only.
    if !said
        .has(&["invoice", "invoices", "payment", "payments", "paid", "pay", "received", "receive", "money"])
    {
        return Err(Refusal::Unclear);
    }
    let node = said.one(
        &[Role::On, Role::Of, Role::Subject, Role::From, Role::Object, Role::To],
        "At which node should I wait for the payment?",
    )?;
    let label = said
        .found
        .label
        .clone()
        .or_else(|| said.scene.artefacts.get("label").and_then(Value::as_str).map(str::to_owned));
    let wish = match label {
        Some(label) => Wish::of(Task::WaitInvoice).set("node", node).set("label", label),
        None => Wish::of(Task::WaitAnyInvoice).set("node", node),
    };
    wish.done()
}

fn load(said: Said<'_>) -> Clauses {
    if !said.has(&["wallet"]) {
        // `ensure node 2 is running`.
        return if said.has(&["running", "up"]) {
            lifecycle(Verb::Start, said)
        } else if said.has(&["down", "stop"]) {
            lifecycle(Verb::Stop, said)
        } else {
            Err(Refusal::Unclear)
        };
    }
    let wallet = said.found.wallet.clone().unwrap_or_else(|| "shared-wallet".to_owned());
    Wish::of(Task::EnsureWallet).set("wallet", wallet).done()
}

impl Said<'_> {
    pub(super) fn has(&self, words: &[&str]) -> bool {
        has(self.tokens, words)
    }

    pub(super) fn has_mark(&self, mark: char) -> bool {
        self.tokens.iter().any(|token| token.kind == Kind::Mark(mark))
    }

    /// The number of the first mention in one of these roles.
    pub(super) fn role(&self, roles: &[Role]) -> Option<u32> {
        self.found.node(roles).and_then(|node| node.numbers.first().copied())
    }

    /// As [`role`](Self::role), or the node that a pronoun stands for, or the question.
    pub(super) fn one(&self, roles: &[Role], question: &str) -> Result<u32, Refusal> {
        self.role(roles).or_else(|| self.pronoun()).map_or_else(|| ask(question), Ok)
    }

    /// The node of the clause's condition, or of a pronoun, unless it is the one at the other end.
    pub(super) fn implied(&self, other: Option<u32>) -> Option<u32> {
        self.pronoun().or_else(|| self.scene.condition_node()).filter(|node| Some(*node) != other)
    }

    pub(super) fn pronoun(&self) -> Option<u32> {
        if self.has(&["it", "its", "there", "that", "same", "again"]) || self.found.nodes.is_empty() {
            self.scene.last_node.or_else(|| {
                if self.has(&["it", "its", "there", "that", "same"]) { self.scene.meant_node() } else { None }
            })
        } else {
            None
        }
    }

    /// All nodes named.
    pub(super) fn all_nodes(&self) -> Vec<u32> {
        self.found.nodes.iter().flat_map(|node| node.numbers.clone()).collect()
    }

    /// Those named, or every one if "both" or "all nodes" is said.
    pub(super) fn each_node(&self) -> Vec<u32> {
        let every = self.found.nodes.iter().any(|node| node.numbers.is_empty());
        if every { (1..=self.scene.node_count).collect() } else { self.all_nodes() }
    }

    /// `from node 1 to node 2 and from node 2 to node 3`: every route, when there are several.
    pub(super) fn routes(&self) -> Result<Option<Vec<(u32, u32)>>, Refusal> {
        let of = |role: Role| -> Vec<u32> {
            self.found
                .nodes
                .iter()
                .filter(|node| node.role == role)
                .filter_map(|node| node.numbers.first().copied())
                .collect()
        };
        let (from, to) = (of(Role::From), of(Role::To));
        if from.len() < 2 && to.len() < 2 {
            return Ok(None);
        }
        let from = if from.len() == 1 { from.repeat(to.len()) } else { from };
        if self.found.money.len() > 1
            || !self.has(&["and"])
            || from.len() != to.len()
            || from.iter().zip(&to).any(|(from, to)| from == to)
        {
            return ask("From which node to which, and how much each? Please say it in one sentence each.");
        }
        Ok(Some(from.into_iter().zip(to).collect()))
    }

    /// From and to, by preposition, order, or what is left.
    pub(super) fn ends(&self) -> (Option<u32>, Option<u32>) {
        if let Some(pair) =
            self.found.nodes.iter().find(|node| node.numbers.len() == 2 && node.role != Role::To)
        {
            return (Some(pair.numbers[0]), Some(pair.numbers[1]));
        }
        let between: Vec<u32> = self
            .found
            .nodes
            .iter()
            .filter(|n| n.role == Role::Between)
            .flat_map(|n| n.numbers.clone())
            .collect();
        if let [from, to, ..] = between[..] {
            return (Some(from), Some(to));
        }
        let from = self.role(&[Role::From, Role::Subject, Role::Between]).or_else(|| self.role(&[Role::On]));
        let to = self
            .role(&[Role::To, Role::With])
            .or_else(|| self.role(&[Role::Object]))
            .or_else(|| self.role(&[Role::Of]));
        if from.is_none() && self.role(&[Role::To, Role::With]).is_some() {
            // `open node 1's channel to node 2`, `connect node 1 to node 2`.
            return (self.role(&[Role::Object, Role::Of]), to);
        }
        (from, to)
    }
}

/// A clause in the making.
#[derive(Clone, Debug)]
pub(super) struct Wish(pub(super) Clause);

impl Wish {
    pub(super) fn of(task: Task) -> Self {
        Self(Clause { task, ..Clause::default() })
    }

    pub(super) fn set(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.args.insert(key.to_owned(), value.into());
        self
    }

    pub(super) fn set_some(self, key: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.set(key, value),
            None => self,
        }
    }

    pub(super) fn done(self) -> Clauses {
        Ok(vec![self.0])
    }
}
