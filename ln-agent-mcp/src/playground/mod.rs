//! A regtest Lightning network with nothing to install: a chain, wallets and real LDK nodes in one thread.

pub mod chain;
pub mod store;
pub mod wallet;
pub mod bitcoind;
pub mod node;
pub mod lightningd;
