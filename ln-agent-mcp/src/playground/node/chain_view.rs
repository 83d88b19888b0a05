use std::cell::RefCell;
use std::rc::Rc;

use bitcoin::OutPoint;
use bitcoin::constants::ChainHash;
use lightning::routing::utxo::{UtxoLookup, UtxoLookupError, UtxoResult};

use crate::playground::chain::Chain;

/// The chain, shared by all nodes of the actor's thread.
pub(crate) type SharedChain = Rc<RefCell<Chain>>;

/// Checks a gossiped channel against the chain: the output it names must exist and be unspent.
#[derive(Debug)]
pub(crate) struct ScidLookup(pub(super) SharedChain);

impl UtxoLookup for ScidLookup {
    fn get_utxo(&self, _chain: &ChainHash, scid: u64) -> UtxoResult {
        let (height, position, output) =
            ((scid >> 40) as u32, ((scid >> 16) & 0xff_ffff) as usize, (scid & 0xffff) as u32);
        let chain = self.0.borrow();
        let out = chain
            .entry_at(height)
            .and_then(|entry| entry.txids.get(position))
            .and_then(|txid| chain.utxo(&OutPoint::new(*txid, output)))
            .map(|coin| coin.out.clone());
        UtxoResult::Sync(out.ok_or(UtxoLookupError::UnknownTx))
    }
}
