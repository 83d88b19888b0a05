use std::collections::{BTreeSet, HashMap, HashSet};

use bitcoin::constants::genesis_block;
use bitcoin::{BlockHash, Network, OutPoint, Script, Transaction, TxOut, Txid};

use super::persist::Touched;
use super::tables::{Coins, Mempool};
use super::{Coin, Entry, MemEntry};

/// One regtest chain with its mempool.
///
/// # Examples
///
/// ```
/// use ln_agent_mcp::playground::chain::Chain;
///
/// let mut chain = Chain::new();
/// chain.mine(3);
/// assert_eq!(chain.height(), 3);
/// ```
#[derive(Debug)]
pub struct Chain {
    pub(super) active: Vec<BlockHash>,
    pub(super) blocks: HashMap<BlockHash, Entry>,
    /// Where each confirmed transaction is: its block, its position there.
    pub(super) places: HashMap<Txid, (BlockHash, usize)>,
    pub(super) coins: Coins,
    pub(super) mempool: Mempool,
    pub(super) next_number: u64,
    pub(super) invalid: HashSet<BlockHash>,
    pub(super) touched: BTreeSet<Touched>,
}

impl Chain {
    /// A chain of regtest's first block alone.
    #[must_use]
    pub fn new() -> Self {
        let block = genesis_block(Network::Regtest);
        let hash = block.block_hash();
        let txids = block.txdata.iter().map(Transaction::compute_txid).collect();
        let chainwork = block.header.work();
        let genesis = Entry { block, hash, height: 0, chainwork, txids, spent: Vec::new() };
        Self {
            active: vec![hash],
            blocks: HashMap::from([(hash, genesis)]),
            places: HashMap::new(),
            coins: Coins::default(),
            mempool: Mempool::default(),
            next_number: 0,
            invalid: HashSet::new(),
            touched: BTreeSet::new(),
        }
    }

    /// The height of the newest active block; 0 for the first block alone.
    ///
    /// # Panics
    ///
    /// Beyond 2^32 blocks, which no network reaches.
    #[must_use]
    pub fn height(&self) -> u32 {
        u32::try_from(self.active.len() - 1).expect("a playground mines fewer than 2^32 blocks")
    }

    /// The newest active block.
    ///
    /// # Panics
    ///
    /// Never: the first block stays, and active blocks are known.
    #[must_use]
    pub fn tip(&self) -> &Entry {
        let hash = self.active.last().expect("the first block is never disconnected");
        self.blocks.get(hash).expect("active blocks are known")
    }

    /// A known block, active or not.
    #[must_use]
    pub fn entry(&self, hash: &BlockHash) -> Option<&Entry> {
        self.blocks.get(hash)
    }

    /// All known blocks, in no particular order.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.blocks.values()
    }

    /// The active block of this height.
    #[must_use]
    pub fn hash_at(&self, height: u32) -> Option<BlockHash> {
        self.active.get(height as usize).copied()
    }

    /// The active block of this height, with what belongs to it.
    #[must_use]
    pub fn entry_at(&self, height: u32) -> Option<&Entry> {
        self.entry(&self.hash_at(height)?)
    }

    /// Whether the block is part of the active chain.
    #[must_use]
    pub fn is_active(&self, entry: &Entry) -> bool {
        self.hash_at(entry.height) == Some(entry.hash)
    }

    /// Whether [`invalidate`](Self::invalidate) excluded this very block.
    #[must_use]
    pub fn is_invalid(&self, hash: &BlockHash) -> bool {
        self.invalid.contains(hash)
    }

    /// The confirmed output at this place, unless a block spent it.
    #[must_use]
    pub fn utxo(&self, place: &OutPoint) -> Option<&Coin> {
        self.coins.at(place)
    }

    /// Every confirmed output that no block spent, in no particular order.
    pub fn utxos(&self) -> impl Iterator<Item = (&OutPoint, &Coin)> {
        self.coins.all()
    }

    /// The confirmed outputs of this script that neither a block nor the mempool spends, oldest first.
    #[must_use]
    pub fn coins_of(&self, script: &Script) -> Vec<(OutPoint, TxOut)> {
        let mut found: Vec<_> =
            self.utxos_of(script).filter(|(place, _)| self.mempool.spender(place).is_none()).collect();
        found.sort_by_key(|(place, coin)| (coin.height, **place));
        found.into_iter().map(|(place, coin)| (*place, coin.out.clone())).collect()
    }

    /// The confirmed outputs of this script that no block spends, in order of place.
    pub fn utxos_of(&self, script: &Script) -> impl Iterator<Item = (&OutPoint, &Coin)> {
        self.coins.of(script)
    }

    /// The unconfirmed transaction that spends this place.
    #[must_use]
    pub fn mempool_spender(&self, place: &OutPoint) -> Option<Txid> {
        self.mempool.spender(place)
    }

    /// The unconfirmed transactions, parents before children.
    #[must_use]
    pub fn mempool_txids(&self) -> Vec<Txid> {
        self.mempool.entries().map(|entry| entry.txid).collect()
    }

    /// The unconfirmed transactions with what belongs to them, parents before children.
    pub fn mem_entries(&self) -> impl Iterator<Item = &MemEntry> {
        self.mempool.entries()
    }

    /// An unconfirmed transaction.
    #[must_use]
    pub fn mem_entry(&self, txid: &Txid) -> Option<&MemEntry> {
        self.mempool.get(txid)
    }

    /// The transaction and its unconfirmed descendants, in order of arrival.
    #[must_use]
    pub fn mem_descendants(&self, txid: &Txid) -> Vec<Txid> {
        self.mempool.with_descendants(txid)
    }

    /// The transaction and its unconfirmed ancestors, in order of arrival.
    #[must_use]
    pub fn mem_ancestors(&self, txid: &Txid) -> Vec<Txid> {
        self.mempool.with_ancestors(txid)
    }

    /// A transaction of the mempool or the active chain, with its block if it has one.
    #[must_use]
    pub fn get_tx(&self, txid: &Txid) -> Option<(Transaction, Option<BlockHash>)> {
        if let Some(entry) = self.mem_entry(txid) {
            return Some((entry.tx.clone(), None));
        }
        let (entry, position) = self.find(txid)?;
        Some((entry.block.txdata.get(position)?.clone(), Some(entry.hash)))
    }

    /// The active block that confirms a transaction, and the transaction's position in it.
    #[must_use]
    pub fn find(&self, txid: &Txid) -> Option<(&Entry, usize)> {
        let (hash, position) = self.places.get(txid)?;
        Some((self.blocks.get(hash)?, *position))
    }

    /// What a transaction of the mempool or the active chain spends, input by input; nothing for a block's first.
    #[must_use]
    pub fn spent_by(&self, txid: &Txid) -> Vec<Coin> {
        if let Some(entry) = self.mem_entry(txid) {
            return entry.coins.clone();
        }
        let Some((entry, position)) = self.find(txid).filter(|(_, position)| *position > 0) else {
            return Vec::new();
        };
        let inputs = |tx: &Transaction| tx.input.len();
        let before: usize = entry.block.txdata[1..position].iter().map(inputs).sum();
        let own = inputs(&entry.block.txdata[position]);
        entry.spent.iter().skip(before).take(own).map(|(_, coin)| coin.clone()).collect()
    }

    /// A number that grows with every transaction that enters the mempool.
    #[must_use]
    pub const fn mempool_sequence(&self) -> u64 {
        self.next_number + 1
    }

    /// The median of the last eleven block times up to this active height, in seconds.
    #[must_use]
    pub fn median_time(&self, height: u32) -> u32 {
        let end = (height as usize + 1).min(self.active.len());
        let window = &self.active[end.saturating_sub(11)..end];
        let mut times: Vec<u32> = window
            .iter()
            .filter_map(|hash| self.blocks.get(hash))
            .map(|entry| entry.block.header.time)
            .collect();
        times.sort_unstable();
        times[times.len() / 2]
    }
}

impl Default for Chain {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playground::store::Store;

    #[test]
    fn mined_blocks_are_real_blocks() {
        let mut chain = Chain::new();

        chain.mine(20);

        let tip = chain.tip();
        assert!(tip.block.check_merkle_root() && tip.block.check_witness_commitment());
        assert_eq!(tip.block.bip34_block_height(), Ok(20));
        assert!(tip.block.header.validate_pow(tip.block.header.target()).is_ok());
    }

    #[test]
    fn a_stored_chain_comes_back_with_its_stale_blocks() {
        let store = Store::in_memory().unwrap();
        let mut chain = Chain::new();
        chain.mine(5);
        let stale = chain.tip().hash;
        chain.reorg(1);
        chain.stage(&store);

        let again = Chain::load(&store).unwrap();

        assert_eq!(again.active, chain.active);
        assert_eq!(again.entry(&stale).map(|entry| again.is_active(entry)), Some(false));
    }
}
