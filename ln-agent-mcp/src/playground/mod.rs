//! A regtest Lightning network with nothing to install: a chain, wallets and real LDK nodes in one thread.
//!
//! [`Network`] is that thread's handle. [`serve`](serve::serve) puts the sockets of bitcoind and lightningd in
//! front of it, so that programs connect to it exactly as to the real daemons.

mod actor;
pub mod bitcoind;
pub mod chain;
mod lightningd;
mod network;
mod node;
pub mod serve;
pub mod store;
pub mod wallet;
mod world;

pub use lightningd::RpcError;
pub use network::{CallError, Network, NetworkError, NodeStates};
