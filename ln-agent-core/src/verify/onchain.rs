//! On-chain money: withdrawn, sent, mined, and the wallet that holds it.

use serde_json::{Value, json};

use super::look::{Finding, Look, Seen, argument, list, pick, text};
use crate::types::Object;

pub(super) const WITHDRAWN: &[Look] =
    &[Look { tool: "ln_listtransactions", args: of_node, before: false, absent: &[], judge: withdrawn }];
pub(super) const WALLET: &[Look] =
    &[Look { tool: "btc_getbalance", args: of_wallet, before: false, absent: &[NO_WALLET], judge: answers }];
pub(super) const SENT: &[Look] = &[Look {
    tool: "btc_gettransaction",
    args: sent_txid,
    before: false,
    absent: &[NO_TRANSACTION],
    judge: sent,
}];
pub(super) const MINED: &[Look] =
    &[Look { tool: "btc_getblockchaininfo", args: nothing, before: true, absent: &[], judge: mined }];

/// bitcoind: RPC_WALLET_NOT_FOUND.
const NO_WALLET: i64 = -18;
/// bitcoind: RPC_INVALID_ADDRESS_OR_KEY, which it answers for a transaction that the wallet does not know.
const NO_TRANSACTION: i64 = -5;

fn of_node(args: &Object, _payload: &Value) -> Option<Object> {
    pick(args, &[("node", "node")])
}

fn of_wallet(args: &Object, _payload: &Value) -> Option<Object> {
    pick(args, &[("wallet_name", "wallet")])
}

#[expect(clippy::unnecessary_wraps, reason = "one of the table's functions")]
fn nothing(_args: &Object, _payload: &Value) -> Option<Object> {
    Some(Object::new())
}

fn sent_txid(args: &Object, payload: &Value) -> Option<Object> {
    let mut read = pick(args, &[("wallet", "wallet")]).unwrap_or_default();
    read.insert("txid".to_owned(), txid(payload)?.into());
    Some(read)
}

/// The transaction a payload names: the payload itself, or its member.
fn txid(payload: &Value) -> Option<&str> {
    payload.as_str().or_else(|| text(payload, "txid"))
}

fn withdrawn(seen: &Seen<'_>) -> Finding {
    let Some(txid) = txid(seen.done.payload) else {
        return Finding::Undecided("the answer does not name the transaction".to_owned());
    };
    let found =
        list(seen.now, "transactions").iter().find(|transaction| text(transaction, "hash") == Some(txid));
    let Some(transaction) = found else {
        return Finding::contradicted(format!("transaction {txid} is not among the node's"), Value::Null);
    };
    // 0 while it waits for its first block.
    let height = transaction.get("blockheight").and_then(Value::as_u64).filter(|height| *height > 0);
    let place =
        height.map_or_else(|| "waits for a block".to_owned(), |height| format!("is in block {height}"));
    Finding::confirmed(format!("transaction {txid} {place}"), json!({ "hash": txid, "blockheight": height }))
}

fn answers(seen: &Seen<'_>) -> Finding {
    let wallet = argument(seen.done.args, "wallet_name");
    Finding::confirmed(format!("wallet {wallet} answers"), seen.now.clone())
}

fn sent(seen: &Seen<'_>) -> Finding {
    let txid = txid(seen.done.payload).unwrap_or_default();
    let confirmations = seen.now.get("confirmations").and_then(Value::as_i64).unwrap_or(0);
    let observed = json!({ "txid": txid, "confirmations": confirmations });
    // bitcoind counts below zero when another transaction took its place.
    if confirmations < 0 {
        return Finding::contradicted(
            format!("transaction {txid} conflicts with one in the chain"),
            observed,
        );
    }
    let place = match confirmations {
        0 => "waits for a block".to_owned(),
        1 => "has 1 confirmation".to_owned(),
        more => format!("has {more} confirmations"),
    };
    Finding::confirmed(format!("transaction {txid} {place}"), observed)
}

fn mined(seen: &Seen<'_>) -> Finding {
    let hashes = seen.done.payload.as_array().map_or(&[][..], Vec::as_slice);
    let height = |info: &Value| info.get("blocks").and_then(Value::as_u64);
    let Some(now) = height(seen.now) else {
        return Finding::Undecided("the chain does not say its height".to_owned());
    };
    let observed = json!({ "blocks": now, "bestblockhash": text(seen.now, "bestblockhash") });
    if hashes.last().is_some_and(|hash| hash.as_str() == text(seen.now, "bestblockhash")) {
        let count = hashes.len();
        return Finding::confirmed(
            format!("the chain is at height {now}, its tip is the last of {count} new blocks"),
            observed,
        );
    }
    let Some(before) = seen.before.and_then(height) else {
        return Finding::Undecided("the height before mining is not known".to_owned());
    };
    let grown = now.saturating_sub(before);
    let detail =
        format!("the chain went from height {before} to {now}, and {} blocks were mined", hashes.len());
    if usize::try_from(grown).is_ok_and(|grown| grown >= hashes.len()) && !hashes.is_empty() {
        Finding::confirmed(detail, observed)
    } else {
        Finding::contradicted(detail, observed)
    }
}
