use bitcoin::{Block, BlockHash, OutPoint, Transaction, Txid};

use super::persist::Touched;
use super::{Chain, Coin, Entry};

impl Chain {
    /// Puts a checked block on top of the tip, and takes out of the mempool what it confirms or contradicts.
    pub(super) fn connect(&mut self, block: Block) -> BlockHash {
        let hash = block.block_hash();
        let height = self.height() + 1;
        let txids: Vec<Txid> = block.txdata.iter().map(Transaction::compute_txid).collect();
        let mut spent = Vec::new();
        for (position, (tx, txid)) in block.txdata.iter().zip(&txids).enumerate() {
            if position > 0 {
                spent.extend(self.spend_inputs(tx));
            }
            for (vout, out) in (0u32..).zip(&tx.output).filter(|(_, out)| !out.script_pubkey.is_op_return()) {
                let coin = Coin { out: out.clone(), height, coinbase: position == 0 };
                self.coins.add(OutPoint::new(*txid, vout), coin);
            }
            self.places.insert(*txid, (hash, position));
            self.drop_alone(txid);
            self.drop_rivals(tx);
        }
        let chainwork = self.tip().chainwork + block.header.work();
        self.active.push(hash);
        self.blocks.insert(hash, Entry { block, hash, height, chainwork, txids, spent });
        self.touched.extend([Touched::Block(hash), Touched::Height(height)]);
        hash
    }

    fn spend_inputs(&mut self, tx: &Transaction) -> Vec<(OutPoint, Coin)> {
        let take = |input: &bitcoin::TxIn| {
            let place = input.previous_output;
            let coin = self.coins.take(&place).expect("the block was checked before it is connected");
            (place, coin)
        };
        tx.input.iter().map(take).collect()
    }

    /// Takes out unconfirmed transactions that spend what `tx` just spent, with all that builds on them.
    fn drop_rivals(&mut self, tx: &Transaction) {
        for input in &tx.input {
            let Some(rival) = self.mempool.spender(&input.previous_output) else { continue };
            for lost in self.mempool.with_descendants(&rival) {
                self.drop_alone(&lost);
            }
        }
    }

    /// Takes the tip off; its transactions go back to the mempool where they are still valid. Gives the hash of
    /// the block taken off, or nothing where only the first block is left.
    pub fn disconnect_tip(&mut self) -> Option<BlockHash> {
        if self.height() == 0 {
            return None;
        }
        let height = self.height();
        let hash = self.active.pop()?;
        let entry = self.blocks.get_mut(&hash)?;
        let spent = std::mem::take(&mut entry.spent);
        let (txs, txids) = (entry.block.txdata.clone(), entry.txids.clone());
        // Backwards, so that outputs made and spent inside the block are gone at the end.
        for (place, coin) in spent.into_iter().rev() {
            self.coins.add(place, coin);
        }
        for (tx, txid) in txs.iter().zip(&txids) {
            self.places.remove(txid);
            for (vout, _) in (0u32..).zip(&tx.output) {
                self.coins.take(&OutPoint::new(*txid, vout));
            }
        }
        self.touched.insert(Touched::Height(height));
        self.refill_mempool(txs.into_iter().skip(1).collect());
        Some(hash)
    }
}
