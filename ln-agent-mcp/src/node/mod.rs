//! The nodes the tools speak to: bitcoind over HTTP JSON-RPC, each lightningd over its unix socket, and the
//! files and processes behind `ln_node_create`, `start`, `stop` and `delete`. No shell and no command line tools.

mod bitcoind;
mod config;
mod config_file;
mod control;
mod count;
mod credentials;
mod frame;
mod lifecycle;
mod lightningd;
mod network;
mod nodes;
pub(crate) mod outcome;
mod process;
#[cfg(test)]
pub(crate) mod replay;
mod status;
pub(crate) mod tls;

pub(crate) use bitcoind::root_cause;
pub use config::{ConfigError, NodesConfig};
pub use credentials::Credentials;
pub use lifecycle::{Created, Deleted, Started, Stopped};
pub use network::{Network, UnknownNetwork};
pub use nodes::Nodes;
pub use status::NodeStatus;
