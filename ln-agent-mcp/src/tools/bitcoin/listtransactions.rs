//! `btc_listtransactions`.

use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::answer::objects;
use super::wallet_name::WalletName;

use crate::node::Nodes;

/// The latest transactions of a wallet.
#[derive(Debug)]
pub(super) struct ListTransactions {
    pub(super) nodes: Nodes,
}

/// Arguments of `btc_listtransactions`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListTransactionsArgs {
    /// Wallet to use. Default: shared-wallet.
    #[serde(default)]
    wallet: WalletName,
    /// How many to list, 1 to 1000. Default: 10.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 1000))]
    count: u32,
}

#[async_trait::async_trait]
impl TypedTool for ListTransactions {
    const NAME: &'static str = "btc_listtransactions";
    const TITLE: &'static str = "Wallet transactions";
    const DESCRIPTION: &'static str = "Lists the latest transactions of a bitcoind wallet, newest last: txid, amount in BTC (negative when sent), category, confirmations, address.";
    const EFFECT: Effect = Effect::Read;
    type Args = ListTransactionsArgs;
    type Output = Vec<Object>;

    async fn call(&self, args: ListTransactionsArgs) -> Result<Vec<Object>, ToolError> {
        if !(1..=1000).contains(&args.count) {
            return Err(ToolError::invalid_argument("count", &json!(args.count), "1 to 1000"));
        }
        let params = json!(["*", args.count]);
        let wallet = Some(args.wallet.as_str());
        objects(self.nodes.bitcoind("listtransactions", params, wallet, Effect::Read).await?)
    }
}

const fn ten() -> u32 {
    10
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::replay::{Replay, recorded};

    #[tokio::test]
    async fn the_list_is_bitcoinds_own_and_its_length_is_asked_for() {
        let replay = Replay::start([recorded("149-listtransactions-miner-3")]).await;
        let tool = ListTransactions { nodes: replay.nodes() };

        let payload = replay.call(tool, json!({ "wallet": "miner", "count": 3 })).await.unwrap();

        assert_eq!(payload, recorded("149-listtransactions-miner-3").result);
        let asked = ("/wallet/miner".to_owned(), "listtransactions".to_owned(), json!(["*", 3]));
        assert_eq!(replay.requests(), [asked]);
    }

    #[tokio::test]
    async fn a_count_out_of_range_is_refused_before_anything_is_sent() {
        let replay = Replay::start([]).await;
        let tool = ListTransactions { nodes: replay.nodes() };

        let error = replay.call(tool, json!({ "count": 0 })).await.unwrap_err();

        assert_eq!(error.message, "argument `count` was 0: expected 1 to 1000");
        assert!(replay.requests().is_empty());
    }
}
