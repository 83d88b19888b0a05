use std::collections::BTreeSet;

use bitcoin::{OutPoint, Transaction, Txid};

use super::check::check_form;
use super::persist::Touched;
use super::{Chain, Coin, MemEntry, Res, RpcErr, clock};

/// What a transaction pays at least for being kept and passed on, and what a replacement pays on top, in
/// satoshis per thousand virtual bytes.
pub const MIN_RELAY_SAT_PER_KVB: u64 = 1_000;

/// What a transaction would do to the mempool.
#[derive(Clone, Debug)]
pub(crate) struct Admission {
    pub(crate) fee: u64,
    coins: Vec<Coin>,
    /// Transactions that it replaces, descendants included.
    pub(crate) replaced: Vec<Txid>,
}

impl Chain {
    /// Takes a transaction into the mempool; one that is there already stays.
    ///
    /// # Errors
    ///
    /// bitcoind's codes: −25 for an unknown or spent input, −26 for a broken rule of consensus or relay, −27
    /// for a transaction that a block holds.
    pub fn accept(&mut self, tx: Transaction) -> Res<Txid> {
        let txid = tx.compute_txid();
        if self.mem_entry(&txid).is_some() {
            return Ok(txid);
        }
        let admission = self.examine(&tx)?;
        for old in &admission.replaced {
            self.drop_alone(old);
        }
        self.admit(tx, admission);
        Ok(txid)
    }

    /// Checks a transaction that the mempool does not hold, and changes nothing.
    pub(crate) fn examine(&self, tx: &Transaction) -> Res<Admission> {
        check_form(tx)?;
        check_standard(tx)?;
        let txid = tx.compute_txid();
        if (0..tx.output.len()).any(|n| self.utxo(&place(txid, n)).is_some()) {
            return Err(RpcErr::new(-27, "Transaction outputs already in utxo set"));
        }
        let coins = self.coins_for(tx)?;
        let fee = self.check_spend(tx, &coins)?;
        let needed = relay_fee(tx.vsize() as u64);
        if fee < needed {
            return Err(RpcErr::rejected(format!("min relay fee not met, {fee} < {needed}")));
        }
        let replaced = self.check_replacement(tx, fee)?;
        super::script::verify(tx, &coins)?;
        Ok(Admission { fee, coins, replaced })
    }

    fn coins_for(&self, tx: &Transaction) -> Res<Vec<Coin>> {
        let found = tx.input.iter().map(|input| self.find_coin(&input.previous_output)).collect();
        Option::ok_or(found, RpcErr::new(-25, "bad-txns-inputs-missingorspent"))
    }

    /// A confirmed or unconfirmed output, whether or not the mempool spends it.
    pub(crate) fn find_coin(&self, place: &OutPoint) -> Option<Coin> {
        if let Some(coin) = self.utxo(place) {
            return Some(coin.clone());
        }
        let parent = self.mem_entry(&place.txid)?;
        let out = parent.tx.output.get(place.vout as usize)?.clone();
        Some(Coin { out, height: self.height() + 1, coinbase: false })
    }

    /// The rules of replacement by fee (BIP125 without opt-in); gives all that would go.
    fn check_replacement(&self, tx: &Transaction, fee: u64) -> Res<Vec<Txid>> {
        let direct: BTreeSet<Txid> =
            tx.input.iter().filter_map(|input| self.mempool_spender(&input.previous_output)).collect();
        let mut replaced: Vec<Txid> = Vec::new();
        for old in direct.iter().flat_map(|old| self.mem_descendants(old)) {
            if !replaced.contains(&old) {
                replaced.push(old);
            }
        }
        if tx.input.iter().any(|input| replaced.contains(&input.previous_output.txid)) {
            return Err(RpcErr::rejected("bad-txns-spends-conflicting-tx"));
        }
        let size = tx.vsize() as u64;
        let refuse = |why: String| {
            let txid = tx.compute_txid();
            Err(RpcErr::rejected(format!("insufficient fee, rejecting replacement {txid}{why}")))
        };
        for old in direct.iter().filter_map(|old| self.mem_entry(old)) {
            if u128::from(fee) * u128::from(old.vsize()) <= u128::from(old.fee) * u128::from(size) {
                let (new, old) = (rate(fee, size), rate(old.fee, old.vsize()));
                return refuse(format!("; new feerate {new} BTC/kvB <= old feerate {old} BTC/kvB"));
            }
        }
        let old_fees: u64 = replaced.iter().filter_map(|old| self.mem_entry(old)).map(|old| old.fee).sum();
        if fee < old_fees {
            return refuse(format!(", less fees than conflicting txs; {} < {}", btc(fee), btc(old_fees)));
        }
        if !replaced.is_empty() && fee - old_fees < relay_fee(size) {
            let (extra, needed) = (btc(fee - old_fees), btc(relay_fee(size)));
            return refuse(format!(", not enough additional fees to relay; {extra} < {needed}"));
        }
        Ok(replaced)
    }

    fn admit(&mut self, tx: Transaction, admission: Admission) {
        let (txid, number, height) = (tx.compute_txid(), self.next_number, self.height());
        let time = u64::from(clock(height));
        let entry = MemEntry { tx, txid, time, height, fee: admission.fee, coins: admission.coins };
        self.keep(number, entry);
    }

    pub(super) fn keep(&mut self, number: u64, entry: MemEntry) {
        self.mempool.add(number, entry);
        self.next_number = self.next_number.max(number + 1);
        self.touched.insert(Touched::Unconfirmed(number));
    }

    pub(super) fn drop_alone(&mut self, txid: &Txid) -> Option<MemEntry> {
        let (number, entry) = self.mempool.remove(txid)?;
        self.touched.insert(Touched::Unconfirmed(number));
        Some(entry)
    }

    /// Fills the mempool anew after blocks went: `first`, then what was there, as far as it is still valid.
    pub(super) fn refill_mempool(&mut self, first: Vec<Transaction>) {
        let old: Vec<Txid> = self.mempool_txids();
        let old: Vec<MemEntry> = old.iter().filter_map(|txid| self.drop_alone(txid)).collect();
        let returning = first.into_iter().map(|tx| (tx, None));
        for (tx, arrived) in
            returning.chain(old.into_iter().map(|old| (old.tx, Some((old.time, old.height)))))
        {
            let Ok(coins) = self.coins_for(&tx) else { continue };
            let Ok(fee) = self.check_spend(&tx, &coins) else { continue };
            if tx.input.iter().any(|input| self.mempool_spender(&input.previous_output).is_some()) {
                continue;
            }
            let now = (u64::from(clock(self.height())), self.height());
            let (time, height) = arrived.unwrap_or(now);
            let txid = tx.compute_txid();
            self.keep(self.next_number, MemEntry { tx, txid, time, height, fee, coins });
        }
    }
}

/// Relay rules that have nothing to do with what is spent.
fn check_standard(tx: &Transaction) -> Res<()> {
    /// bitcoind's limit, in weight units.
    const MAX_WEIGHT: u64 = 400_000;
    /// A smaller transaction could pass for an inner node of a Merkle tree.
    const MIN_BYTES: usize = 65;
    if !(1..=3).contains(&tx.version.0) {
        return Err(RpcErr::rejected("version"));
    }
    if tx.weight().to_wu() > MAX_WEIGHT {
        return Err(RpcErr::rejected("tx-size"));
    }
    if tx.base_size() < MIN_BYTES {
        return Err(RpcErr::rejected("tx-size-small"));
    }
    let is_dust = |output: &bitcoin::TxOut| output.value < output.script_pubkey.minimal_non_dust();
    if tx.output.iter().any(is_dust) {
        return Err(RpcErr::rejected("dust"));
    }
    Ok(())
}

fn place(txid: Txid, output: usize) -> OutPoint {
    OutPoint::new(txid, u32::try_from(output).expect("a transaction has fewer than 2^32 outputs"))
}

/// What `vsize` virtual bytes cost at least, in satoshis, rounded up.
pub(crate) const fn relay_fee(vsize: u64) -> u64 {
    (vsize * MIN_RELAY_SAT_PER_KVB).div_ceil(1_000)
}

fn rate(fee: u64, vsize: u64) -> String {
    btc(fee * 1_000 / vsize)
}

fn btc(sat: u64) -> String {
    format!("{}.{:08}", sat / 100_000_000, sat % 100_000_000)
}
