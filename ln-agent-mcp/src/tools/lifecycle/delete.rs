//! `ln_node_delete`.

use std::time::Duration;

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::node::{Deleted, Nodes};

/// Deletes a node for good.
#[derive(Debug)]
pub(super) struct NodeDelete {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_node_delete`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeDeleteArgs {
    /// Node, counted from 1.
    node: NodeIndex,
    /// Stop a running node first. Default: false.
    #[serde(default)]
    force: bool,
}

#[async_trait::async_trait]
impl TypedTool for NodeDelete {
    const NAME: &'static str = "ln_node_delete";
    const TITLE: &'static str = "Delete a node";
    const DESCRIPTION: &'static str = "Deletes a Lightning node with its keys, wallet and channels: money on it is lost, and this cannot be undone. It must be stopped, unless force is true.";
    const EFFECT: Effect = Effect::Write;
    const IDEMPOTENT: bool = true;
    type Args = NodeDeleteArgs;
    type Output = Deleted;

    fn budget(&self) -> Option<Duration> {
        let config = self.nodes.config();
        Some(config.stop_timeout + config.call_timeout)
    }

    async fn call(&self, args: NodeDeleteArgs) -> Result<Deleted, ToolError> {
        self.nodes.delete(args.node, args.force).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::NodesConfig;

    #[tokio::test]
    async fn a_node_is_deleted_once_and_a_link_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let nodes = Nodes::new(NodesConfig::at(dir.path()));
        nodes.create(NodeIndex::FIRST).await.unwrap();
        let tool = NodeDelete { nodes };
        let first = || NodeDeleteArgs { node: NodeIndex::FIRST, force: false };

        assert!(tool.call(first()).await.unwrap().deleted);
        assert!(!dir.path().join("lightning/node-1").exists());
        assert!(!tool.call(first()).await.unwrap().deleted);

        let precious = dir.path().join("precious");
        std::fs::create_dir(&precious).unwrap();
        std::os::unix::fs::symlink(&precious, dir.path().join("lightning/node-1")).unwrap();
        assert!(tool.call(first()).await.is_err());
        assert!(precious.exists());
    }
}
