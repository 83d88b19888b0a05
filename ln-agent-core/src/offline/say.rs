//! Clauses in plain words.

use serde_json::Value;

use super::wish::{Clause, Task, Test};

/// All clauses as one phrase.
pub(super) fn list(clauses: &[Clause]) -> String {
    const MANY: usize = 8;
    let mut parts: Vec<String> = clauses.iter().take(MANY).map(clause).collect();
    if clauses.len() > MANY {
        parts.push(format!("{} more", clauses.len() - MANY));
    }
    let text = parts.join(", then ");
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// One clause.
pub(super) fn clause(clause: &Clause) -> String {
    let mut text = wish(clause);
    if !clause.filter.is_empty() {
        let tests: Vec<String> = clause.filter.iter().map(test).collect();
        text.push_str(&format!(" where {}", tests.join(" and ")));
    }
    if !clause.when.is_empty() {
        let tests: Vec<String> = clause.when.iter().map(test).collect();
        text.push_str(&format!(" if {}", tests.join(" and ")));
    }
    text
}

fn test(test: &Test) -> String {
    let whose = test.node.map_or_else(String::new, |node| format!(" of node {node}"));
    let with = test.peer.map_or_else(String::new, |node| format!(" with node {node}"));
    format!("{}{whose}{with} is {} {}", test.of.replace('_', " "), test.op.words(), plain(&test.value))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn wish(clause: &Clause) -> String {
    let get = |key: &str| clause.args.get(key).map(plain).unwrap_or_default();
    let node = get("node");
    let whose = |thing: &str| format!("show {thing} of node {node}");
    match clause.task {
        Task::NetworkHealth => "check the health of the network".to_owned(),
        Task::BlockHeight => "read the block height".to_owned(),
        Task::NodeInfo => whose("the identity and version"),
        Task::ChannelCount => whose("the channels"),
        Task::PeerList => whose("the peers"),
        Task::FundList => whose("the funds"),
        Task::PaymentList => whose("the payments"),
        Task::InvoiceList => whose("the invoices"),
        Task::LnFeeRates => whose("the fee rates"),
        Task::LnAddress => whose("a fresh deposit address"),
        Task::LnTxList => whose("the transactions"),
        Task::OfferList => whose("the offers"),
        Task::ForwardList => whose("the forwarded payments"),
        Task::NodeStatus => whose("the state"),
        Task::WalletBalance => "read the wallet's balance".to_owned(),
        Task::FeeEstimate => "estimate the on-chain fee".to_owned(),
        Task::MempoolInfo => "look at the mempool".to_owned(),
        Task::BtcTxList => "list the wallet's transactions".to_owned(),
        Task::Recall => "look up earlier runs".to_owned(),
        Task::NodeList => "list the nodes".to_owned(),
        Task::NetInfo => "read this machine's network addresses".to_owned(),
        Task::DecodeInvoice => "decode the invoice or offer".to_owned(),
        Task::ShowTransaction => "show the transaction".to_owned(),
        Task::WaitInvoice | Task::WaitAnyInvoice => format!("wait for a payment to node {node}"),
        Task::FetchUrl => format!("fetch {}", get("url")),
        Task::SignMessage => format!("sign the message with node {node}"),
        Task::StartNode => format!("start node {node}"),
        Task::StopNode => format!("stop node {node}"),
        Task::RestartNode => format!("restart node {node}"),
        Task::CreateNode => format!("create node {node}"),
        Task::DeleteNode => format!("delete node {node}"),
        Task::ReachLan => format!("make node {node} reachable from other machines"),
        Task::MineBlocks => format!("mine {} blocks", get("blocks")),
        Task::WalletAddress => "make a fresh address of the wallet".to_owned(),
        Task::EnsureWallet => format!("make sure that the wallet {} is loaded", get("wallet")),
        _ => money(clause),
    }
}

fn money(clause: &Clause) -> String {
    let get = |key: &str| clause.args.get(key).map(plain).unwrap_or_default();
    let (node, from) = (get("node"), get("from_node"));
    let to = match (clause.args.get("to_node"), clause.args.contains_key("peer_id")) {
        (Some(node), _) => format!("node {}", plain(node)),
        (None, true) => "the given peer".to_owned(),
        (None, false) => "its peers".to_owned(),
    };
    match clause.task {
        Task::Connect => format!("connect node {from} to {to}"),
        Task::OpenChannel => format!("open a {} sat channel from node {from} to {to}", get("amount_sat")),
        Task::CloseChannel if clause.every && !clause.args.contains_key("max") => {
            format!("close every channel between node {from} and {to}")
        }
        Task::CloseChannel => format!("close the channel between node {from} and {to}"),
        Task::SetFee => format!("set the fee of node {node}'s channel with {to}"),
        Task::CreateInvoice => format!("create an invoice for {} msat on node {node}", get("amount_msat")),
        Task::CreateOffer => format!("create an offer for {} msat on node {node}", get("amount_msat")),
        Task::FetchInvoice => format!("fetch an invoice for the offer with node {node}"),
        Task::Pay if clause.every => format!("pay the invoices of {to} from node {from}"),
        Task::Pay if clause.args.contains_key("to_node") => {
            format!("pay {} msat from node {from} to {to}", get("amount_msat"))
        }
        Task::Pay => format!("pay the invoice from node {from}"),
        Task::Keysend => format!("send {} msat from node {from} without an invoice", get("amount_msat")),
        Task::FundNode => format!("send {} BTC from the wallet to node {node}", get("amount_btc")),
        Task::SendOnchain => format!("send {} BTC from the wallet to {}", get("amount_btc"), get("address")),
        Task::Withdraw => format!("withdraw {} sat from node {from}", get("amount_sat")),
        _ => clause.task.name().replace('_', " "),
    }
}
