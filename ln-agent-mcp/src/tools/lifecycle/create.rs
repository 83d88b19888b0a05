//! `ln_node_create`.

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::node::{Created, Nodes};

/// Makes a node.
#[derive(Debug)]
pub(super) struct NodeCreate {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_node_create`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeCreateArgs {
    /// Node, counted from 1.
    node: NodeIndex,
}

#[async_trait::async_trait]
impl TypedTool for NodeCreate {
    const NAME: &'static str = "ln_node_create";
    const TITLE: &'static str = "Create a node";
    const DESCRIPTION: &'static str = "Makes a Lightning node (directory and configuration) without starting it. Its number is at most one above the number of configured nodes, which it then raises.";
    const EFFECT: Effect = Effect::Write;
    const IDEMPOTENT: bool = true;
    type Args = NodeCreateArgs;
    type Output = Created;

    async fn call(&self, args: NodeCreateArgs) -> Result<Created, ToolError> {
        self.nodes.create(args.node).await
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::node::{Credentials, NodesConfig};

    fn node(number: u32) -> NodeCreateArgs {
        NodeCreateArgs { node: NodeIndex::new(number).unwrap() }
    }

    #[tokio::test]
    async fn the_node_after_the_last_raises_the_count_and_the_one_after_that_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let tool = NodeCreate { nodes: Nodes::new(NodesConfig::at(dir.path())) };

        let error = tool.call(node(4)).await.unwrap_err();
        assert_eq!(
            error.message,
            "argument `node` was 4: expected 1 to 3: nodes are made one after the other"
        );

        let made = tool.call(node(3)).await.unwrap();
        assert_eq!((made.created, made.node_count), (true, 3));
        let again = tool.call(node(3)).await.unwrap();
        assert_eq!((again.created, again.node_count), (false, 3));
    }

    #[tokio::test]
    async fn the_files_are_private_and_hold_the_password() {
        let dir = tempfile::tempdir().unwrap();
        let credentials = Credentials::Password { user: "u".into(), password: "secret".into() };
        let config = NodesConfig { credentials, ..NodesConfig::at(dir.path()) };

        NodeCreate { nodes: Nodes::new(config) }.call(node(1)).await.unwrap();

        let path = dir.path().join("lightning/node-1/connection.conf");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains("bitcoin-rpcpassword=secret\n"), "{text}");
        assert!(text.ends_with("addr=127.0.0.1:9736\n"), "{text}");
    }
}
