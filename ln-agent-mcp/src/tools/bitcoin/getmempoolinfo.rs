//! `btc_getmempoolinfo`.

use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::answer::object;

use crate::node::Nodes;

/// The transactions that wait for a block.
#[derive(Debug)]
pub(super) struct GetMempoolInfo {
    pub(super) nodes: Nodes,
}

/// Arguments of `btc_getmempoolinfo`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetMempoolInfoArgs {}

#[async_trait::async_trait]
impl TypedTool for GetMempoolInfo {
    const NAME: &'static str = "btc_getmempoolinfo";
    const TITLE: &'static str = "Mempool";
    const DESCRIPTION: &'static str = "Shows the mempool: number of transactions (size), their virtual bytes (bytes), and the limit in bytes (maxmempool); fee rates in BTC per 1,000 vbytes.";
    const EFFECT: Effect = Effect::Read;
    type Args = GetMempoolInfoArgs;
    type Output = Object;

    async fn call(&self, _args: GetMempoolInfoArgs) -> Result<Object, ToolError> {
        object(self.nodes.bitcoind("getmempoolinfo", json!([]), None, Effect::Read).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::replay::{Replay, recorded};

    #[tokio::test]
    async fn the_payload_is_bitcoinds_own_answer() {
        let replay = Replay::start([recorded("119-getmempoolinfo")]).await;

        let payload = replay.call(GetMempoolInfo { nodes: replay.nodes() }, json!({})).await.unwrap();

        assert_eq!(payload, recorded("119-getmempoolinfo").result);
        assert_eq!(replay.requests(), [("/".to_owned(), "getmempoolinfo".to_owned(), json!([]))]);
    }
}
