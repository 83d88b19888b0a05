//! The family in one list.

use std::sync::Arc;

use ln_agent_core::tool::{Tool, typed};

use super::create::NodeCreate;
use super::delete::NodeDelete;
use super::list::ListNodes;
use super::start::NodeStart;
use super::status::Status;
use super::stop::NodeStop;
use crate::node::Nodes;

/// The six tools that look after the nodes themselves.
#[must_use]
pub fn tools(nodes: &Nodes) -> Vec<Arc<dyn Tool>> {
    let nodes = || nodes.clone();
    vec![
        typed(ListNodes { nodes: nodes() }),
        typed(NodeCreate { nodes: nodes() }),
        typed(Status { nodes: nodes() }),
        typed(NodeStart { nodes: nodes() }),
        typed(NodeStop { nodes: nodes() }),
        typed(NodeDelete { nodes: nodes() }),
    ]
}
