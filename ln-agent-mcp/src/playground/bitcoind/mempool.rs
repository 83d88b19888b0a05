use bitcoin::{Amount, Txid};
use serde_json::json;

use super::answer::{Answer, Fields, list, object};
use super::method::{Call, Method};
use super::params::{Kind, optional, required};
use crate::playground::chain::{Chain, MIN_RELAY_SAT_PER_KVB, MemEntry, Res, RpcErr};

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "getmempoolinfo",
        params: &[],
        about: "Returns details on the active state of the TX memory pool.",
        run: getmempoolinfo,
    },
    Method {
        name: "getrawmempool",
        params: &[optional("verbose", Kind::Bool), optional("mempool_sequence", Kind::Bool)],
        about: "Returns all transaction ids in memory pool as a json array of string transaction ids.",
        run: getrawmempool,
    },
    Method {
        name: "getmempoolentry",
        params: &[required("txid", Kind::Text)],
        about: "Returns mempool data for given transaction.",
        run: getmempoolentry,
    },
    Method {
        name: "getmempoolancestors",
        params: &[required("txid", Kind::Text), optional("verbose", Kind::Bool)],
        about: "If txid is in the mempool, returns all in-mempool ancestors.",
        run: |call| relatives(call, Chain::mem_ancestors),
    },
    Method {
        name: "getmempooldescendants",
        params: &[required("txid", Kind::Text), optional("verbose", Kind::Bool)],
        about: "If txid is in the mempool, returns all in-mempool descendants.",
        run: |call| relatives(call, Chain::mem_descendants),
    },
    Method {
        name: "estimatesmartfee",
        params: &[required("conf_target", Kind::Number), optional("estimate_mode", Kind::Text)],
        about: "Estimates the approximate fee per kilobyte; a playground has no history to estimate from.",
        run: estimatesmartfee,
    },
];

fn getmempoolinfo(call: &mut Call<'_>) -> Res<Answer> {
    let bytes: u64 = call.chain.mem_entries().map(MemEntry::vsize).sum();
    let usage: usize = call.chain.mem_entries().map(|entry| entry.tx.total_size()).sum();
    let fees: u64 = call.chain.mem_entries().map(|entry| entry.fee).sum();
    let least = Amount::from_sat(MIN_RELAY_SAT_PER_KVB);
    Ok(object()
        .with("loaded", true)
        .with("size", call.chain.mem_entries().count())
        .with("bytes", bytes)
        .with("usage", usage)
        .with("total_fee", Amount::from_sat(fees))
        .with("maxmempool", 300_000_000)
        .with("mempoolminfee", least)
        .with("minrelaytxfee", least)
        .with("incrementalrelayfee", least)
        .with("unbroadcastcount", 0)
        .with("fullrbf", true)
        .into())
}

fn getrawmempool(call: &mut Call<'_>) -> Res<Answer> {
    let entries = call.chain.mem_entries();
    let with_sequence = call.args.flag(1) == Some(true);
    if call.args.flag(0) == Some(true) {
        if with_sequence {
            return Err(RpcErr::new(-8, "Verbose results cannot contain mempool sequence values."));
        }
        let fields = entries.map(|entry| (entry.txid.to_string(), describe(call.chain, entry).into()));
        return Ok(Answer::Object(fields.collect()));
    }
    let ids = list(entries.map(|entry| entry.txid.to_string()));
    if with_sequence {
        return Ok(object()
            .with("txids", ids)
            .with("mempool_sequence", call.chain.mempool_sequence())
            .into());
    }
    Ok(ids)
}

fn getmempoolentry(call: &mut Call<'_>) -> Res<Answer> {
    let txid: Txid = call.args.hash(0, "txid")?;
    let entry = call.chain.mem_entry(&txid).ok_or_else(|| RpcErr::new(-5, "Transaction not in mempool"))?;
    Ok(describe(call.chain, entry).into())
}

fn relatives(call: &mut Call<'_>, find: fn(&Chain, &Txid) -> Vec<Txid>) -> Res<Answer> {
    let txid: Txid = call.args.hash(0, "parameter 1")?;
    call.chain.mem_entry(&txid).ok_or_else(|| RpcErr::new(-5, "Transaction not in mempool"))?;
    let others: Vec<Txid> = find(call.chain, &txid).into_iter().filter(|other| *other != txid).collect();
    if call.args.flag(1) != Some(true) {
        return Ok(list(others.iter().map(Txid::to_string)));
    }
    let entries = others.iter().filter_map(|other| call.chain.mem_entry(other));
    Ok(Answer::Object(
        entries.map(|entry| (entry.txid.to_string(), describe(call.chain, entry).into())).collect(),
    ))
}

fn describe(chain: &Chain, entry: &MemEntry) -> Fields {
    let relatives = |txids: Vec<Txid>| -> (usize, u64, u64) {
        let entries: Vec<_> = txids.iter().filter_map(|txid| chain.mem_entry(txid)).collect();
        let size = entries.iter().map(|entry| entry.vsize()).sum();
        (entries.len(), size, entries.iter().map(|entry| entry.fee).sum())
    };
    let (descendants, descendant_size, descendant_fees) = relatives(chain.mem_descendants(&entry.txid));
    let (ancestors, ancestor_size, ancestor_fees) = relatives(chain.mem_ancestors(&entry.txid));
    let parents = entry.tx.input.iter().map(|input| input.previous_output.txid);
    let mut parents: Vec<String> =
        parents.filter(|txid| chain.mem_entry(txid).is_some()).map(|txid| txid.to_string()).collect();
    parents.sort();
    parents.dedup();
    let spends_this =
        |other: &&MemEntry| other.tx.input.iter().any(|input| input.previous_output.txid == entry.txid);
    let children: Vec<String> =
        chain.mem_entries().filter(spends_this).map(|other| other.txid.to_string()).collect();
    let fees = object()
        .with("base", Amount::from_sat(entry.fee))
        .with("modified", Amount::from_sat(entry.fee))
        .with("ancestor", Amount::from_sat(ancestor_fees))
        .with("descendant", Amount::from_sat(descendant_fees));
    object()
        .with("vsize", entry.vsize())
        .with("weight", entry.tx.weight().to_wu())
        .with("time", entry.time)
        .with("height", entry.height)
        .with("descendantcount", descendants)
        .with("descendantsize", descendant_size)
        .with("ancestorcount", ancestors)
        .with("ancestorsize", ancestor_size)
        .with("wtxid", entry.tx.compute_wtxid().to_string())
        .with("fees", fees)
        .with("depends", json!(parents))
        .with("spentby", json!(children))
        .with("bip125-replaceable", true)
        .with("unbroadcast", false)
}

fn estimatesmartfee(call: &mut Call<'_>) -> Res<Answer> {
    let target = call.args.integer(0)?.unwrap_or(0);
    if !(1..=1008).contains(&target) {
        return Err(RpcErr::new(-8, "Invalid conf_target, must be between 1 and 1008"));
    }
    let mode = call.args.text(1).unwrap_or("unset").to_ascii_lowercase();
    if !["unset", "economical", "conservative"].contains(&mode.as_str()) {
        let message =
            r#"Invalid estimate_mode parameter, must be one of: "unset", "economical", "conservative""#;
        return Err(RpcErr::new(-8, message));
    }
    Ok(object()
        .with("errors", json!(["Insufficient data or no feerate found"]))
        .with("blocks", target)
        .into())
}
