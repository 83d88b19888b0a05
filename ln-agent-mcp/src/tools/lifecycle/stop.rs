//! `ln_node_stop`.

use std::time::Duration;

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::node::{Nodes, Stopped};

/// Stops a node.
#[derive(Debug)]
pub(super) struct NodeStop {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_node_stop`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeStopArgs {
    /// Node, counted from 1.
    node: NodeIndex,
}

#[async_trait::async_trait]
impl TypedTool for NodeStop {
    const NAME: &'static str = "ln_node_stop";
    const TITLE: &'static str = "Stop a node";
    const DESCRIPTION: &'static str = "Asks a Lightning node to stop and waits up to 30 s until it has ended. Does nothing if it does not run.";
    const EFFECT: Effect = Effect::Write;
    const IDEMPOTENT: bool = true;
    type Args = NodeStopArgs;
    type Output = Stopped;

    fn budget(&self) -> Option<Duration> {
        let config = self.nodes.config();
        Some(config.stop_timeout + config.call_timeout)
    }

    async fn call(&self, args: NodeStopArgs) -> Result<Stopped, ToolError> {
        self.nodes.stop(args.node).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::NodesConfig;

    #[tokio::test]
    async fn stopping_a_node_that_does_not_exist_is_no_error() {
        let dir = tempfile::tempdir().unwrap();
        let tool = NodeStop { nodes: Nodes::new(NodesConfig::at(dir.path())) };

        let stopped = tool.call(NodeStopArgs { node: NodeIndex::FIRST }).await.unwrap();

        let reason = "it has not been created".to_owned();
        assert_eq!(stopped, Stopped { node: NodeIndex::FIRST, stopped: false, running: false, reason });
    }
}
