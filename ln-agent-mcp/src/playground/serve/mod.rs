//! Sockets in front of a [`Network`](super::Network), in the layout of a runtime directory.
//!
//! | path under the runtime directory | what listens there |
//! |---|---|
//! | `bitcoin/shared/regtest/.cookie` | password of bitcoind's JSON-RPC over HTTP on loopback |
//! | `lightning/node-N/regtest/lightning-rpc` | Core Lightning's JSON-RPC of node N, while it runs |
//! | `control` | starts, stops, makes and deletes nodes |
//! | `node_count` | how many nodes there are |
//!
//! `docs/playground.md` describes the control socket.

mod control;
mod layout;
mod lightning;
mod sockets;
mod start;

pub use layout::Layout;
pub use start::{ServeError, Server, serve};
