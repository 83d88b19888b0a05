//! The family in one list.

use std::sync::Arc;

use ln_agent_core::tool::{Tool, typed};

use super::signmessage::SignMessage;
use super::withdraw::Withdraw;
use crate::node::Nodes;

/// The two tools for on-chain money and signatures; `ln_listtransactions` is among the reads.
#[must_use]
pub fn tools(nodes: &Nodes) -> Vec<Arc<dyn Tool>> {
    vec![typed(Withdraw { nodes: nodes.clone() }), typed(SignMessage { nodes: nodes.clone() })]
}
