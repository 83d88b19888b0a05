//! The family in one list.

use std::sync::Arc;

use ln_agent_core::tool::{Tool, typed};

use super::fetch::HttpFetch;
use crate::node::Nodes;

/// The one tool that reaches beyond the nodes.
#[must_use]
pub fn tools(nodes: &Nodes) -> Vec<Arc<dyn Tool>> {
    vec![typed(HttpFetch { nodes: nodes.clone() })]
}
