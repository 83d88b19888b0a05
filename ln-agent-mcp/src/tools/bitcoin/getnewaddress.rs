//! `btc_getnewaddress`.

use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::answer::text;
use super::wallet_name::WalletName;

use crate::node::Nodes;

/// A fresh address to receive on.
#[derive(Debug)]
pub(super) struct GetNewAddress {
    pub(super) nodes: Nodes,
}

/// Arguments of `btc_getnewaddress`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetNewAddressArgs {
    /// Wallet to use. Default: shared-wallet.
    #[serde(default)]
    wallet: WalletName,
}

#[async_trait::async_trait]
impl TypedTool for GetNewAddress {
    const NAME: &'static str = "btc_getnewaddress";
    const TITLE: &'static str = "New address";
    const DESCRIPTION: &'static str =
        "Makes a fresh taproot (bech32m) address of a bitcoind wallet; the payload is the address.";
    const EFFECT: Effect = Effect::Write;
    const REPEATABLE: bool = true;
    type Args = GetNewAddressArgs;
    type Output = String;

    async fn call(&self, args: GetNewAddressArgs) -> Result<String, ToolError> {
        let wallet = Some(args.wallet.as_str());
        text(self.nodes.bitcoind("getnewaddress", json!(["", "bech32m"]), wallet, Effect::Write).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::replay::{Replay, recorded};

    #[tokio::test]
    async fn the_payload_is_a_bech32m_address() {
        let replay = Replay::start([recorded("076-getnewaddress-bech32m")]).await;

        let payload = replay.call(GetNewAddress { nodes: replay.nodes() }, json!({})).await.unwrap();

        assert_eq!(payload, json!("bcrt1p8xse480x7tfd4etttydgptgkpezrmgeqfg235awl2saw7psslh9st0famn"));
        let asked = ("/wallet/shared-wallet".to_owned(), "getnewaddress".to_owned(), json!(["", "bech32m"]));
        assert_eq!(replay.requests(), [asked]);
    }
}
