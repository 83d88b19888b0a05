use bitcoin::consensus::encode::serialize_hex;
use bitcoin::{Address, SignedAmount, Txid};
use serde_json::json;

use super::answer::{Answer, Fields, list, object};
use super::method::{Call, Method};
use super::money::last_block;
use super::params::{Kind, optional, required};
use super::render::{Spent, transaction};
use crate::playground::chain::{Chain, Res, RpcErr};
use crate::playground::wallet::{Category, Movement, Wallet};

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "listtransactions",
        params: &[
            optional("label|dummy", Kind::Text),
            optional("count", Kind::Number),
            optional("skip", Kind::Number),
            optional("include_watchonly", Kind::Bool),
        ],
        about: "Returns up to 'count' most recent transactions skipping the first 'skip' transactions, oldest first.",
        run: listtransactions,
    },
    Method {
        name: "gettransaction",
        params: &[
            required("txid", Kind::Text),
            optional("include_watchonly", Kind::Bool),
            optional("verbose", Kind::Bool),
        ],
        about: "Get detailed information about in-wallet transaction <txid>.",
        run: gettransaction,
    },
];

fn listtransactions(call: &mut Call<'_>) -> Res<Answer> {
    let label = call.args.text(0).filter(|label| *label != "*");
    if label == Some("") {
        return Err(RpcErr::new(-8, "Label argument must be a valid label name or \"*\"."));
    }
    let whole = |at, default, message: &str| {
        let number = call.args.integer(at)?.unwrap_or(default);
        usize::try_from(number).map_err(|_| RpcErr::new(-8, message))
    };
    let count = whole(1, 10, "Negative count")?;
    let skip = whole(2, 0, "Negative from")?;
    let wallet = call.wallet()?;
    let keep = |movement: &Movement| label.is_none() || label == label_of(wallet, movement);
    let movements = wallet.movements(call.chain, count, skip, keep);
    let entries = movements.iter().map(|movement| {
        let tail = times(call.chain, &movement.txid);
        entry(wallet, movement)
            .and(head(call.chain, wallet, movement))
            .and(tail)
            .and(note(wallet, &movement.txid))
    });
    Ok(list(entries))
}

fn gettransaction(call: &mut Call<'_>) -> Res<Answer> {
    let txid: Txid = call.args.hash(0, "txid")?;
    let wallet = call.wallet()?;
    let movements = wallet.movements_of(call.chain, &txid);
    let (Some(first), Some((tx, _))) = (movements.first(), call.chain.get_tx(&txid)) else {
        return Err(RpcErr::new(-5, "Invalid or non-wallet transaction id"));
    };
    let sum: SignedAmount = movements.iter().map(|movement| movement.amount).sum();
    let details = movements.iter().map(|movement| entry(wallet, movement));
    let decoded = (call.args.flag(2) == Some(true)).then(|| transaction(&tx, Spent::Unknown));
    Ok(object()
        .with("amount", sum)
        .with_some("fee", first.fee)
        .and(head(call.chain, wallet, first))
        .and(times(call.chain, &txid))
        .and(note(wallet, &txid))
        .with("details", list(details))
        .with("hex", serialize_hex(&tx))
        .with_some("decoded", decoded)
        .with("lastprocessedblock", last_block(call.chain))
        .into())
}

fn label_of<'a>(wallet: &'a Wallet, movement: &Movement) -> Option<&'a str> {
    movement.address.as_ref().and_then(|address| wallet.label(address))
}

/// What one output did.
fn entry(wallet: &Wallet, movement: &Movement) -> Fields {
    let script = movement.address.as_ref().map(Address::script_pubkey);
    let owned = script.and_then(|script| wallet.owned(&script));
    object()
        .with_some("address", movement.address.as_ref().map(ToString::to_string))
        .with_some("parent_descs", owned.map(|owned| json!([wallet.parent_descriptor(owned)])))
        .with("category", movement.category.name())
        .with("amount", movement.amount)
        .with_some("label", label_of(wallet, movement))
        .with("vout", movement.vout)
        .with_some("fee", movement.fee)
        .with("abandoned", false)
}

/// Where the transaction is, and whether it counts.
fn head(chain: &Chain, wallet: &Wallet, movement: &Movement) -> Fields {
    let rewards = matches!(movement.category, Category::Generate | Category::Immature);
    match (chain.find(&movement.txid), chain.mem_entry(&movement.txid)) {
        (Some((block, position)), _) => object()
            .with("confirmations", chain.height() + 1 - block.height)
            .with_some("generated", rewards.then_some(true))
            .with("blockhash", block.hash.to_string())
            .with("blockheight", block.height)
            .with("blockindex", position)
            .with("blocktime", block.block.header.time),
        (None, entry) => object()
            .with("confirmations", 0)
            .with("trusted", entry.is_some_and(|entry| wallet.trusts(chain, entry)))
            .with("in_mempool", true),
    }
}

fn times(chain: &Chain, txid: &Txid) -> Fields {
    let pending = chain.mem_entry(txid);
    let confirmed = chain.find(txid).map(|(block, _)| u64::from(block.block.header.time));
    let time = confirmed.or(pending.map(|entry| entry.time)).unwrap_or_default();
    let wtxid = chain.get_tx(txid).map(|(tx, _)| tx.compute_wtxid().to_string());
    object()
        .with("txid", txid.to_string())
        .with_some("wtxid", wtxid)
        .with("walletconflicts", json!([]))
        .with("mempoolconflicts", json!([]))
        .with("time", time)
        .with("timereceived", time)
        .with("bip125-replaceable", if pending.is_some() { "yes" } else { "no" })
}

fn note(wallet: &Wallet, txid: &Txid) -> Fields {
    let (comment, to) = wallet.note(txid).unwrap_or_default();
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    object().with_some("comment", some(comment)).with_some("to", some(to))
}
