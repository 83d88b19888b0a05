use std::collections::HashSet;

use super::answer::{Answer, list, object};
use super::method::{Call, Method};
use super::params::{Kind, required};
use super::render::{bits, difficulty, target, work};
use crate::playground::chain::{Res, RpcErr};

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "getblockchaininfo",
        params: &[],
        about: "Returns an object containing various state info regarding blockchain processing.",
        run: getblockchaininfo,
    },
    Method {
        name: "getblockcount",
        params: &[],
        about: "Returns the height of the most-work fully-validated chain.\nThe genesis block has height 0.",
        run: |call| Ok(call.chain.height().into()),
    },
    Method {
        name: "getbestblockhash",
        params: &[],
        about: "Returns the hash of the best (tip) block in the most-work fully-validated chain.",
        run: |call| Ok(call.chain.tip().hash.to_string().into()),
    },
    Method {
        name: "getblockhash",
        params: &[required("height", Kind::Number)],
        about: "Returns hash of block in best-block-chain at height provided.",
        run: getblockhash,
    },
    Method {
        name: "getdifficulty",
        params: &[],
        about: "Returns the proof-of-work difficulty as a multiple of the minimum difficulty.",
        run: |call| Ok(difficulty(&call.chain.tip().block.header).into()),
    },
    Method {
        name: "getchaintips",
        params: &[],
        about: "Return information about all known tips in the block tree.",
        run: getchaintips,
    },
];

fn getblockchaininfo(call: &mut Call<'_>) -> Res<Answer> {
    let tip = call.chain.tip();
    let header = &tip.block.header;
    let size: usize = call.chain.entries().map(|entry| entry.block.total_size()).sum();
    Ok(object()
        .with("chain", "regtest")
        .with("blocks", tip.height)
        .with("headers", tip.height)
        .with("bestblockhash", tip.hash.to_string())
        .with("bits", bits(header))
        .with("target", target(header))
        .with("difficulty", difficulty(header))
        .with("time", header.time)
        .with("mediantime", call.chain.median_time(tip.height))
        .with("verificationprogress", 1)
        .with("initialblockdownload", false)
        .with("chainwork", work(tip.chainwork))
        .with("size_on_disk", size)
        .with("pruned", false)
        .with("warnings", Answer::List(Vec::new()))
        .into())
}

fn getblockhash(call: &mut Call<'_>) -> Res<Answer> {
    let height = call.args.integer(0)?.and_then(|height| u32::try_from(height).ok());
    let hash = height.and_then(|height| call.chain.hash_at(height));
    Ok(hash.ok_or_else(|| RpcErr::new(-8, "Block height out of range"))?.to_string().into())
}

fn getchaintips(call: &mut Call<'_>) -> Res<Answer> {
    let chain = &call.chain;
    let parents: HashSet<_> = chain.entries().map(|entry| entry.block.header.prev_blockhash).collect();
    let is_tip = |hash| hash == chain.tip().hash || !parents.contains(&hash);
    let mut tips: Vec<_> = chain.entries().filter(|entry| is_tip(entry.hash)).collect();
    tips.sort_by_key(|entry| (std::cmp::Reverse(entry.height), entry.hash));
    Ok(list(tips.into_iter().map(|entry| {
        let mut fork = Some(entry);
        while let Some(step) = fork.filter(|step| !chain.is_active(step)) {
            fork = chain.entry(&step.block.header.prev_blockhash);
        }
        let length = entry.height - fork.map_or(0, |fork| fork.height);
        let status = match (entry.hash == chain.tip().hash, chain.is_excluded(entry)) {
            (true, _) => "active",
            (false, true) => "invalid",
            (false, false) => "valid-fork",
        };
        object()
            .with("height", entry.height)
            .with("hash", entry.hash.to_string())
            .with("branchlen", length)
            .with("status", status)
    })))
}
