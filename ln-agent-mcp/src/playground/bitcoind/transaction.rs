use bitcoin::consensus::encode::{deserialize_hex, serialize_hex};
use bitcoin::{Amount, BlockHash, OutPoint, Transaction, Txid};
use serde_json::{Value, json};

use super::amount::amount;
use super::answer::{Answer, Fields, object};
use super::method::{Call, Method};
use super::params::{Kind, optional, required};
use super::render::{Spent, transaction, transaction_with_hex};
use super::script_text::script_pub_key;
use crate::playground::chain::{Chain, Coin, Entry, Res, RpcErr};

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "getrawtransaction",
        params: &[
            required("txid", Kind::Text),
            optional("verbosity|verbose", Kind::Any),
            optional("blockhash", Kind::Text),
        ],
        about: "Return the raw transaction data: 0 (default) as hex, 1 as an object, 2 with fee and what it spends.",
        run: getrawtransaction,
    },
    Method {
        name: "decoderawtransaction",
        params: &[required("hexstring", Kind::Text), optional("iswitness", Kind::Bool)],
        about: "Return a JSON object representing the serialized, hex-encoded transaction.",
        run: |call| {
            let tx = decode(call.args.required_text(0), "TX decode failed")?;
            Ok(transaction(&tx, Spent::Unknown).into())
        },
    },
    Method {
        name: "sendrawtransaction",
        params: &[
            required("hexstring", Kind::Text),
            optional("maxfeerate", Kind::Any),
            optional("maxburnamount", Kind::Any),
        ],
        about: "Submit a raw transaction (serialized, hex-encoded) to the network.",
        run: sendrawtransaction,
    },
    Method {
        name: "testmempoolaccept",
        params: &[required("rawtxs", Kind::List), optional("maxfeerate", Kind::Any)],
        about: "Returns result of mempool acceptance tests, one transaction at a time.",
        run: testmempoolaccept,
    },
    Method {
        name: "gettxout",
        params: &[
            required("txid", Kind::Text),
            required("n", Kind::Number),
            optional("include_mempool", Kind::Bool),
        ],
        about: "Returns details about an unspent transaction output.",
        run: gettxout,
    },
];

const FEE_TOO_HIGH: &str = "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)";

fn decode(hex: &str, failure: &str) -> Res<Transaction> {
    deserialize_hex(hex).map_err(|_| RpcErr::new(-22, failure))
}

fn getrawtransaction(call: &mut Call<'_>) -> Res<Answer> {
    let txid: Txid = call.args.hash(0, "parameter 1")?;
    let verbosity = call.args.verbosity(1, 0)?;
    let (tx, block) = match call.args.text(2) {
        Some(hash) => in_block(call.chain, &txid, super::params::parse_hash(hash, "parameter 3")?)?,
        None => anywhere(call.chain, &txid)?,
    };
    if verbosity <= 0 {
        return Ok(serialize_hex(&tx).into());
    }
    let coins = call.chain.spent_by(&txid);
    let spent = if verbosity >= 2 { Spent::Full(&coins) } else { Spent::Unknown };
    let asked = block.filter(|_| call.args.text(2).is_some());
    let active = asked.map(|entry| object().with("in_active_chain", call.chain.is_active(entry)));
    let confirmed = block.map(|entry| {
        let active = call.chain.is_active(entry);
        object()
            .with("blockhash", entry.hash.to_string())
            .with("confirmations", if active { call.chain.height() + 1 - entry.height } else { 0 })
            .with("time", entry.block.header.time)
            .with("blocktime", entry.block.header.time)
    });
    Ok(object().and_some(active).and(transaction_with_hex(&tx, spent)).and_some(confirmed).into())
}

fn anywhere<'a>(chain: &'a Chain, txid: &Txid) -> Res<(Transaction, Option<&'a Entry>)> {
    let message = "No such mempool or blockchain transaction. Use gettransaction for wallet transactions.";
    let (tx, block) = chain.get_tx(txid).ok_or_else(|| RpcErr::new(-5, message))?;
    Ok((tx, block.and_then(|hash| chain.entry(&hash))))
}

fn in_block<'a>(chain: &'a Chain, txid: &Txid, hash: BlockHash) -> Res<(Transaction, Option<&'a Entry>)> {
    let entry = chain.entry(&hash).ok_or_else(|| RpcErr::new(-5, "Block hash not found"))?;
    let position = entry.txids.iter().position(|other| other == txid);
    let tx = position.and_then(|position| entry.block.txdata.get(position)).ok_or_else(|| {
        let message =
            "No such transaction found in the provided block. Use gettransaction for wallet transactions.";
        RpcErr::new(-5, message)
    })?;
    Ok((tx.clone(), Some(entry)))
}

/// The most that a transaction may pay, in satoshis, at `maxfeerate` (default 0.1 BTC/kvB; 0 means no limit).
fn fee_limit(rate: Option<&Value>, tx: &Transaction) -> Res<u64> {
    let rate = rate.map_or(Ok(Amount::from_sat(10_000_000)), amount)?;
    Ok(match rate.to_sat() {
        0 => u64::MAX,
        rate => rate.saturating_mul(tx.vsize() as u64).div_ceil(1_000),
    })
}

fn sendrawtransaction(call: &mut Call<'_>) -> Res<Answer> {
    let tx =
        decode(call.args.required_text(0), "TX decode failed. Make sure the tx has at least one input.")?;
    let limit = fee_limit(call.args.value(1), &tx)?;
    let burnt = call.args.value(2).map_or(Ok(Amount::ZERO), amount)?;
    if tx.output.iter().any(|output| output.script_pubkey.is_op_return() && output.value > burnt) {
        return Err(RpcErr::new(
            -25,
            "Unspendable output exceeds maximum configured by user (maxburnamount)",
        ));
    }
    let known = call.chain.mem_entry(&tx.compute_txid()).is_some();
    if !known && call.chain.examine(&tx)?.fee > limit {
        return Err(RpcErr::new(-25, FEE_TOO_HIGH));
    }
    Ok(call.chain.accept(tx)?.to_string().into())
}

fn testmempoolaccept(call: &mut Call<'_>) -> Res<Answer> {
    let raw = call.args.value(0).and_then(Value::as_array).cloned().unwrap_or_default();
    if raw.is_empty() || raw.len() > 25 {
        return Err(RpcErr::new(-8, "Array must contain between 1 and 25 transactions."));
    }
    let failure = "TX decode failed: {} Make sure the tx has at least one input.";
    let tests = raw.iter().map(|item| {
        let text = item.as_str().unwrap_or_default();
        let tx = decode(text, &failure.replace("{}", text))?;
        let limit = fee_limit(call.args.value(1), &tx)?;
        Ok(test(call.chain, &tx, limit).into())
    });
    Ok(Answer::List(tests.collect::<Res<_>>()?))
}

fn test(chain: &Chain, tx: &Transaction, limit: u64) -> Fields {
    let wtxid = tx.compute_wtxid().to_string();
    let start = object().with("txid", tx.compute_txid().to_string()).with("wtxid", wtxid.as_str());
    let refused = |reason: &str| {
        let short = if reason.starts_with("insufficient fee") { "insufficient fee" } else { reason };
        let short = match short {
            "bad-txns-inputs-missingorspent" => "missing-inputs",
            "Transaction outputs already in utxo set" => "txn-already-known",
            other => other,
        };
        start.clone().with("allowed", false).with("reject-reason", short).with("reject-details", reason)
    };
    if chain.mem_entry(&tx.compute_txid()).is_some() {
        return refused("txn-already-in-mempool");
    }
    match chain.examine(tx) {
        Err(error) => refused(&error.message),
        Ok(admission) if admission.fee > limit => refused("max-fee-exceeded"),
        Ok(admission) => {
            let rate = Amount::from_sat(admission.fee * 1_000 / tx.vsize() as u64);
            let fees = object()
                .with("base", Amount::from_sat(admission.fee))
                .with("effective-feerate", rate)
                .with("effective-includes", json!([wtxid]));
            start.with("allowed", true).with("vsize", tx.vsize()).with("fees", fees)
        }
    }
}

fn gettxout(call: &mut Call<'_>) -> Res<Answer> {
    let txid: Txid = call.args.hash(0, "txid")?;
    let vout = call.args.integer(1)?.and_then(|n| u32::try_from(n).ok());
    let Some(vout) = vout else { return Ok(Answer::NULL) };
    let place = OutPoint::new(txid, vout);
    let with_mempool = call.args.flag(2).unwrap_or(true);
    let coin: Option<Coin> = if with_mempool {
        call.chain.find_coin(&place).filter(|_| call.chain.mempool_spender(&place).is_none())
    } else {
        call.chain.utxo(&place).cloned()
    };
    Ok(coin.map_or(Answer::NULL, |coin| {
        object()
            .with("bestblock", call.chain.tip().hash.to_string())
            .with("confirmations", call.chain.height() + 1 - coin.height)
            .with("value", coin.out.value)
            .with("scriptPubKey", script_pub_key(&coin.out.script_pubkey))
            .with("coinbase", coin.coinbase)
            .into()
    }))
}
