//! What survives a restart: every acknowledged change, committed at once.
//!
//! Changes are staged in memory and become durable together in one [`Store::commit`], which the network's
//! actor calls at the end of every command, before the reply leaves. A process killed at any moment therefore
//! loses nothing that was acknowledged, and never leaves half a command behind.

mod error;
mod file;

pub use error::StoreError;
pub use file::{Pairs, Store};
