use bitcoin::block::Header;
use bitcoin::consensus::encode::serialize_hex;
use bitcoin::{Amount, Transaction, TxIn, TxOut, Work};

use super::answer::{Fields, list, object};
use super::script_text::{assembly_of_input, script_pub_key};
use crate::playground::chain::Coin;

/// What a rendered transaction says about the outputs that it spends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spent<'a> {
    Unknown,
    Fee(&'a [Coin]),
    Full(&'a [Coin]),
}

pub(super) fn bits(header: &Header) -> String {
    format!("{:08x}", header.bits.to_consensus())
}

pub(super) fn target(header: &Header) -> String {
    format!("{:064x}", header.target())
}

pub(super) fn work(work: Work) -> String {
    format!("{work:064x}")
}

/// bitcoind writes floating-point numbers with 16 significant digits, so it is rounded to those.
pub(super) fn difficulty(header: &Header) -> f64 {
    let exact = header.difficulty_float();
    format!("{exact:.15e}").parse().unwrap_or(exact)
}

/// A transaction as `decoderawtransaction` shows it.
pub(super) fn transaction(tx: &Transaction, spent: Spent<'_>) -> Fields {
    let coins = match spent {
        Spent::Full(coins) => Some(coins),
        Spent::Unknown | Spent::Fee(_) => None,
    };
    let inputs = tx.input.iter().enumerate();
    object()
        .with("txid", tx.compute_txid().to_string())
        .with("hash", tx.compute_wtxid().to_string())
        .with("version", tx.version.0)
        .with("size", tx.total_size())
        .with("vsize", tx.vsize())
        .with("weight", tx.weight().to_wu())
        .with("locktime", tx.lock_time.to_consensus_u32())
        .with(
            "vin",
            list(inputs.map(|(at, input)| self::input(tx, input, coins.and_then(|coins| coins.get(at))))),
        )
        .with("vout", list((0u32..).zip(&tx.output).map(|(n, output)| self::output(n, output))))
        .with_some("fee", fee(tx, spent))
}

/// As [`transaction`], with the raw bytes behind it.
pub(super) fn transaction_with_hex(tx: &Transaction, spent: Spent<'_>) -> Fields {
    transaction(tx, spent).with("hex", serialize_hex(tx))
}

fn fee(tx: &Transaction, spent: Spent<'_>) -> Option<Amount> {
    let (Spent::Fee(coins) | Spent::Full(coins)) = spent else { return None };
    let paid_in: Amount = coins.iter().map(|coin| coin.out.value).sum();
    let paid_out: Amount = tx.output.iter().map(|out| out.value).sum();
    paid_in.checked_sub(paid_out).filter(|_| !tx.is_coinbase())
}

fn input(tx: &Transaction, input: &TxIn, coin: Option<&Coin>) -> Fields {
    let witness = input.witness.iter().map(hex);
    let witness = (!input.witness.is_empty()).then(|| list(witness));
    let start = if tx.is_coinbase() {
        object().with("coinbase", hex(input.script_sig.as_bytes()))
    } else {
        let script = object()
            .with("asm", assembly_of_input(&input.script_sig))
            .with("hex", hex(input.script_sig.as_bytes()));
        object()
            .with("txid", input.previous_output.txid.to_string())
            .with("vout", input.previous_output.vout)
            .with("scriptSig", script)
    };
    let prevout = coin.map(|coin| {
        object()
            .with("generated", coin.coinbase)
            .with("height", coin.height)
            .with("value", coin.out.value)
            .with("scriptPubKey", script_pub_key(&coin.out.script_pubkey))
    });
    start
        .with_some("txinwitness", witness)
        .with_some("prevout", prevout)
        .with("sequence", input.sequence.to_consensus_u32())
}

fn output(n: u32, output: &TxOut) -> Fields {
    object()
        .with("value", output.value)
        .with("n", n)
        .with("scriptPubKey", script_pub_key(&output.script_pubkey))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    use bitcoin::hex::DisplayHex;
    bytes.to_lower_hex_string()
}
