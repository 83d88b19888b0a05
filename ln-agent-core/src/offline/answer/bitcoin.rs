//! Sentences about the chain, bitcoind's wallet, the machine and earlier runs.

use serde_json::Value;

use super::reading::{Reading, plain, text};
use super::said::Said;
use super::words::{self, count};

pub(super) fn said(tool: &str, read: Reading<'_>) -> Option<Said> {
    match tool {
        "network_health" => health(read),
        "sys_netinfo" => netinfo(read),
        "memory_lookup" => memory(read),
        "btc_getblockchaininfo" => chain(read),
        "btc_getbalance" => {
            let balance = bare(read.payload, "balance")?;
            Some(Said::fact(format!("the balance of {} is {balance} BTC", read.wallet())))
        }
        "btc_listtransactions" => transactions(read),
        "btc_gettransaction" => transaction(read),
        "btc_getmempoolinfo" => {
            let size = read.payload.get("size")?.as_u64()?;
            let bytes =
                read.get("bytes").map(|bytes| format!(" ({bytes} virtual bytes)")).unwrap_or_default();
            let size = count(usize::try_from(size).ok()?, "transaction");
            Some(Said::fact(format!("the mempool holds {size}{bytes}")))
        }
        "btc_estimatefee" => fee(read),
        "btc_wallet_ensure" => {
            let wallet = read.get("wallet").or_else(|| read.arg("wallet_name"))?;
            Some(Said::act(format!("wallet {wallet} is ready")))
        }
        "btc_getnewaddress" => Some(Said::fact(format!(
            "a new address of {} is {}",
            read.wallet(),
            bare(read.payload, "address")?
        ))),
        "btc_sendtoaddress" => Some(
            Said::act(format!(
                "{} sent {} BTC to {}",
                read.wallet(),
                read.arg("amount_btc")?,
                read.scene.place(&read.arg("address")?),
            ))
            .worth("transaction", Some(bare(read.payload, "txid")?)),
        ),
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

fn health(read: Reading<'_>) -> Option<Said> {
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
    let others: Vec<String> = nodes
        .iter()
        .filter_map(|node| Some((text(node, "name")?, text(node, "status")?)))
        .filter(|(_, status)| status != "running")
        .map(|(name, status)| format!("{name} is {status}"))
        .collect();
    let others = if others.is_empty() { String::new() } else { format!(" ({})", words::listed(&others)) };
    Some(Said::fact(format!(
        "the network is {status}: {bitcoind}{running} of {total} Lightning nodes run{others}"
    )))
}

fn netinfo(read: Reading<'_>) -> Option<Said> {
    let host = read.get("hostname")?;
    let main = read.get("default_outbound_ip");
    let all: Vec<String> =
        read.payload.get("all_ips").and_then(Value::as_array).into_iter().flatten().map(plain).collect();
    let others: Vec<String> = all.into_iter().filter(|ip| main.as_ref() != Some(ip)).collect();
    let main = main.map(|ip| format!(" and goes out by {ip}")).unwrap_or_default();
    let others = if others.is_empty() {
        String::new()
    } else {
        format!("; its other addresses are {}", others.join(", "))
    };
    Some(Said::fact(format!("this machine is {host}{main}{others}")))
}

fn memory(read: Reading<'_>) -> Option<Said> {
    let entries = read.list("entries")?;
    if entries.is_empty() {
        return Some(Said::fact("there is no record of an earlier run that matches"));
    }
    let lines: Vec<String> = entries
        .iter()
        .filter_map(|entry| {
            let asked = text(entry, "user").or_else(|| text(entry, "goal"))?;
            let ended = text(entry, "outcome")?;
            let ended = match ended.as_str() {
                "ok" => "succeeded",
                "partial" => "succeeded in part",
                "unknown" => "its outcome is unknown",
                other => other,
            };
            // One run is told in full, several by what was asked.
            let summary = text(entry, "summary").filter(|_| entries.len() == 1);
            let summary =
                summary.map(|text| format!(" – {}", text.trim_end_matches('.'))).unwrap_or_default();
            Some(format!("“{asked}” ({ended}){summary}"))
        })
        .collect();
    Some(Said::fact(format!("{} on record", count(entries.len(), "earlier run"))).with(lines))
}

fn chain(read: Reading<'_>) -> Option<Said> {
    let blocks = read.get("blocks")?;
    let chain = read.get("chain").unwrap_or_else(|| "bitcoin".to_owned());
    let behind =
        match (read.payload.get("blocks")?.as_u64()?, read.payload.get("headers").and_then(Value::as_u64)) {
            (have, Some(known)) if known > have => format!(", still syncing to {}", plain(&known.into())),
            _ => String::new(),
        };
    Some(Said::fact(format!("the block height is {blocks} on {chain}{behind}")))
}

fn transaction(read: Reading<'_>) -> Option<Said> {
    let txid = read.get("txid").or_else(|| read.arg("txid"))?;
    let depth = depth(read.payload).map_or_else(|| " is known".to_owned(), |depth| format!(" has {depth}"));
    let btc =
        |name: &str| text(read.payload, name).map(|sum| format!(", {name} {sum} BTC")).unwrap_or_default();
    Some(Said::fact(format!("transaction {txid}{depth}{}{}", btc("amount"), btc("fee"))))
}

/// `1 confirmation`.
fn depth(tx: &Value) -> Option<String> {
    Some(count(usize::try_from(tx.get("confirmations")?.as_u64()?).ok()?, "confirmation"))
}

fn transactions(read: Reading<'_>) -> Option<Said> {
    let list = read.list("transactions")?;
    let lines: Vec<String> = list
        .iter()
        .rev()
        .filter_map(|tx| {
            let (category, amount, txid) = (text(tx, "category")?, text(tx, "amount")?, text(tx, "txid")?);
            let depth = depth(tx).map(|depth| format!(" ({depth})")).unwrap_or_default();
            Some(format!("{category} {amount} BTC in {txid}{depth}"))
        })
        .collect();
    Some(Said::fact(format!("{} has {}", read.wallet(), count(list.len(), "recent transaction"))).with(lines))
}

fn fee(read: Reading<'_>) -> Option<Said> {
    let rate = read.payload.get("feerate")?;
    let target = read.get("blocks").or_else(|| read.arg("conf_target"));
    let within = target.map(|blocks| format!(" for confirmation within {blocks} blocks")).unwrap_or_default();
    if rate.to_string().starts_with('-') {
        return Some(Said::fact(format!(
            "there is no fee estimate{within} ({rate}): the node has not seen enough transactions"
        )));
    }
    Some(Said::fact(format!("the estimated fee rate{within} is {} BTC per kvB", plain(rate))))
}

fn mined(read: Reading<'_>) -> Option<Said> {
    let hashes = read.list("blocks")?;
    let last = hashes.last().map(plain).filter(|_| read.scene.asks(&["hash"]));
    Some(Said::act(format!("mined {}", count(hashes.len(), "block"))).worth("newest block", last))
}
