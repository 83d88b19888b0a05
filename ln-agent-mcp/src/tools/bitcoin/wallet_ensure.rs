//! `btc_wallet_ensure`.

use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::wallet_name::WalletName;

use crate::node::Nodes;

/// Makes sure that a wallet is there.
#[derive(Debug)]
pub(super) struct WalletEnsure {
    pub(super) nodes: Nodes,
}

/// Arguments of `btc_wallet_ensure`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WalletEnsureArgs {
    /// Wallet to create or load: 1 to 64 letters, digits, - _ or . characters.
    wallet_name: WalletName,
}

#[async_trait::async_trait]
impl TypedTool for WalletEnsure {
    const NAME: &'static str = "btc_wallet_ensure";
    const TITLE: &'static str = "Ensure a wallet";
    const DESCRIPTION: &'static str = "Makes sure a bitcoind wallet exists and is loaded: creates or loads it if need be. Doing it again changes nothing.";
    const EFFECT: Effect = Effect::Write;
    const IDEMPOTENT: bool = true;
    type Args = WalletEnsureArgs;
    type Output = Ensured;

    async fn call(&self, args: WalletEnsureArgs) -> Result<Ensured, ToolError> {
        let wallet = args.wallet_name;
        let name = wallet.as_str();
        let loaded = self.nodes.bitcoind("listwallets", json!([]), None, Effect::Read).await?;
        if loaded.as_array().is_some_and(|all| all.iter().any(|known| known == name)) {
            return Ok(Ensured { wallet, ensured: true, created: false });
        }
        let on_disk = self.nodes.bitcoind("listwalletdir", json!([]), None, Effect::Read).await?;
        let known = on_disk["wallets"].as_array();
        if known.is_some_and(|all| all.iter().any(|known| known["name"] == name)) {
            self.load(name).await?;
            return Ok(Ensured { wallet, ensured: true, created: false });
        }
        let params = json!({ "wallet_name": name });
        match self.nodes.bitcoind("createwallet", params, None, Effect::Write).await {
            Ok(_) => Ok(Ensured { wallet, ensured: true, created: true }),
            // Somebody else made it in between.
            Err(error) if error.code == Some(WALLET_ERROR) && error.message.contains("already exists") => {
                self.load(name).await?;
                Ok(Ensured { wallet, ensured: true, created: false })
            }
            Err(error) => Err(error),
        }
    }
}

impl WalletEnsure {
    async fn load(&self, name: &str) -> Result<(), ToolError> {
        match self.nodes.bitcoind("loadwallet", json!([name]), None, Effect::Write).await {
            Err(error) if error.code != Some(ALREADY_LOADED) => Err(error),
            _ => Ok(()),
        }
    }
}

/// Payload of `btc_wallet_ensure`.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Ensured {
    /// The wallet.
    wallet: WalletName,
    /// It exists and is loaded; always true.
    ensured: bool,
    /// It did not exist before.
    created: bool,
}

const WALLET_ERROR: i64 = -4;
const ALREADY_LOADED: i64 = -35;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::replay::{Replay, recorded};

    #[tokio::test]
    async fn a_missing_wallet_is_created() {
        let replay = Replay::start([
            recorded("047-listwallets-none"),
            recorded("048-listwalletdir-none"),
            recorded("049-createwallet"),
        ])
        .await;
        let tool = WalletEnsure { nodes: replay.nodes() };

        let payload = replay.call(tool, json!({ "wallet_name": "miner" })).await.unwrap();

        assert_eq!(payload, json!({ "wallet": "miner", "ensured": true, "created": true }));
        let methods: Vec<String> = replay.requests().into_iter().map(|(_, method, _)| method).collect();
        assert_eq!(methods, ["listwallets", "listwalletdir", "createwallet"]);
    }

    #[tokio::test]
    async fn a_loaded_wallet_is_left_alone() {
        let replay = Replay::start([recorded("055-listwallets")]).await;
        let tool = WalletEnsure { nodes: replay.nodes() };

        let payload = replay.call(tool, json!({ "wallet_name": "miner" })).await.unwrap();

        assert_eq!(payload, json!({ "wallet": "miner", "ensured": true, "created": false }));
    }

    #[tokio::test]
    async fn a_wallet_on_disk_is_loaded() {
        let replay = Replay::start([
            recorded("047-listwallets-none"),
            recorded("068-listwalletdir"),
            recorded("051-loadwallet-already-loaded-err-35"),
        ])
        .await;
        let tool = WalletEnsure { nodes: replay.nodes() };

        let payload = replay.call(tool, json!({ "wallet_name": "miner" })).await.unwrap();

        assert_eq!(payload, json!({ "wallet": "miner", "ensured": true, "created": false }));
    }
}
