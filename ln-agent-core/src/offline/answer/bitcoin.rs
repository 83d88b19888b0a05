//! Sentences about the chain, bitcoind's wallet, the machine and earlier runs.

use serde_json::Value;

use super::reading::{Reading, details, plain, text};
use super::words::{count, some_of};

pub(super) fn sentence(tool: &str, read: Reading<'_>) -> Option<String> {
    match tool {
        "network_health" => health(read),
        "sys_netinfo" => netinfo(read),
        "memory_lookup" => memory(read),
        "btc_getblockchaininfo" => chain(read),
        "btc_getbalance" => {
            let balance = bare(read.payload, "balance")?;
            Some(format!("the balance of {} is {balance} BTC", read.wallet()))
        }
        "btc_listtransactions" => transactions(read),
        "btc_gettransaction" => Some(format!(
            "transaction {}{}",
            read.get("txid").or_else(|| read.arg("txid"))?,
            details(
                read.payload,
                &[
                    ("amount", "amount in BTC"),
                    ("fee", "fee in BTC"),
                    ("confirmations", "confirmations"),
                    ("blockhash", "in block")
                ]
            )
        )),
        "btc_getmempoolinfo" => {
            let size = read.payload.get("size")?.as_u64()?;
            let bytes =
                details(read.payload, &[("bytes", "virtual bytes"), ("maxmempool", "limit in bytes")]);
            Some(format!("the mempool holds {}{bytes}", count(usize::try_from(size).ok()?, "transaction")))
        }
        "btc_estimatefee" => fee(read),
        "btc_wallet_ensure" => {
            Some(format!("wallet {} is ready", read.get("wallet").or_else(|| read.arg("wallet_name"))?))
        }
        "btc_getnewaddress" => {
            Some(format!("a new address of {} is {}", read.wallet(), bare(read.payload, "address")?))
        }
        "btc_sendtoaddress" => Some(format!(
            "sent {} BTC from {} to {}; the transaction is {}",
            read.arg("amount_btc")?,
            read.wallet(),
            read.arg("address")?,
            bare(read.payload, "txid")?
        )),
        "btc_generatetoaddress" => mined(read),
        _ => None,
    }
}

/// A payload that is the value itself, or an object around it.
fn bare(payload: &Value, name: &str) -> Option<String> {
    match payload {
        Value::Object(_) => text(payload, name),
        Value::Null | Value::Array(_) => None,
        value => Some(plain(value)),
    }
}

fn health(read: Reading<'_>) -> Option<String> {
    let status = read.get("status")?;
    let nodes = read.list("nodes")?;
    let running = nodes.iter().filter(|node| text(node, "status").as_deref() == Some("running"));
    let summary = read.payload.get("summary").unwrap_or(&Value::Null);
    let running = text(summary, "nodes_running").unwrap_or_else(|| running.count().to_string());
    let total = text(summary, "nodes_total").unwrap_or_else(|| nodes.len().to_string());
    let bitcoind = match summary.get("bitcoin_ok").and_then(Value::as_bool) {
        Some(true) => "bitcoind answers and ",
        Some(false) => "bitcoind does not answer and ",
        None => "",
    };
    let states: Vec<String> = nodes
        .iter()
        .filter_map(|node| Some(format!("{} is {}", text(node, "name")?, text(node, "status")?)))
        .collect();
    let states = if states.is_empty() { String::new() } else { format!(" ({})", states.join(", ")) };
    Some(format!(
        "the network's health is {status}: {bitcoind}{running} of {total} Lightning nodes run{states}"
    ))
}

fn netinfo(read: Reading<'_>) -> Option<String> {
    let host = read.get("hostname")?;
    let outbound = read.get("default_outbound_ip").map(|ip| format!("; its outbound address is {ip}"));
    let all: Vec<String> =
        read.payload.get("all_ips").and_then(Value::as_array).into_iter().flatten().map(plain).collect();
    let all = if all.is_empty() { String::new() } else { format!("; its addresses are {}", all.join(", ")) };
    Some(format!("this machine is {host}{}{all}", outbound.unwrap_or_default()))
}

fn memory(read: Reading<'_>) -> Option<String> {
    let entries = read.list("entries")?;
    if entries.is_empty() {
        return Some("there is no record of an earlier run that matches".to_owned());
    }
    let lines: Vec<String> = entries
        .iter()
        .filter_map(|entry| {
            let asked = text(entry, "user").or_else(|| text(entry, "goal"))?;
            let summary =
                text(entry, "summary").map(|summary| format!(": {}", summary.trim_end_matches('.')));
            Some(format!("“{asked}” ({}){}", text(entry, "outcome")?, summary.unwrap_or_default()))
        })
        .collect();
    Some(format!("{} on record: {}", count(entries.len(), "earlier run"), some_of(&lines)))
}

fn chain(read: Reading<'_>) -> Option<String> {
    let blocks = read.get("blocks")?;
    let chain = read.get("chain").unwrap_or_else(|| "bitcoin".to_owned());
    let behind =
        match (read.payload.get("blocks")?.as_u64()?, read.payload.get("headers").and_then(Value::as_u64)) {
            (have, Some(known)) if known > have => format!(", and still syncs to {}", plain(&known.into())),
            _ => String::new(),
        };
    Some(format!("the current block height is {blocks} on the {chain} chain{behind}"))
}

fn transactions(read: Reading<'_>) -> Option<String> {
    let list = read.list("transactions")?;
    let lines: Vec<String> = list
        .iter()
        .filter_map(|tx| {
            let (category, amount, txid) = (text(tx, "category")?, text(tx, "amount")?, text(tx, "txid")?);
            Some(format!(
                "{category} {amount} BTC in {txid}{}",
                details(tx, &[("confirmations", "confirmations")])
            ))
        })
        .collect();
    let listed = if lines.is_empty() { String::new() } else { format!(": {}", some_of(&lines)) };
    Some(format!("{} has {}{listed}", read.wallet(), count(list.len(), "recent transaction")))
}

fn fee(read: Reading<'_>) -> Option<String> {
    let rate = read.payload.get("feerate")?;
    let target = read.get("blocks").or_else(|| read.arg("conf_target"));
    let within = target.map(|blocks| format!(" for confirmation within {blocks} blocks")).unwrap_or_default();
    if rate.to_string().starts_with('-') {
        return Some(format!(
            "the estimated fee rate{within} is {rate}: the node has not seen enough transactions for an estimate"
        ));
    }
    Some(format!("the estimated fee rate{within} is {} BTC per kvB", plain(rate)))
}

fn mined(read: Reading<'_>) -> Option<String> {
    let hashes = read.list("blocks")?;
    let last = hashes.last().map(|hash| format!("; the newest is {}", plain(hash))).unwrap_or_default();
    Some(format!("mined {}{last}", count(hashes.len(), "block")))
}
