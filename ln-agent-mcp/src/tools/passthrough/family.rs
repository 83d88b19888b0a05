//! The family in one list.

use std::sync::Arc;

use ln_agent_core::tool::{Tool, TypedTool, typed};

use super::btc_raw::BtcRaw;
use super::btc_rules::BITCOIN;
use super::ln_raw::LnRaw;
use super::ln_rules::LIGHTNING;
use crate::node::Nodes;

/// The two tools that pass a command through.
#[must_use]
pub fn tools(nodes: &Nodes) -> Vec<Arc<dyn Tool>> {
    vec![typed(LnRaw { nodes: nodes.clone() }), typed(BtcRaw { nodes: nodes.clone() })]
}

/// The commands that `ln_raw` or `btc_raw` never passes on; a name that ends in `*` stands for all that begin so.
/// `None` for every other tool.
#[must_use]
pub fn blocked_commands(tool: &str) -> Option<&'static [&'static str]> {
    match tool {
        LnRaw::NAME => Some(LIGHTNING.blocked.0),
        BtcRaw::NAME => Some(BITCOIN.blocked.0),
        _ => None,
    }
}
