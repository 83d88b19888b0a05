//! The web.

use std::sync::Arc;

use ln_agent_core::tool::Tool;

use crate::node::Nodes;

/// The tools of this family.
#[must_use]
pub fn tools(_nodes: &Nodes) -> Vec<Arc<dyn Tool>> {
    Vec::new()
}
