//! `ln_listpeers`.

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::node::Nodes;
use crate::tools::ask::Ask;

/// Peers of a node.
#[derive(Debug)]
pub(super) struct ListPeers {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_listpeers`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListPeersArgs {
    /// Node to ask, counted from 1.
    node: NodeIndex,
}

#[async_trait::async_trait]
impl TypedTool for ListPeers {
    const NAME: &'static str = "ln_listpeers";
    const TITLE: &'static str = "Peers of a node";
    const DESCRIPTION: &'static str =
        "Lists the peers a node knows: id, whether connected, number of channels, addresses.";
    const EFFECT: Effect = Effect::Read;
    type Args = ListPeersArgs;
    type Output = Object;

    async fn call(&self, args: ListPeersArgs) -> Result<Object, ToolError> {
        Ask::new(&self.nodes, args.node).read("listpeers", json!({})).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Replay, recorded};

    #[tokio::test]
    async fn the_peers_are_the_nodes_own_answer() {
        let replay = Replay::node([recorded("102-listpeers-connected")]);

        let payload = replay.call(ListPeers { nodes: replay.nodes() }, json!({ "node": 1 })).await.unwrap();

        assert_eq!(payload, recorded("102-listpeers-connected").answer());
        assert_eq!(replay.requests(), [("listpeers".to_owned(), json!({}))]);
    }
}
