//! bitcoind's JSON-RPC over the chain and its wallets.
//!
//! [`dispatch`] is a function of the state and one call. [`serve`] puts HTTP in front of it: it hands every call
//! to whoever owns the state (the network's thread) through an [`Ask`], and knows nothing of the state itself.
//!
//! What differs from bitcoind: a transaction is found by id whether or not a block holds it (as with
//! `-txindex`); fee estimates never exist; there are no peers; time is the chain's logical clock; a replaced
//! transaction is forgotten instead of listed as conflicted. A method that is not here is "Method not found".

mod address;
mod amount;
mod answer;
mod block;
mod chain_info;
mod control;
mod cookie;
mod history;
mod mempool;
mod method;
mod mining;
mod money;
mod network;
mod params;
mod received;
mod render;
mod script_text;
mod send;
mod server;
mod transaction;
mod wallets;
mod wire;

pub use answer::Answer;
pub use cookie::Cookie;
pub use method::{Node, dispatch};
pub use server::{Ask, RpcCall, serve};
