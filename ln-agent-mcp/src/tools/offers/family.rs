//! The family in one list.

use std::sync::Arc;

use ln_agent_core::tool::{Tool, typed};

use super::fetchinvoice::FetchInvoice;
use super::offer::Offer;
use crate::node::Nodes;

/// The two tools for BOLT 12.
#[must_use]
pub fn tools(nodes: &Nodes) -> Vec<Arc<dyn Tool>> {
    vec![typed(Offer { nodes: nodes.clone() }), typed(FetchInvoice { nodes: nodes.clone() })]
}
