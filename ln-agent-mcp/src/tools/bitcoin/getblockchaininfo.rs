//! `btc_getblockchaininfo`.

use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::answer::object;

use crate::node::Nodes;

/// The state of the chain.
#[derive(Debug)]
pub(super) struct GetBlockchainInfo {
    pub(super) nodes: Nodes,
}

/// Arguments of `btc_getblockchaininfo`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetBlockchainInfoArgs {}

#[async_trait::async_trait]
impl TypedTool for GetBlockchainInfo {
    const NAME: &'static str = "btc_getblockchaininfo";
    const TITLE: &'static str = "Chain state";
    const DESCRIPTION: &'static str = "Shows the chain: network (chain), height (blocks), headers, best block hash, sync progress (verificationprogress, 0 to 1) and chainwork.";
    const EFFECT: Effect = Effect::Read;
    type Args = GetBlockchainInfoArgs;
    type Output = Object;

    async fn call(&self, _args: GetBlockchainInfoArgs) -> Result<Object, ToolError> {
        object(self.nodes.bitcoind("getblockchaininfo", json!([]), None, Effect::Read).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::replay::{Replay, recorded};

    #[tokio::test]
    async fn the_payload_is_bitcoinds_own_answer() {
        let replay = Replay::start([recorded("170-getblockchaininfo")]).await;

        let payload = replay.call(GetBlockchainInfo { nodes: replay.nodes() }, json!({})).await.unwrap();

        assert_eq!(payload, recorded("170-getblockchaininfo").result);
        assert_eq!(replay.requests(), [("/".to_owned(), "getblockchaininfo".to_owned(), json!([]))]);
    }
}
