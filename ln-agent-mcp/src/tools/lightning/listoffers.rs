//! `ln_listoffers`.

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::node::Nodes;
use crate::tools::ask::Ask;

/// Offers of a node.
#[derive(Debug)]
pub(super) struct ListOffers {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_listoffers`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListOffersArgs {
    /// Node to ask, counted from 1.
    node: NodeIndex,
}

#[async_trait::async_trait]
impl TypedTool for ListOffers {
    const NAME: &'static str = "ln_listoffers";
    const TITLE: &'static str = "Offers of a node";
    const DESCRIPTION: &'static str =
        "Lists the BOLT 12 offers a node has made: `offers[]` with offer_id, active, bolt12, used.";
    const EFFECT: Effect = Effect::Read;
    type Args = ListOffersArgs;
    type Output = Object;

    async fn call(&self, args: ListOffersArgs) -> Result<Object, ToolError> {
        Ask::new(&self.nodes, args.node).read("listoffers", json!({})).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Replay, recorded};

    #[tokio::test]
    async fn the_offers_are_the_nodes_own_answer() {
        let replay = Replay::node([recorded("239-listoffers")]);

        let payload = replay.call(ListOffers { nodes: replay.nodes() }, json!({ "node": 1 })).await.unwrap();

        assert_eq!(payload, recorded("239-listoffers").answer());
        assert_eq!(replay.requests(), [("listoffers".to_owned(), json!({}))]);
    }
}
