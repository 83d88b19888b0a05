use bitcoin::{Block, BlockHash, OutPoint, Transaction, TxOut, Txid, Work};

/// An output that can be spent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coin {
    /// Its value and script.
    pub out: TxOut,
    /// Height of its block; for an unconfirmed output, of the next block.
    pub height: u32,
    /// Whether a block's first transaction made it, so that it has to mature.
    pub coinbase: bool,
}

/// A block that the chain knows, active or not.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The block itself.
    pub block: Block,
    /// Its hash.
    pub hash: BlockHash,
    /// Its distance from the first block.
    pub height: u32,
    /// Work of this block and all below it.
    pub chainwork: Work,
    /// The ids of its transactions, in order.
    pub txids: Vec<Txid>,
    /// What its transactions spent, in order, first transaction excluded; empty while the block is not active.
    pub spent: Vec<(OutPoint, Coin)>,
}

/// An unconfirmed transaction.
#[derive(Clone, Debug)]
pub struct MemEntry {
    /// The transaction.
    pub tx: Transaction,
    /// Its id.
    pub txid: Txid,
    /// When it came, in seconds of the chain's clock.
    pub time: u64,
    /// The chain's height when it came.
    pub height: u32,
    /// What it pays to the miner, in satoshis.
    pub fee: u64,
    /// What it spends, input by input.
    pub coins: Vec<Coin>,
}

impl MemEntry {
    /// Its virtual size in bytes, rounded up.
    #[must_use]
    pub fn vsize(&self) -> u64 {
        self.tx.vsize() as u64
    }
}
