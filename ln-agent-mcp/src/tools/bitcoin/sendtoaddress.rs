//! `btc_sendtoaddress`.

use ln_agent_core::tool::{Effect, ToolError, ToolErrorKind, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::address;
use super::amount::BtcAmount;
use super::answer::text;
use super::wallet_name::WalletName;
use crate::node::Network;
use crate::node::Nodes;

/// Pays an address from a wallet.
#[derive(Debug)]
pub(super) struct SendToAddress {
    pub(super) nodes: Nodes,
}

/// Arguments of `btc_sendtoaddress`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SendToAddressArgs {
    /// Address to pay, of the configured network.
    address: String,
    /// Amount in BTC as a decimal string above 0 with at most 8 places, as in 0.001 (1 BTC = 100,000,000 sat).
    amount_btc: BtcAmount,
    /// Wallet to use. Default: shared-wallet.
    #[serde(default)]
    wallet: WalletName,
}

#[async_trait::async_trait]
impl TypedTool for SendToAddress {
    const NAME: &'static str = "btc_sendtoaddress";
    const TITLE: &'static str = "Send on-chain";
    const DESCRIPTION: &'static str = "Sends bitcoin on-chain from a bitcoind wallet; the payload is the transaction id. It confirms with the next blocks.";
    const EFFECT: Effect = Effect::Spend;
    type Args = SendToAddressArgs;
    type Output = String;

    async fn call(&self, args: SendToAddressArgs) -> Result<String, ToolError> {
        let network = self.nodes.config().network;
        let address = address::check("address", &args.address, network)?;
        let mut params = json!({ "address": address, "amount": args.amount_btc.0.to_btc_string() });
        let wallet = Some(args.wallet.as_str());
        let mut sent = self.nodes.bitcoind("sendtoaddress", params.clone(), wallet, Effect::Spend).await;
        if network == Network::Regtest && sent.as_ref().is_err_and(no_fee_estimate) {
            params["fee_rate"] = json!(REGTEST_FEE_RATE);
            sent = self.nodes.bitcoind("sendtoaddress", params, wallet, Effect::Spend).await;
        }
        text(sent?)
    }
}

/// In sat per vbyte: what bitcoind's own `fallbackfee=0.0002` would give.
const REGTEST_FEE_RATE: u32 = 20;
/// bitcoind's code when it could make no transaction; nothing was sent.
const NOT_CREATED: i64 = -6;

fn no_fee_estimate(error: &ToolError) -> bool {
    error.kind == ToolErrorKind::Failed
        && error.code == Some(NOT_CREATED)
        && error.message.contains("Fee estimation failed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::replay::{Replay, recorded};

    const ADDRESS: &str = "bcrt1qz65v5vtsllul2wlw0srs8tg6c5lmd75k4ykrj0";

    #[tokio::test]
    async fn the_amount_is_sent_as_an_exact_decimal() {
        let replay = Replay::start([recorded("099-sendtoaddress")]).await;
        let tool = SendToAddress { nodes: replay.nodes() };

        let args = json!({ "address": ADDRESS, "amount_btc": "1.5", "wallet": "miner" });
        let payload = replay.call(tool, args).await.unwrap();

        assert_eq!(payload, recorded("099-sendtoaddress").result);
        let params = json!({ "address": ADDRESS, "amount": "1.50000000" });
        assert_eq!(replay.requests(), [("/wallet/miner".to_owned(), "sendtoaddress".to_owned(), params)]);
    }

    #[tokio::test]
    async fn too_little_money_is_a_final_failure() {
        let replay = Replay::start([recorded("104-sendtoaddress-insufficient-err-6")]).await;
        let tool = SendToAddress { nodes: replay.nodes() };

        let error = replay.call(tool, json!({ "address": ADDRESS, "amount_btc": 99999 })).await.unwrap_err();

        assert_eq!((error.kind, error.code), (ToolErrorKind::Failed, Some(-6)));
    }

    #[tokio::test]
    async fn a_foreign_address_and_a_bad_amount_are_refused_before_anything_is_sent() {
        let replay = Replay::start([]).await;
        for (address, amount, named) in [
            ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", json!("1"), "`address`"),
            (ADDRESS, json!("0.000000001"), "`amount_btc`"),
            (ADDRESS, json!("0"), "`amount_btc`"),
            (ADDRESS, json!("all"), "`amount_btc`"),
        ] {
            let tool = SendToAddress { nodes: replay.nodes() };

            let error =
                replay.call(tool, json!({ "address": address, "amount_btc": amount })).await.unwrap_err();

            assert_eq!(error.kind, ToolErrorKind::InvalidArguments, "{}", error.message);
            assert!(error.message.contains(named), "{}", error.message);
        }
        assert!(replay.requests().is_empty());
    }

    #[tokio::test]
    async fn an_answer_that_never_comes_is_an_unknown_outcome() {
        let replay = Replay::start([crate::node::replay::HANG_UP]).await;
        let tool = SendToAddress { nodes: replay.nodes() };

        let error = replay.call(tool, json!({ "address": ADDRESS, "amount_btc": "1" })).await.unwrap_err();

        assert_eq!(error.kind, ToolErrorKind::Unknown);
    }
}
