//! The family in one list.

use std::sync::Arc;

use ln_agent_core::tool::{Tool, typed};

use super::btc_raw::BtcRaw;
use super::ln_raw::LnRaw;
use crate::node::Nodes;

/// The two tools that pass a command through.
#[must_use]
pub fn tools(nodes: &Nodes) -> Vec<Arc<dyn Tool>> {
    vec![typed(LnRaw { nodes: nodes.clone() }), typed(BtcRaw { nodes: nodes.clone() })]
}
