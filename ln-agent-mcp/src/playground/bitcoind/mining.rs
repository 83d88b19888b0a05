use bitcoin::consensus::encode::deserialize_hex;
use bitcoin::{Transaction, Txid};
use serde_json::Value;

use super::answer::{Answer, object};
use super::method::{Call, Method};
use super::params::{Kind, optional, parse_address, required};
use super::render::{bits, difficulty, target};
use crate::playground::chain::{Chain, Res, RpcErr};

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "generatetoaddress",
        params: &[
            required("nblocks", Kind::Number),
            required("address", Kind::Text),
            optional("maxtries", Kind::Number),
        ],
        about: "Mine to a specified address and return the block hashes.",
        run: generatetoaddress,
    },
    Method {
        name: "generateblock",
        params: &[
            required("output", Kind::Text),
            required("transactions", Kind::List),
            optional("submit", Kind::Bool),
        ],
        about: "Mine a set of ordered transactions (ids in the mempool, or raw) to a specified address and return the block hash.",
        run: generateblock,
    },
    Method {
        name: "getmininginfo",
        params: &[],
        about: "Returns a json object containing mining-related information.",
        run: getmininginfo,
    },
];

/// More blocks in one call would only keep everyone else waiting.
const MAX_BLOCKS: i64 = 10_000;

fn generatetoaddress(call: &mut Call<'_>) -> Res<Answer> {
    let count = call.args.integer(0)?.unwrap_or(0);
    let address =
        parse_address(call.args.required_text(1)).ok_or_else(|| RpcErr::new(-5, "Error: Invalid address"))?;
    if count > MAX_BLOCKS {
        return Err(RpcErr::new(
            -8,
            format!("at most {MAX_BLOCKS} blocks a call in the playground, not {count}"),
        ));
    }
    let script = address.script_pubkey();
    let hashes: Vec<Answer> = (0..count).map(|_| call.chain.mine_to(&script).to_string().into()).collect();
    Ok(hashes.into())
}

fn generateblock(call: &mut Call<'_>) -> Res<Answer> {
    let address = parse_address(call.args.required_text(0))
        .ok_or_else(|| RpcErr::new(-5, "Error: Invalid address or descriptor"))?;
    if call.args.flag(2) == Some(false) {
        return Err(RpcErr::new(-8, "submit must be true in the playground"));
    }
    let wanted = call.args.value(1).and_then(Value::as_array).cloned().unwrap_or_default();
    let txs: Vec<Transaction> = wanted.iter().map(|item| pick(call.chain, item)).collect::<Res<_>>()?;
    let hash = call.chain.mine_exactly(&address.script_pubkey(), txs)?;
    Ok(object().with("hash", hash.to_string()).into())
}

fn pick(chain: &Chain, item: &Value) -> Res<Transaction> {
    let text = item.as_str().unwrap_or_default();
    if let Ok(txid) = text.parse::<Txid>() {
        let found = chain.mem_entry(&txid).map(|entry| entry.tx.clone());
        return found.ok_or_else(|| RpcErr::new(-5, format!("Transaction {text} not in mempool.")));
    }
    let failed = || {
        RpcErr::new(
            -22,
            format!("Transaction decode failed for {text}. Make sure the tx has at least one input."),
        )
    };
    deserialize_hex(text).map_err(|_| failed())
}

fn getmininginfo(call: &mut Call<'_>) -> Res<Answer> {
    let tip = call.chain.tip();
    let header = &tip.block.header;
    let next = object()
        .with("height", tip.height + 1)
        .with("bits", bits(header))
        .with("difficulty", difficulty(header))
        .with("target", target(header));
    Ok(object()
        .with("blocks", tip.height)
        .with("bits", bits(header))
        .with("difficulty", difficulty(header))
        .with("target", target(header))
        // Two hashes a block, one block each ten minutes.
        .with("networkhashps", Answer::Number("0.003333333333333334".to_owned()))
        .with("pooledtx", call.chain.mem_entries().count())
        .with("chain", "regtest")
        .with("next", next)
        .with("warnings", Answer::List(Vec::new()))
        .into())
}
