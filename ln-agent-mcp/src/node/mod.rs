//! The nodes the tools speak to: bitcoind over HTTP JSON-RPC, each lightningd over its unix socket, and the
//! files and processes behind `ln_node_create`, `start`, `stop` and `delete`. No shell and no command line tools.

mod bitcoind;
mod config;
mod count;
mod credentials;
mod frame;
mod lightningd;
mod network;
mod nodes;
mod outcome;

pub use config::{ConfigError, NodesConfig};
pub use credentials::Credentials;
pub use network::{Network, UnknownNetwork};
pub use nodes::Nodes;
