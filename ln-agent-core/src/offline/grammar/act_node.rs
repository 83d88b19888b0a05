//! Nodes and blocks: start, stop, create, delete, reach, mine, sign.

use super::act::{Clauses, Said, Wish, read};
use super::act_channel::open;
use super::act_money::{bill, offer, pay};
use super::filter::EXCEPT;
use super::link::{Refusal, ask};
use super::node::Role;
use super::verb::Verb;
use crate::offline::text::{Kind, Token};
use crate::offline::wish::Task;

/// `create …`: what is made decides.
pub(super) fn create(said: Said<'_>, verb: usize) -> Clauses {
    let thing = said.tokens[verb..].iter().filter_map(Token::word).find(|word| THINGS.contains(word));
    match thing {
        Some("invoice" | "invoices" | "bill") => bill(said),
        Some("channel") => open(said),
        Some("offer" | "bolt12") => offer(said),
        Some("payment") => pay(said),
        Some("block" | "blocks") => mine(said),
        Some("address") if said.found.nodes.is_empty() => wallet_address(said),
        Some("address") => {
            read(Task::LnAddress, &said.each_node(), false, said.tokens, said.tokens, said.found, said.scene)
        }
        Some("wallet") => Wish::of(Task::EnsureWallet)
            .set("wallet", said.found.wallet.clone().unwrap_or_else(|| "shared-wallet".to_owned()))
            .done(),
        Some("node") if names_node(&said.tokens[verb + 1..]) => {
            each(said, Task::CreateNode, "Which number should the new node have?")
        }
        _ => Err(Refusal::Unclear),
    }
}

/// `create node 4`, `create a new node`: not `make sure that node 4 …`.
fn names_node(after: &[Token]) -> bool {
    let first = after
        .iter()
        .filter_map(Token::word)
        .find(|word| !matches!(*word, "a" | "an" | "the" | "fresh" | "another" | "me"));
    first == Some("node")
}

const THINGS: &[&str] = &[
    "invoice", "invoices", "bill", "channel", "offer", "bolt12", "payment", "block", "blocks", "address",
    "wallet", "node",
];

fn wallet_address(said: Said<'_>) -> Clauses {
    if !said.has(&["wallet"]) {
        return ask("An address of which node, or of the wallet?");
    }
    Wish::of(Task::WalletAddress).set_some("wallet", said.found.wallet.clone()).done()
}

/// `mine 3 blocks`.
pub(super) fn mine(said: Said<'_>) -> Clauses {
    const MOST: u64 = 2_016;
    if said.has(&["height", "reach"]) {
        return ask("How many blocks should be mined? I cannot mine up to a height.");
    }
    let negative = said.has_mark('-');
    let one = said.tokens.windows(2).any(|pair| {
        (pair[0].is("a") || pair[0].is("another") || pair[0].is("single")) && pair[1].is("block")
    });
    let count = said.found.counted(&[
        "block",
        "blocks",
        "more",
        "fresh",
        "empty",
        "additional",
        "confirmations",
        "extra",
    ]);
    let count = count.or_else(|| said.found.numbers.first().and_then(|(_, number, _)| number.to_u64()));
    match count.or(one.then_some(1)) {
        Some(count) if (1..=MOST).contains(&count) && !negative => Wish::of(Task::MineBlocks)
            .set("blocks", count)
            .set_some("wallet", said.found.wallet.clone())
            .done(),
        Some(_) => ask("How many blocks should be mined, from 1 to 2016?"),
        None => ask("How many blocks should be mined?"),
    }
}

/// `start node 2`, `stop both nodes`.
pub(super) fn lifecycle(verb: Verb, said: Said<'_>) -> Clauses {
    let (task, question) = match verb {
        Verb::Start => (Task::StartNode, "Which node should be started?"),
        Verb::Stop => (Task::StopNode, "Which node should be stopped?"),
        Verb::Restart => (Task::RestartNode, "Which node should be restarted?"),
        _ => (Task::DeleteNode, "Which node should be deleted?"),
    };
    if said.found.nodes.is_empty() && !said.has(&["it", "that", "node", "again", "nodes", "them", "every"]) {
        return Err(Refusal::Unclear);
    }
    if task == Task::DeleteNode
        && said.has(&["channel", "channels", "invoice", "invoices", "offer", "offers", "label"])
    {
        return ask("I cannot delete that. I can delete a whole node, or close channels.");
    }
    each(said, task, question)
}

fn each(said: Said<'_>, task: Task, question: &str) -> Clauses {
    let mut nodes = said.each_node();
    if said.has(EXCEPT) {
        // `stop every node except node 1`.
        let kept = said.all_nodes();
        nodes.retain(|node| !kept.contains(node));
        if nodes.is_empty() || kept.is_empty() {
            return ask(question);
        }
    }
    if nodes.is_empty() {
        nodes.push(said.one(&[], question)?);
    }
    let force = task == Task::DeleteNode && said.has(&["force", "forcibly"]);
    Ok(nodes
        .into_iter()
        .map(|node| Wish::of(task).set("node", node).set_some("force", force.then_some(true)).0)
        .collect())
}

/// `make node 1 reachable from other machines`: only when other machines are meant.
pub(super) fn reach(said: Said<'_>) -> Clauses {
    if said.scene.clauses.iter().any(|clause| clause.task == Task::ReachLan) && said.found.nodes.is_empty() {
        return Ok(Vec::new());
    }
    if !said.has(&[
        "lan",
        "othermachine",
        "machines",
        "computers",
        "outside",
        "devices",
        "network",
        "internet",
        "phone",
        "laptop",
    ]) {
        return ask("Reachable from where: from other machines on the LAN?");
    }
    each(said, Task::ReachLan, "Which node should be reachable from other machines?")
}

/// `sign "hello" with node 1`.
pub(super) fn sign(said: Said<'_>) -> Clauses {
    let quoted = said.tokens.iter().find_map(|token| match &token.kind {
        Kind::Quoted(text) => Some(text.clone()),
        _ => None,
    });
    let Some(message) = said.found.message.clone().or(quoted) else {
        return ask("Which message should be signed? Please put it in quotes.");
    };
    let roles = [Role::With, Role::From, Role::On, Role::Subject, Role::Of, Role::Object, Role::To];
    let node = said.one(&roles, "With which node should the message be signed?")?;
    Wish::of(Task::SignMessage).set("node", node).set("message", message).done()
}
