use bitcoin::{Amount, Denomination, Txid};

use super::send::check_rate;
use super::{Holding, Sent, Wallet};
use crate::playground::chain::{Chain, MemEntry, Res, RpcErr, relay_fee};

/// What a replacement pays more than the original when no rate is given, in satoshis per thousand virtual bytes.
const STEP_SAT_PER_KVB: u64 = 5_000;

impl Wallet {
    /// Replaces an unconfirmed payment of this wallet by the same one with a higher fee, taken from its change.
    /// The rate is in satoshis per thousand virtual bytes; default: 5,000 more than the original paid.
    ///
    /// # Errors
    ///
    /// Code −5 if the wallet knows no such transaction, −1 if it is confirmed, −8 if something builds on it or
    /// the fee is too low, −4 if the change does not cover the fee.
    pub fn bump(&mut self, chain: &mut Chain, txid: &Txid, sat_per_kvb: Option<u64>) -> Res<Sent> {
        let entry = self.bumpable(chain, txid)?;
        let fee = new_fee(&entry, sat_per_kvb)?;
        let mut tx = entry.tx.clone();
        let is_change = |script: &bitcoin::Script| self.owned(script).is_some_and(|owned| owned.path.change);
        let change = tx.output.iter_mut().find(|output| is_change(&output.script_pubkey));
        let change =
            change.ok_or_else(|| failed("the transaction has no change to take a higher fee from"))?;
        change.value = change
            .value
            .checked_sub(Amount::from_sat(fee - entry.fee))
            .filter(|rest| *rest >= change.script_pubkey.minimal_non_dust())
            .ok_or_else(|| failed("the transaction's change does not cover the higher fee"))?;
        let coins = self
            .spent(&entry)
            .ok_or_else(|| failed("Transaction contains inputs that don't belong to this wallet"))?;
        self.sign(&mut tx, &coins);
        let replacement = chain.accept(tx)?;
        if let Some(note) = self.record.notes.get(&txid.to_string()).cloned() {
            self.record.notes.insert(replacement.to_string(), note);
            self.changed = true;
        }
        Ok(Sent { txid: replacement, fee: Amount::from_sat(fee) })
    }

    fn bumpable(&self, chain: &Chain, txid: &Txid) -> Res<MemEntry> {
        if self.movements_of(chain, txid).is_empty() {
            return Err(RpcErr::new(-5, "Invalid or non-wallet transaction id"));
        }
        let Some(entry) = chain.mem_entry(txid) else {
            let spent = chain.get_tx(txid).and_then(|(tx, _)| Some(tx.input.first()?.previous_output));
            let place = spent.map_or_else(|| txid.to_string(), |place| place.to_string());
            return Err(RpcErr::new(-1, format!("{place} is already spent")));
        };
        if chain.mem_descendants(txid).len() > 1 {
            return Err(RpcErr::new(-8, "Transaction has descendants in the wallet"));
        }
        Ok(entry.clone())
    }

    /// What a transaction spends, if all of it is the wallet's.
    fn spent(&self, entry: &MemEntry) -> Option<Vec<Holding>> {
        let inputs = entry.tx.input.iter().zip(&entry.coins);
        let holdings = inputs.map(|(input, coin)| {
            let owner = self.owned(&coin.out.script_pubkey)?.clone();
            let place = input.previous_output;
            let (out, coinbase) = (coin.out.clone(), coin.coinbase);
            Some(Holding { place, out, owner, confirmations: 0, coinbase, trusted: true })
        });
        holdings.collect()
    }
}

fn new_fee(entry: &MemEntry, sat_per_kvb: Option<u64>) -> Res<u64> {
    let size = entry.vsize();
    let rate = sat_per_kvb.unwrap_or_else(|| entry.fee * 1_000 / size + STEP_SAT_PER_KVB);
    check_rate(rate)?;
    let (fee, more) = ((rate * size).div_ceil(1_000), relay_fee(size));
    if fee < entry.fee + more {
        let btc = |sat: u64| format!("{:.8}", Amount::from_sat(sat).display_in(Denomination::Bitcoin));
        let (total, least) = (btc(fee), btc(entry.fee + more));
        let (old, more) = (btc(entry.fee), btc(more));
        let message = format!(
            "Insufficient total fee {total}, must be at least {least} (oldFee {old} + incrementalFee {more})"
        );
        return Err(RpcErr::new(-8, message));
    }
    Ok(fee)
}

fn failed(message: &str) -> RpcErr {
    RpcErr::new(-4, message)
}
