use bitcoin::BlockHash;
use bitcoin::consensus::encode::serialize_hex;

use super::answer::{Answer, Fields, list, object};
use super::method::{Call, Method};
use super::params::{Kind, optional, required};
use super::render::{Spent, bits, difficulty, target, transaction_with_hex, work};
use crate::playground::chain::{Chain, Coin, Entry, Res, RpcErr};

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "getblock",
        params: &[required("blockhash", Kind::Text), optional("verbosity|verbose", Kind::Any)],
        about: "Returns a block: 0 as hex, 1 (default) as an object, 2 with its transactions, 3 with what they spend.",
        run: getblock,
    },
    Method {
        name: "getblockheader",
        params: &[required("blockhash", Kind::Text), optional("verbose", Kind::Bool)],
        about: "Returns a block header as an object, or as hex if verbose is false.",
        run: getblockheader,
    },
    Method {
        name: "invalidateblock",
        params: &[required("blockhash", Kind::Text)],
        about: "Permanently marks a block as invalid, as if it violated a consensus rule.",
        run: |call| {
            let hash: BlockHash = call.args.hash(0, "blockhash")?;
            call.chain.invalidate(&hash)?;
            Ok(Answer::NULL)
        },
    },
    Method {
        name: "reconsiderblock",
        params: &[required("blockhash", Kind::Text)],
        about: "Removes invalidity status of a block, its ancestors and its descendants.",
        run: |call| {
            let hash: BlockHash = call.args.hash(0, "blockhash")?;
            call.chain.reconsider(&hash)?;
            Ok(Answer::NULL)
        },
    },
];

fn block<'a>(call: &'a Call<'_>) -> Res<&'a Entry> {
    let hash: BlockHash = call.args.hash(0, "blockhash")?;
    call.chain.entry(&hash).ok_or_else(|| RpcErr::new(-5, "Block not found"))
}

fn getblockheader(call: &mut Call<'_>) -> Res<Answer> {
    let entry = block(call)?;
    if call.args.flag(1) == Some(false) {
        return Ok(serialize_hex(&entry.block.header).into());
    }
    Ok(header(call.chain, entry).into())
}

fn getblock(call: &mut Call<'_>) -> Res<Answer> {
    let verbosity = call.args.verbosity(1, 1)?;
    let entry = block(call)?;
    if verbosity <= 0 {
        return Ok(serialize_hex(&entry.block).into());
    }
    let mut spent = entry.spent.iter().map(|(_, coin)| coin.clone());
    let txs = entry.block.txdata.iter().zip(&entry.txids).enumerate().map(|(position, (tx, txid))| {
        let inputs = if position == 0 { 0 } else { tx.input.len() };
        let coins: Vec<Coin> = spent.by_ref().take(inputs).collect();
        match verbosity {
            1 => Answer::from(txid.to_string()),
            2 => transaction_with_hex(tx, Spent::Fee(&coins)).into(),
            _ => transaction_with_hex(tx, Spent::Full(&coins)).into(),
        }
    });
    let txs = list(txs);
    let size = entry.block.total_size();
    let weight = entry.block.weight().to_wu();
    let stripped = (weight - size as u64) / 3;
    Ok(header(call.chain, entry)
        .with("strippedsize", stripped)
        .with("size", size)
        .with("weight", weight)
        .with("tx", txs)
        .into())
}

fn header(chain: &Chain, entry: &Entry) -> Fields {
    let header = &entry.block.header;
    let confirmations =
        if chain.is_active(entry) { i64::from(chain.height() - entry.height) + 1 } else { -1 };
    let next = chain.hash_at(entry.height + 1).filter(|_| chain.is_active(entry));
    let previous = (entry.height > 0).then(|| header.prev_blockhash.to_string());
    object()
        .with("hash", entry.hash.to_string())
        .with("confirmations", confirmations)
        .with("height", entry.height)
        .with("version", header.version.to_consensus())
        .with("versionHex", format!("{:08x}", header.version.to_consensus()))
        .with("merkleroot", header.merkle_root.to_string())
        .with("time", header.time)
        .with("mediantime", chain.median_time(entry.height))
        .with("nonce", header.nonce)
        .with("bits", bits(header))
        .with("target", target(header))
        .with("difficulty", difficulty(header))
        .with("chainwork", work(entry.chainwork))
        .with("nTx", entry.txids.len())
        .with_some("previousblockhash", previous)
        .with_some("nextblockhash", next.map(|hash| hash.to_string()))
}
