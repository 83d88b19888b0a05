//! Named on-chain wallets, as bitcoind has them.
//!
//! A wallet is keys derived from the network's seed and the wallet's name, how many addresses of each kind it
//! gave out, and what was noted beside them. Balances and history are read off the chain at each question, so
//! a reorganisation or a reload can never leave them wrong.

mod balance;
mod bump;
mod descriptor;
mod history;
mod keys;
mod kind;

mod record;
mod select;
mod send;
mod set;
mod sign;
mod single;

pub use balance::{Balances, Holding};
pub use descriptor::with_checksum;
pub use history::{Category, Movement};
pub use keys::{Owned, Path};
pub use kind::AddressKind;

pub use send::{Sent, Spend};
pub use set::Wallets;
pub use single::Wallet;
