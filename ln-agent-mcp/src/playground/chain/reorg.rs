use bitcoin::BlockHash;

use super::persist::Touched;
use super::{Chain, Entry, Res, RpcErr};

impl Chain {
    /// Excludes a block and all above it, and goes over to the best chain that is left.
    ///
    /// # Errors
    ///
    /// Code −5 if no such block is known, −8 for the first block.
    pub fn invalidate(&mut self, hash: &BlockHash) -> Res<()> {
        let entry = self.entry(hash).ok_or_else(unknown)?;
        if entry.height == 0 {
            return Err(RpcErr::new(-8, "The first block cannot be invalidated"));
        }
        self.invalid.insert(*hash);
        self.touched.insert(Touched::Invalid(*hash));
        self.activate_best();
        Ok(())
    }

    /// Takes back every [`invalidate`](Self::invalidate) of this block, of those below and of those above it.
    ///
    /// # Errors
    ///
    /// Code −5 if no such block is known.
    pub fn reconsider(&mut self, hash: &BlockHash) -> Res<()> {
        self.entry(hash).ok_or_else(unknown)?;
        let related: Vec<BlockHash> = self
            .invalid
            .iter()
            .copied()
            .filter(|other| self.builds_on(other, hash) || self.builds_on(hash, other))
            .collect();
        for other in related {
            self.invalid.remove(&other);
            self.touched.insert(Touched::Invalid(other));
        }
        self.activate_best();
        Ok(())
    }

    /// Replaces the last `depth` blocks by `depth + 1` new ones that nobody is paid by; gives the new tip.
    pub fn reorg(&mut self, depth: u32) -> BlockHash {
        for _ in 0..depth {
            self.disconnect_tip();
        }
        self.mine(depth + 1);
        self.tip().hash
    }

    fn activate_best(&mut self) {
        let valid = self.blocks.values().filter(|entry| !self.is_excluded(entry));
        // With equal work the active block stays; otherwise the hash decides, so that the choice is repeatable.
        let best = valid.max_by_key(|entry| (entry.chainwork, self.is_active(entry), entry.hash));
        let Some(best) = best.map(|entry| entry.hash) else { return };
        let mut path = Vec::new();
        let mut step = self.entry(&best);
        while let Some(entry) = step.filter(|entry| !self.is_active(entry)) {
            path.push(entry.block.clone());
            step = self.entry(&entry.block.header.prev_blockhash);
        }
        let fork = step.map_or(0, |entry| entry.height);
        while self.height() > fork {
            self.disconnect_tip();
        }
        for block in path.into_iter().rev() {
            self.connect(block);
        }
    }

    /// Whether the block, or one below it, was excluded by hand.
    #[must_use]
    pub fn is_excluded(&self, entry: &Entry) -> bool {
        self.invalid.iter().any(|bad| self.builds_on(&entry.hash, bad))
    }

    /// Whether `upper` is `lower` or stands above it.
    fn builds_on(&self, upper: &BlockHash, lower: &BlockHash) -> bool {
        let Some(lower) = self.entry(lower) else { return false };
        let mut step = self.entry(upper);
        while let Some(entry) = step.filter(|entry| entry.height > lower.height) {
            step = self.entry(&entry.block.header.prev_blockhash);
        }
        step.is_some_and(|entry| entry.hash == lower.hash)
    }
}

fn unknown() -> RpcErr {
    RpcErr::new(-5, "Block not found")
}
