//! `btc_getbalance`.

use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Number, json};

use super::answer::number;
use super::wallet_name::WalletName;

use crate::node::Nodes;

/// What a wallet holds.
#[derive(Debug)]
pub(super) struct GetBalance {
    pub(super) nodes: Nodes,
}

/// Arguments of `btc_getbalance`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetBalanceArgs {
    /// Wallet to use. Default: shared-wallet.
    #[serde(default)]
    wallet: WalletName,
}

#[async_trait::async_trait]
impl TypedTool for GetBalance {
    const NAME: &'static str = "btc_getbalance";
    const TITLE: &'static str = "Wallet balance";
    const DESCRIPTION: &'static str =
        "Shows the confirmed balance of a bitcoind wallet in BTC (1 BTC = 100,000,000 sat), as a number.";
    const EFFECT: Effect = Effect::Read;
    type Args = GetBalanceArgs;
    type Output = Number;

    async fn call(&self, args: GetBalanceArgs) -> Result<Number, ToolError> {
        number(self.nodes.bitcoind("getbalance", json!([]), Some(args.wallet.as_str()), Effect::Read).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::replay::{Replay, recorded};

    #[tokio::test]
    async fn the_balance_is_a_number_in_btc() {
        let replay = Replay::start([recorded("064-getbalance")]).await;

        let payload =
            replay.call(GetBalance { nodes: replay.nodes() }, json!({ "wallet": "miner" })).await.unwrap();

        assert_eq!(payload, json!(100.0));
        assert_eq!(replay.requests(), [("/wallet/miner".to_owned(), "getbalance".to_owned(), json!([]))]);
    }

    #[tokio::test]
    async fn a_wallet_that_is_not_loaded_is_loaded_and_asked_once_more() {
        let replay = Replay::start([
            recorded("072-getnewaddress-wallet-not-found-err-18"),
            recorded("361-loadwallet"),
            recorded("064-getbalance"),
        ])
        .await;

        let payload =
            replay.call(GetBalance { nodes: replay.nodes() }, json!({ "wallet": "alice2" })).await.unwrap();

        assert_eq!(payload, json!(100.0));
        assert_eq!(
            replay.requests(),
            [
                ("/wallet/alice2".to_owned(), "getbalance".to_owned(), json!([])),
                ("/".to_owned(), "loadwallet".to_owned(), json!(["alice2"])),
                ("/wallet/alice2".to_owned(), "getbalance".to_owned(), json!([])),
            ]
        );
    }

    #[tokio::test]
    async fn a_wallet_that_does_not_exist_is_named_with_the_tool_that_makes_it() {
        let replay = Replay::start([
            recorded("072-getnewaddress-wallet-not-found-err-18"),
            recorded("052-loadwallet-not-found-err-18"),
        ])
        .await;

        let error = replay.call(GetBalance { nodes: replay.nodes() }, json!({})).await.unwrap_err();

        assert_eq!(error.message, "wallet `shared-wallet` does not exist: create it with btc_wallet_ensure");
    }
}
