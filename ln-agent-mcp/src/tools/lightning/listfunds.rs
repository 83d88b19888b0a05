//! `ln_listfunds`.

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::node::Nodes;
use crate::tools::ask::Ask;

/// Funds of a node.
#[derive(Debug)]
pub(super) struct ListFunds {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_listfunds`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListFundsArgs {
    /// Node to ask, counted from 1.
    node: NodeIndex,
}

#[async_trait::async_trait]
impl TypedTool for ListFunds {
    const NAME: &'static str = "ln_listfunds";
    const TITLE: &'static str = "Funds of a node";
    const DESCRIPTION: &'static str =
        "Lists a node's money: on-chain `outputs` and `channels`, with amounts in msat.";
    const EFFECT: Effect = Effect::Read;
    type Args = ListFundsArgs;
    type Output = Object;

    async fn call(&self, args: ListFundsArgs) -> Result<Object, ToolError> {
        Ask::new(&self.nodes, args.node).read("listfunds", json!({})).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Replay, recorded};

    #[tokio::test]
    async fn the_funds_are_the_nodes_own_answer() {
        let replay = Replay::node([recorded("126-listfunds-normal")]);

        let payload = replay.call(ListFunds { nodes: replay.nodes() }, json!({ "node": 1 })).await.unwrap();

        assert_eq!(payload, recorded("126-listfunds-normal").answer());
        assert_eq!(replay.requests(), [("listfunds".to_owned(), json!({}))]);
    }
}
