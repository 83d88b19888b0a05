//! `btc_gettransaction`.

use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::answer::object;
use super::wallet_name::WalletName;

use crate::node::Nodes;

/// One transaction of a wallet.
#[derive(Debug)]
pub(super) struct GetTransaction {
    pub(super) nodes: Nodes,
}

/// Arguments of `btc_gettransaction`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetTransactionArgs {
    /// Transaction id: 64 hexadecimal digits.
    txid: String,
    /// Wallet to use. Default: shared-wallet.
    #[serde(default)]
    wallet: WalletName,
}

#[async_trait::async_trait]
impl TypedTool for GetTransaction {
    const NAME: &'static str = "btc_gettransaction";
    const TITLE: &'static str = "Wallet transaction";
    const DESCRIPTION: &'static str = "Shows one transaction of a bitcoind wallet: amount and fee in BTC, confirmations, block hash, raw hex.";
    const EFFECT: Effect = Effect::Read;
    type Args = GetTransactionArgs;
    type Output = Object;

    async fn call(&self, args: GetTransactionArgs) -> Result<Object, ToolError> {
        let txid = args.txid.trim();
        if txid.len() != 64 || !txid.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(ToolError::invalid_argument("txid", &json!(args.txid), "64 hexadecimal digits"));
        }
        let params = json!([txid.to_ascii_lowercase()]);
        let wallet = Some(args.wallet.as_str());
        object(self.nodes.bitcoind("gettransaction", params, wallet, Effect::Read).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::replay::{Replay, recorded};

    #[tokio::test]
    async fn a_transaction_is_bitcoinds_own_answer() {
        let replay = Replay::start([recorded("138-gettransaction-confirmed-receive")]).await;
        let txid = "ea6d033efe658a012f07dfc5238d63ab1c93df9f44378b3efd7679c3c8c3bb0e";
        let tool = GetTransaction { nodes: replay.nodes() };

        let payload = replay.call(tool, json!({ "txid": txid, "wallet": "alice" })).await.unwrap();

        assert_eq!(payload, recorded("138-gettransaction-confirmed-receive").result);
    }

    #[tokio::test]
    async fn an_unknown_transaction_is_bitcoinds_refusal_with_its_code() {
        let replay = Replay::start([recorded("141-gettransaction-err-5")]).await;
        let tool = GetTransaction { nodes: replay.nodes() };

        let error = replay.call(tool, json!({ "txid": "0".repeat(64) })).await.unwrap_err();

        assert_eq!(error.code, Some(-5));
        assert_eq!(
            error.message,
            "bitcoind refused gettransaction: Invalid or non-wallet transaction id (code -5)"
        );
    }

    #[tokio::test]
    async fn a_text_that_is_no_txid_is_refused_before_anything_is_sent() {
        let replay = Replay::start([]).await;
        let tool = GetTransaction { nodes: replay.nodes() };

        let error = replay.call(tool, json!({ "txid": "zz" })).await.unwrap_err();

        assert_eq!(error.message, "argument `txid` was \"zz\": expected 64 hexadecimal digits");
        assert!(replay.requests().is_empty());
    }
}
