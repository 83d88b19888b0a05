//! The family in one list.

use std::sync::Arc;

use ln_agent_core::tool::{Tool, typed};

use super::memory_lookup::MemoryLookup;
use super::netinfo::NetInfo;
use super::network_health::NetworkHealth;
use crate::node::Nodes;

/// The three tools that look at everything together.
#[must_use]
pub fn tools(nodes: &Nodes) -> Vec<Arc<dyn Tool>> {
    let nodes = || nodes.clone();
    vec![
        typed(NetworkHealth { nodes: nodes() }),
        typed(NetInfo { nodes: nodes() }),
        typed(MemoryLookup { nodes: nodes() }),
    ]
}
