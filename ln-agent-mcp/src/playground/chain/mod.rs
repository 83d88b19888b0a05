//! Blocks, transactions and the mempool of one regtest chain.
//!
//! A pure state machine: no network, no clock, no threads. Its blocks are real (proof of work, BIP34 height,
//! BIP141 commitment) and follow Bitcoin's rules for spending: existing coins, coinbase maturity, lock times
//! (BIP65, BIP68, BIP112), conserved value, replacement by fee, and scripts with their signatures.
//!
//! Scripts are run and signatures verified for every transaction: P2PK, P2PKH, P2SH, P2WPKH, P2WSH, P2TR by its
//! key, bare scripts. Refused, since no consensus library is linked: P2TR by a script, OP_CODESEPARATOR, and
//! signatures of non-standard hash types. `FindAndDelete` and the count of operations are not modelled.
//!
//! Time is logical: a block's time follows from its height ([`clock`]), so the same calls always give the same
//! blocks.

mod block;
mod check;
mod clock;
mod coin;
mod error;
mod machine;
mod machine_ops;
mod mempool;
mod mining;
mod persist;
mod reorg;
mod script;
mod signature;
mod state;
mod tables;

pub use clock::{COINBASE_MATURITY, clock, subsidy};
pub use coin::{Coin, Entry, MemEntry};
pub use error::{Res, RpcErr};
pub use mempool::MIN_RELAY_SAT_PER_KVB;
pub(crate) use mempool::relay_fee;
pub use state::Chain;
