use bitcoin::{Amount, OutPoint, TxOut};

use super::{Owned, Wallet};
use crate::playground::chain::{COINBASE_MATURITY, Chain, MemEntry};

/// An output of the wallet that nothing spends, neither a block nor the mempool.
#[derive(Clone, Debug)]
pub struct Holding {
    /// Where it is.
    pub place: OutPoint,
    /// Its value and script.
    pub out: TxOut,
    /// The wallet's address behind the script.
    pub owner: Owned,
    /// Blocks that confirm it; 0 in the mempool.
    pub confirmations: u32,
    /// Whether it is a block's reward.
    pub coinbase: bool,
    /// Whether it counts as the wallet's money: confirmed, or paid by the wallet itself.
    pub trusted: bool,
}

impl Holding {
    /// Whether a transaction in the next block may spend it.
    #[must_use]
    pub const fn is_mature(&self) -> bool {
        !self.coinbase || self.confirmations >= COINBASE_MATURITY
    }
}

/// What a wallet has, as `getbalances` splits it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balances {
    /// Confirmed, or unconfirmed and paid by the wallet itself.
    pub trusted: Amount,
    /// Unconfirmed and paid by others.
    pub untrusted_pending: Amount,
    /// Rewards of blocks that cannot be spent yet.
    pub immature: Amount,
}

impl Wallet {
    /// All outputs that nothing spends, confirmed ones first, oldest first.
    #[must_use]
    pub fn holdings(&self, chain: &Chain) -> Vec<Holding> {
        let mut confirmed = self.confirmed(chain);
        confirmed.sort_by_key(|holding| (u32::MAX - holding.confirmations, holding.place));
        confirmed.extend(chain.mem_entries().flat_map(|entry| self.unconfirmed(chain, entry)));
        confirmed
    }

    fn confirmed(&self, chain: &Chain) -> Vec<Holding> {
        let mut found = Vec::new();
        for owner in self.addresses() {
            for (place, coin) in chain.utxos_of(&owner.script()) {
                if chain.mempool_spender(place).is_none() {
                    found.push(Holding {
                        place: *place,
                        out: coin.out.clone(),
                        owner: owner.clone(),
                        confirmations: chain.height() + 1 - coin.height,
                        coinbase: coin.coinbase,
                        trusted: true,
                    });
                }
            }
        }
        found
    }

    fn unconfirmed(&self, chain: &Chain, entry: &MemEntry) -> Vec<Holding> {
        let trusted = self.trusts(chain, entry);
        let outputs = (0u32..).zip(&entry.tx.output);
        let mine = outputs.filter_map(|(vout, out)| {
            let owner = self.owned(&out.script_pubkey)?.clone();
            let place = OutPoint::new(entry.txid, vout);
            let holding =
                Holding { place, out: out.clone(), owner, confirmations: 0, coinbase: false, trusted };
            chain.mempool_spender(&place).is_none().then_some(holding)
        });
        mine.collect()
    }

    /// Whether the wallet paid all of a transaction, and of the unconfirmed ones that it builds on.
    #[must_use]
    pub fn trusts(&self, chain: &Chain, entry: &MemEntry) -> bool {
        entry.coins.iter().all(|coin| self.owned(&coin.out.script_pubkey).is_some())
            && entry
                .tx
                .input
                .iter()
                .filter_map(|input| chain.mem_entry(&input.previous_output.txid))
                .all(|parent| self.trusts(chain, parent))
    }

    /// The sums over [`holdings`](Self::holdings).
    #[must_use]
    pub fn balances(&self, chain: &Chain) -> Balances {
        let mut sums = Balances::default();
        for holding in self.holdings(chain) {
            let sum = match (holding.is_mature(), holding.trusted) {
                (false, _) => &mut sums.immature,
                (true, true) => &mut sums.trusted,
                (true, false) => &mut sums.untrusted_pending,
            };
            *sum += holding.out.value;
        }
        sums
    }
}
