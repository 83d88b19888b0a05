//! `ln_node_status`.

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::node::{NodeStatus, Nodes};

/// How one node is doing.
#[derive(Debug)]
pub(super) struct Status {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_node_status`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StatusArgs {
    /// Node, counted from 1.
    node: NodeIndex,
}

#[async_trait::async_trait]
impl TypedTool for Status {
    const NAME: &'static str = "ln_node_status";
    const TITLE: &'static str = "Node status";
    const DESCRIPTION: &'static str = "Shows whether a node exists, its process runs and it answers commands, and why not. Never starts it.";
    const EFFECT: Effect = Effect::Read;
    type Args = StatusArgs;
    type Output = NodeStatus;

    async fn call(&self, args: StatusArgs) -> Result<NodeStatus, ToolError> {
        Ok(self.nodes.status(args.node).await)
    }
}
