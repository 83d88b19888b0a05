//! Every tool, in one list.

use std::sync::Arc;

use ln_agent_core::tool::{Registry, Tool};

use super::{actions, bitcoin, http, lifecycle, lightning, offers, onchain, passthrough, payments, system};
use crate::node::Nodes;

/// Every tool over these nodes.
#[must_use]
pub fn all(nodes: &Nodes) -> Vec<Arc<dyn Tool>> {
    [
        system::tools,
        bitcoin::tools,
        lifecycle::tools,
        lightning::tools,
        actions::tools,
        payments::tools,
        offers::tools,
        onchain::tools,
        passthrough::tools,
        http::tools,
    ]
    .into_iter()
    .flat_map(|family| family(nodes))
    .collect()
}

/// Every tool over these nodes, by name.
///
/// # Panics
///
/// Never: the names are constants, and a test sees that they differ.
#[must_use]
pub fn registry(nodes: &Nodes) -> Registry {
    Registry::new(all(nodes)).expect("tool names are constants that a test compares")
}
