//! `ln_listtransactions`.

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::node::Nodes;
use crate::tools::ask::Ask;

/// Transactions of a node.
#[derive(Debug)]
pub(super) struct ListTransactions {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_listtransactions`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListTransactionsArgs {
    /// Node to ask, counted from 1.
    node: NodeIndex,
}

#[async_trait::async_trait]
impl TypedTool for ListTransactions {
    const NAME: &'static str = "ln_listtransactions";
    const TITLE: &'static str = "Transactions of a node";
    const DESCRIPTION: &'static str = "Lists the on-chain transactions a node has seen of its own wallet and channels: `transactions[]` with hash, blockheight, inputs, outputs.";
    const EFFECT: Effect = Effect::Read;
    type Args = ListTransactionsArgs;
    type Output = Object;

    async fn call(&self, args: ListTransactionsArgs) -> Result<Object, ToolError> {
        Ask::new(&self.nodes, args.node).read("listtransactions", json!({})).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Replay, recorded};

    #[tokio::test]
    async fn the_transactions_are_the_nodes_own_answer() {
        let replay = Replay::node([recorded("097-listtransactions-funded")]);

        let payload =
            replay.call(ListTransactions { nodes: replay.nodes() }, json!({ "node": 1 })).await.unwrap();

        assert_eq!(payload, recorded("097-listtransactions-funded").answer());
        assert_eq!(replay.requests(), [("listtransactions".to_owned(), json!({}))]);
    }
}
