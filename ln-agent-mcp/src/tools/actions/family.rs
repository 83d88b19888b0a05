//! The family in one list.

use std::sync::Arc;

use ln_agent_core::tool::{Tool, typed};

use super::closechannel::CloseChannel;
use super::connect::Connect;
use super::openchannel::OpenChannel;
use super::setchannel::SetChannel;
use crate::node::Nodes;

/// The four tools that act on peers and channels.
#[must_use]
pub fn tools(nodes: &Nodes) -> Vec<Arc<dyn Tool>> {
    let nodes = || nodes.clone();
    vec![
        typed(Connect { nodes: nodes() }),
        typed(OpenChannel { nodes: nodes() }),
        typed(CloseChannel { nodes: nodes() }),
        typed(SetChannel { nodes: nodes() }),
    ]
}
