use bitcoin::Transaction;
use bitcoin::consensus::encode::serialize_hex;
use serde_json::{Value, json};

use super::call::{Call, Outcome, list};
use super::methods::Method;

pub(super) const METHODS: &[Method] = &[Method { name: "listtransactions", params: &[], writes: false, run }];

/// Every transaction that pays to or from the node's wallet, unconfirmed ones first.
fn run(call: &mut Call<'_>) -> Outcome {
    let chain = call.world.chain.borrow();
    let wallet = &call.node().wallet;
    let owned = |tx: &Transaction| tx.output.iter().any(|out| wallet.owns(&out.script_pubkey));
    let mut found = Vec::new();
    for entry in chain.mem_entries() {
        if owned(&entry.tx) || entry.coins.iter().any(|coin| wallet.owns(&coin.out.script_pubkey)) {
            found.push(view(&entry.tx, 0, 0));
        }
    }
    for entry in (1..=chain.height()).filter_map(|height| chain.entry_at(height)) {
        let mut spent = entry.spent.iter();
        for (at, tx) in entry.block.txdata.iter().enumerate() {
            let inputs = if tx.is_coinbase() { 0 } else { tx.input.len() };
            let mut spends = false;
            for (_, coin) in spent.by_ref().take(inputs) {
                spends |= wallet.owns(&coin.out.script_pubkey);
            }
            if spends || owned(tx) {
                found.push(view(tx, entry.height, at));
            }
        }
    }
    list("transactions", found)
}

fn view(tx: &Transaction, height: u32, position: usize) -> Value {
    let inputs: Vec<Value> = tx
        .input
        .iter()
        .map(|input| {
            json!({
                "txid": input.previous_output.txid.to_string(),
                "index": input.previous_output.vout,
                "sequence": input.sequence.0,
            })
        })
        .collect();
    let outputs: Vec<Value> = (0_u32..)
        .zip(&tx.output)
        .map(|(index, out)| {
            json!({
                "index": index,
                "amount_msat": out.value.to_sat() * 1_000,
                "scriptPubKey": out.script_pubkey.to_hex_string(),
            })
        })
        .collect();
    json!({
        "hash": tx.compute_txid().to_string(),
        "rawtx": serialize_hex(tx),
        "blockheight": height,
        "txindex": position,
        "locktime": tx.lock_time.to_consensus_u32(),
        "version": tx.version.0,
        "inputs": inputs,
        "outputs": outputs,
    })
}
