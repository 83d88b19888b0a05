//! `ln_listnodes`.

use std::collections::BTreeSet;
use std::path::Path;

use futures::future::join_all;
use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::node::{NodeStatus, Nodes};

/// Every node there is.
#[derive(Debug)]
pub(super) struct ListNodes {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_listnodes`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListNodesArgs {}

#[async_trait::async_trait]
impl TypedTool for ListNodes {
    const NAME: &'static str = "ln_listnodes";
    const TITLE: &'static str = "All nodes";
    const DESCRIPTION: &'static str = "Lists every configured or created node and whether it runs.";
    const EFFECT: Effect = Effect::Read;
    type Args = ListNodesArgs;
    type Output = Listing;

    async fn call(&self, _args: ListNodesArgs) -> Result<Listing, ToolError> {
        let mut known: BTreeSet<NodeIndex> = self.nodes.indices().collect();
        known.extend(created(&self.nodes.config().lightning_base).await);
        let nodes = join_all(known.into_iter().map(|node| self.nodes.status(node))).await;
        let running = nodes.iter().filter(|node| node.running).count();
        Ok(Listing { total: nodes.len(), running, nodes })
    }
}

/// Payload of `ln_listnodes`.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Listing {
    /// By number.
    nodes: Vec<NodeStatus>,
    /// How many there are.
    total: usize,
    /// How many of them run.
    running: usize,
}

/// The nodes that have a directory, whatever the configured number.
async fn created(base: &Path) -> Vec<NodeIndex> {
    let mut found = Vec::new();
    if let Ok(mut entries) = tokio::fs::read_dir(base).await {
        while let Ok(Some(entry)) = entries.next_entry().await {
            let name = entry.file_name();
            let number: Option<NodeIndex> =
                name.to_str().and_then(|name| name.strip_prefix("node-")?.parse().ok());
            found.extend(number);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::NodesConfig;

    #[tokio::test]
    async fn configured_and_created_nodes_are_listed_once_each() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["node-2", "node-5", "other", "node-x"] {
            std::fs::create_dir_all(dir.path().join("lightning").join(name)).unwrap();
        }

        let nodes = Nodes::new(NodesConfig::at(dir.path()));
        let listing = ListNodes { nodes }.call(ListNodesArgs {}).await.unwrap();

        let states: Vec<_> =
            listing.nodes.iter().map(|node| (node.name.as_str(), node.reason.as_str())).collect();
        assert_eq!(
            states,
            [("node-1", "it has not been created"), ("node-2", "it is stopped"), ("node-5", "it is stopped")]
        );
        assert_eq!((listing.total, listing.running), (3, 0));
    }
}
