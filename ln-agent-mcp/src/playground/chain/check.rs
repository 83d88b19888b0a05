use std::collections::HashSet;

use bitcoin::absolute::LockTime;
use bitcoin::relative::LockTime as RelativeLockTime;
use bitcoin::{Amount, Sequence, Transaction, TxIn};

use super::{COINBASE_MATURITY, Chain, Coin, Res, RpcErr};

/// BIP68 counts time in units of 512 seconds.
const TIME_UNIT_SECS: u32 = 512;

/// What a transaction must satisfy by itself, whatever it spends.
pub(super) fn check_form(tx: &Transaction) -> Res<()> {
    let refuse = |reason| Err(RpcErr::rejected(reason));
    if tx.is_coinbase() {
        return refuse("coinbase");
    }
    if tx.input.is_empty() {
        return refuse("bad-txns-vin-empty");
    }
    if tx.output.is_empty() {
        return refuse("bad-txns-vout-empty");
    }
    let mut places = HashSet::new();
    if !tx.input.iter().all(|input| places.insert(input.previous_output)) {
        return refuse("bad-txns-inputs-duplicate");
    }
    let total = tx.output.iter().try_fold(Amount::ZERO, |sum, output| sum.checked_add(output.value));
    if total.is_none_or(|total| total > Amount::MAX_MONEY) {
        return refuse("bad-txns-txouttotal-toolarge");
    }
    Ok(())
}

impl Chain {
    /// Checks locks, maturity and value against what the transaction spends; gives the fee in satoshis.
    pub(super) fn check_spend(&self, tx: &Transaction, coins: &[Coin]) -> Res<u64> {
        let next = self.height() + 1;
        if !self.is_final(tx) {
            return Err(RpcErr::rejected("non-final"));
        }
        for (input, coin) in tx.input.iter().zip(coins) {
            if coin.coinbase && next - coin.height < COINBASE_MATURITY {
                return Err(RpcErr::rejected("bad-txns-premature-spend-of-coinbase"));
            }
            if tx.version.0 >= 2 && !self.has_aged(input, coin) {
                return Err(RpcErr::rejected("non-BIP68-final"));
            }
        }
        let paid_in: Amount = coins.iter().map(|coin| coin.out.value).sum();
        let paid_out: Amount = tx.output.iter().map(|output| output.value).sum();
        let fee = paid_in.checked_sub(paid_out).ok_or_else(|| RpcErr::rejected("bad-txns-in-belowout"))?;
        Ok(fee.to_sat())
    }

    /// Whether `nLockTime` allows the transaction in the next block.
    fn is_final(&self, tx: &Transaction) -> bool {
        let reached = match tx.lock_time {
            LockTime::Blocks(height) => height.to_consensus_u32() <= self.height(),
            LockTime::Seconds(time) => time.to_consensus_u32() < self.median_time(self.height()),
        };
        reached || tx.input.iter().all(|input| input.sequence == Sequence::MAX)
    }

    /// Whether the coin is as old as the input's relative lock time demands (BIP68).
    fn has_aged(&self, input: &TxIn, coin: &Coin) -> bool {
        match input.sequence.to_relative_lock_time() {
            None => true,
            Some(RelativeLockTime::Blocks(age)) => coin.height + u32::from(age.value()) <= self.height() + 1,
            Some(RelativeLockTime::Time(age)) => {
                let start = self.median_time(coin.height.saturating_sub(1));
                start + u32::from(age.value()) * TIME_UNIT_SECS <= self.median_time(self.height())
            }
        }
    }
}
