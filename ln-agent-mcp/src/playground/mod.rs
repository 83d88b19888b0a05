//! A regtest Lightning network with nothing to install: a chain, wallets and real LDK nodes in one thread.

pub mod bitcoind;
pub mod chain;
mod lightningd;
mod node;
pub mod store;
pub mod wallet;
mod world;
