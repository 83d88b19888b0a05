use bitcoin::consensus::{deserialize, serialize};
use bitcoin::hashes::Hash;
use bitcoin::{Block, BlockHash, Transaction};

use super::{Chain, Entry, MemEntry};
use crate::playground::store::{Store, StoreError};

/// By hash: height (4 bytes, big-endian), then the block.
const BLOCKS: &str = "chain.blocks";
/// By height (4 bytes, big-endian): the active block's hash.
const ACTIVE: &str = "chain.active";
/// By number of arrival (8 bytes, big-endian): time (8 bytes), height (4 bytes), then the transaction.
const MEMPOOL: &str = "chain.mempool";
/// By hash: nothing; the block was excluded by hand.
const INVALID: &str = "chain.invalid";

/// Something that may differ from what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Touched {
    Block(BlockHash),
    Height(u32),
    Unconfirmed(u64),
    Invalid(BlockHash),
}

impl Chain {
    /// Reads the chain that [`stage`](Self::stage) wrote; an empty store gives a new chain.
    ///
    /// # Errors
    ///
    /// [`StoreError::Read`], or [`StoreError::Damaged`] if what is stored does not fit together.
    pub fn load(store: &Store) -> Result<Self, StoreError> {
        let mut chain = Self::new();
        let mut blocks = Vec::new();
        for (hash, value) in store.scan(BLOCKS, b"")? {
            let (height, block) = split::<4>(&value)?;
            let block: Block = decode(block)?;
            // A block that is whole is one that was checked before it was stored.
            if block.block_hash() != block_hash(&hash)? || !block.check_merkle_root() {
                return Err(damaged("a block is not what its hash says"));
            }
            blocks.push((u32::from_be_bytes(height), block));
        }
        blocks.sort_by_key(|(height, _)| *height);
        for (height, block) in blocks {
            chain.remember(height, block)?;
        }
        for (_, hash) in store.scan(ACTIVE, b"")? {
            let hash = block_hash(&hash)?;
            let entry = chain.blocks.get(&hash).ok_or_else(|| damaged("an active block is missing"))?;
            if entry.block.header.prev_blockhash != chain.tip().hash {
                return Err(damaged("the active blocks are no chain"));
            }
            let block = entry.block.clone();
            chain.connect(block);
        }
        for (hash, _) in store.scan(INVALID, b"")? {
            chain.invalid.insert(block_hash(&hash)?);
        }
        for (number, value) in store.scan(MEMPOOL, b"")? {
            let number: [u8; 8] =
                number.try_into().map_err(|_| damaged("a mempool number is not 8 bytes"))?;
            chain.recall(u64::from_be_bytes(number), &value)?;
        }
        chain.touched.clear();
        Ok(chain)
    }

    /// Stages what changed since the last call; [`Store::commit`] makes it durable.
    pub fn stage(&mut self, store: &Store) {
        for touched in std::mem::take(&mut self.touched) {
            let (table, key, value) = self.stored(touched);
            match value {
                Some(value) => store.put(table, &key, value),
                None => store.delete(table, &key),
            }
        }
    }

    fn stored(&self, touched: Touched) -> (&'static str, Vec<u8>, Option<Vec<u8>>) {
        match touched {
            Touched::Block(hash) => {
                let value = self
                    .entry(&hash)
                    .map(|entry| [entry.height.to_be_bytes().to_vec(), serialize(&entry.block)].concat());
                (BLOCKS, hash.to_byte_array().to_vec(), value)
            }
            Touched::Height(height) => {
                let value = self.hash_at(height).map(|hash| hash.to_byte_array().to_vec());
                (ACTIVE, height.to_be_bytes().to_vec(), value)
            }
            Touched::Unconfirmed(number) => {
                let value = self.mempool.numbered(number).map(|entry| {
                    let (time, height) = (entry.time.to_be_bytes(), entry.height.to_be_bytes());
                    [time.to_vec(), height.to_vec(), serialize(&entry.tx)].concat()
                });
                (MEMPOOL, number.to_be_bytes().to_vec(), value)
            }
            Touched::Invalid(hash) => {
                (INVALID, hash.to_byte_array().to_vec(), self.is_invalid(&hash).then(Vec::new))
            }
        }
    }

    fn remember(&mut self, height: u32, block: Block) -> Result<(), StoreError> {
        let parent =
            self.entry(&block.header.prev_blockhash).ok_or_else(|| damaged("a block has no parent"))?;
        let chainwork = parent.chainwork + block.header.work();
        let hash = block.block_hash();
        let txids = block.txdata.iter().map(Transaction::compute_txid).collect();
        self.blocks.insert(hash, Entry { block, hash, height, chainwork, txids, spent: Vec::new() });
        Ok(())
    }

    fn recall(&mut self, number: u64, value: &[u8]) -> Result<(), StoreError> {
        let (time, rest) = split::<8>(value)?;
        let (height, tx) = split::<4>(rest)?;
        let tx: Transaction = decode(tx)?;
        let coins: Option<Vec<_>> =
            tx.input.iter().map(|input| self.find_coin(&input.previous_output)).collect();
        let coins = coins.ok_or_else(|| damaged("an unconfirmed transaction spends what is not there"))?;
        let fee = self.check_spend(&tx, &coins).map_err(|error| damaged(&error.message))?;
        let (time, height) = (u64::from_be_bytes(time), u32::from_be_bytes(height));
        let txid = tx.compute_txid();
        self.keep(number, MemEntry { tx, txid, time, height, fee, coins });
        Ok(())
    }
}

fn split<const N: usize>(value: &[u8]) -> Result<([u8; N], &[u8]), StoreError> {
    let (head, rest) = value.split_first_chunk::<N>().ok_or_else(|| damaged("a value is too short"))?;
    Ok((*head, rest))
}

fn decode<T: bitcoin::consensus::Decodable>(bytes: &[u8]) -> Result<T, StoreError> {
    deserialize(bytes).map_err(|error| damaged(&error.to_string()))
}

fn block_hash(bytes: &[u8]) -> Result<BlockHash, StoreError> {
    BlockHash::from_slice(bytes).map_err(|error| damaged(&error.to_string()))
}

fn damaged(what: &str) -> StoreError {
    StoreError::Damaged(what.to_owned())
}
