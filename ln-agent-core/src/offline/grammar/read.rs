//! What a question is about.

use super::entity::{Entities, has};
use crate::offline::text::Token;
use crate::offline::wish::Task;

/// The read that these words ask for.
pub(super) fn topic(tokens: &[Token], found: &Entities) -> Option<Task> {
    let is = |words: &[&str]| has(tokens, words);
    let node = !found.nodes.is_empty();
    let paid = is(&["it", "that", "this", "invoice"]) && is(&["paid", "received"]);
    if paid && !node && !is(&["i", "my"]) {
        return Some(Task::InvoiceList);
    }
    if is_recall(tokens, found) {
        return Some(Task::Recall);
    }
    if found.url.is_some() {
        return Some(Task::FetchUrl);
    }
    if found.bolt11.is_some() || found.offer.is_some() {
        return Some(Task::DecodeInvoice);
    }
    if let Some(flow) = flow_topic(tokens, found) {
        return Some(flow);
    }
    if is(&["mempool", "unconfirmed"]) {
        return Some(Task::MempoolInfo);
    }
    if is(&["health", "degraded", "diagnose", "diagnostics"])
        || is(&["network"]) && is(&["status", "up", "running", "ok", "state", "fine"])
        || !node
            && is(&["bitcoind", "core", "everything", "every"])
            && is(&["running", "up", "down"])
            && !is(&["nodes"])
    {
        return Some(Task::NetworkHealth);
    }
    if is(&["fee", "fees", "feerate", "feerates", "perkw", "perkb"]) && !is(&["channel", "channels"]) {
        let lightning = node || is(&["lightning", "ln", "perkw", "perkb"]);
        return Some(if lightning && !is(&["estimate", "onchain", "blocks", "block"]) {
            Task::LnFeeRates
        } else {
            Task::FeeEstimate
        });
    }
    money_topic(tokens, found).or_else(|| node_topic(tokens, found))
}

/// `did anyone pay node 2`, `how much was sent to node 2`: the one node named is the payee.
fn is_paid_to(tokens: &[Token], found: &Entities) -> bool {
    let [node] = &found.nodes[..] else { return false };
    let mut before = tokens[..node.at].iter().rev().filter_map(Token::word);
    match before.next() {
        Some("pay" | "paid") => true,
        Some("to") => before.take(5).any(|word| matches!(word, "sent" | "send" | "paid" | "pay")),
        _ => false,
    }
}

/// What went out, came in or could: how much a node *sent* is no question about what it *has*.
fn flow_topic(tokens: &[Token], found: &Entities) -> Option<Task> {
    let is = |words: &[&str]| has(tokens, words);
    let node = !found.nodes.is_empty();
    if is(&["earn", "earned", "earnings", "income"]) && is(&["fee", "fees", "routing", "forwards"]) {
        return Some(Task::ForwardList);
    }
    if is(&["fee", "fees"]) && is(&["payment", "payments", "paid"]) && !is(&["channel", "channels"]) {
        return Some(Task::PaymentList);
    }
    if is(&["unconfirmed"]) && is(&["wallet"]) {
        return Some(Task::BtcTxList);
    }
    if is(&["cost", "costs"]) && !is(&["did", "was", "last"]) && !is(&["invoice", "offer"]) {
        return Some(Task::FeeEstimate);
    }
    let able = is(&["can", "could", "able", "capable"]) && is(&["howmany", "what"]);
    if able && is(&["send", "pay", "receive", "received"]) && node && !is(&["address"]) {
        return Some(Task::ChannelCount);
    }
    if is_paid_to(tokens, found) {
        return Some(Task::InvoiceList);
    }
    let past = is(&["did", "has", "have", "was", "were", "total", "ever"]);
    if node
        && past
        && is(&["send", "spend", "spent", "sent", "pay", "paid"])
        && !is(&["received", "receive", "channel", "where"])
        && (is(&["pay", "send", "has"]) || !is(&["invoice", "invoices"]))
    {
        return Some(Task::PaymentList);
    }
    if is(&["network", "mainnet", "testnet", "regtest", "signet"])
        && is(&["on", "which", "what", "are"])
        && is(&["we", "mainnet", "testnet", "regtest", "signet", "this"])
        && !is(&["lan", "health", "status"])
        || is(&["difficulty"])
        || !node && is(&["synced", "syncing"])
    {
        return Some(Task::BlockHeight);
    }
    if node && is(&["reachable"]) && is(&["lan", "othermachine"]) {
        return Some(Task::NodeInfo);
    }
    if node && (is(&["synced", "syncing"]) || is(&["ip", "uri", "listen", "listens", "listening"])) {
        return Some(Task::NodeInfo);
    }
    if !node && is(&["ip", "hostname", "thismachine"]) && is(&["address", "ip", "hostname"]) {
        return Some(Task::NetInfo);
    }
    let funded = is(&["enough", "afford"]) && is(&["funds", "money", "balance", "sats", "btc"]);
    (node && funded).then_some(Task::FundList)
}

fn money_topic(tokens: &[Token], found: &Entities) -> Option<Task> {
    let is = |words: &[&str]| has(tokens, words);
    let node = !found.nodes.is_empty();
    if is(&["forwards", "htlc", "htlcs"]) {
        return Some(Task::ForwardList);
    }
    if is(&["offer", "offers", "bolt12"]) {
        return Some(Task::OfferList);
    }
    if found.hash.is_some() && is(&["tx", "txid", "transfer", "txs"]) {
        return Some(Task::ShowTransaction);
    }
    if is(&["tx", "txs"]) {
        return Some(if node && !is(&["wallet"]) || is(&["lightning"]) {
            Task::LnTxList
        } else {
            Task::BtcTxList
        });
    }
    if is(&["received", "receive"]) && is(&["address"]) {
        return Some(Task::LnAddress);
    }
    if is(&["received", "receive"]) && node
        || is(&["invoice", "invoices"])
        || is(&["payment", "payments", "paid", "money", "sats"]) && is(&["received", "receive"])
    {
        return Some(Task::InvoiceList);
    }
    if is(&["payment", "payments", "paid", "pay", "sent", "pays", "paying"]) {
        return Some(Task::PaymentList);
    }
    if node && is(&["where"]) && is(&["send", "fund"]) {
        return Some(Task::LnAddress);
    }
    if is(&["address", "addresses"]) {
        return Some(if is(&["wallet"]) && !node { Task::WalletAddress } else { Task::LnAddress });
    }
    if is(&["wallet"]) && !node {
        return is(&[
            "balance", "funds", "money", "coins", "btc", "howmany", "left", "bitcoin", "holds", "hold",
            "contain", "contains",
        ])
        .then_some(Task::WalletBalance);
    }
    None
}

fn node_topic(tokens: &[Token], found: &Entities) -> Option<Task> {
    let is = |words: &[&str]| has(tokens, words);
    let node = !found.nodes.is_empty();
    if is(&["channel", "channels", "capacity", "liquidity"]) {
        return Some(Task::ChannelCount);
    }
    if is(&["peer", "peers", "connections", "neighbours", "neighbors", "connected", "connection"]) {
        return Some(Task::PeerList);
    }
    if is(&["funds", "fund", "balance", "balances", "coins", "utxo", "utxos", "money", "outputs"]) {
        return Some(Task::FundList);
    }
    // `give node 2 100 sats`: an amount is no question about funds.
    if node
        && (found.money.is_empty() || is(&["have", "has", "own", "owns"]))
        && is(&[
            "btc",
            "bitcoin",
            "sats",
            "sat",
            "satoshis",
            "rich",
            "spend",
            "spendable",
            "own",
            "owns",
            "worth",
        ])
    {
        return Some(Task::FundList);
    }
    if is(&["height", "blocks", "block", "blockchain", "blockheight", "tip", "chain"]) {
        return Some(Task::BlockHeight);
    }
    if is(&["pubkey", "version", "alias", "info", "information", "details", "key", "color", "port"])
        && (node || is(&["its", "it"]))
    {
        return Some(Task::NodeInfo);
    }
    if (node || is(&["its"])) && is(&["running", "up", "down", "status", "state", "reachable", "stop"]) {
        return Some(Task::NodeStatus);
    }
    if node && is(&["about"]) {
        return Some(Task::NodeInfo);
    }
    if is(&["nodes"])
        && (is(&["running", "exist", "howmany", "which", "there", "known", "show", "what", "have"]))
    {
        return Some(Task::NodeList);
    }
    if is(&["pubkey", "version", "alias"]) {
        return Some(Task::NodeInfo);
    }
    if is(&["lan", "ip", "ips", "hostname", "interface", "interfaces"]) {
        return Some(Task::NetInfo);
    }
    if is(&["network"]) && is(&["info", "check", "show", "doing", "how"]) {
        return Some(Task::NetworkHealth);
    }
    None
}

/// Questions about earlier runs: what *I* did, or *my* last something.
fn is_recall(tokens: &[Token], found: &Entities) -> bool {
    let is = |words: &[&str]| has(tokens, words);
    if is(&["memory", "archive", "remember", "recall"])
        || is(&["history"]) && !is(&["payment", "payments", "tx", "txs", "forwards"])
    {
        return true;
    }
    let node_named = !found.nodes.is_empty();
    let me = is(&["i", "we", "you"]) && is(&["did", "have", "was", "were", "what"]);
    let (past, doing) = (is(PAST), is(DOING));
    let mine = is(&["my", "our"]) && is(&["last", "recent"]);
    let runs = is(RUNS) && is(&["last", "recent", "past", "fail", "succeed", "my", "go"])
        || is(&["run"]) && is(&["last", "past", "my"]) && !node_named;
    let failed_lately =
        is(&["fail", "succeed"]) && is(&["recent", "last", "today"]) && found.nodes.is_empty();
    let thing = me && is(&["did"]) && is(&["thing", "things", "what"]) && found.nodes.is_empty();
    (me && past && doing)
        || failed_lately
        || thing
        || (mine && found.nodes.is_empty() && !is(&["tx", "txs", "channel", "channels", "invoices"]))
        || runs
}

const PAST: &[&str] = &[
    "did",
    "ran",
    "recent",
    "last",
    "asked",
    "tried",
    "yesterday",
    "today",
    "before",
    "done",
    "already",
    "far",
];

const DOING: &[&str] = &[
    "run",
    "ran",
    "do",
    "done",
    "ask",
    "asked",
    "execute",
    "executed",
    "try",
    "tried",
    "request",
    "requested",
    "perform",
    "performed",
];

const RUNS: &[&str] = &[
    "runs",
    "prompt",
    "prompts",
    "request",
    "requests",
    "command",
    "commands",
    "task",
    "tasks",
    "operation",
    "operations",
    "actions",
    "action",
];
