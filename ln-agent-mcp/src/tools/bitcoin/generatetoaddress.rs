//! `btc_generatetoaddress`.

use std::time::Duration;

use ln_agent_core::tool::{Effect, ToolError, ToolErrorKind, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::address;
use super::answer::texts;
use crate::node::Network;
use crate::node::Nodes;

/// Makes blocks on a private chain.
#[derive(Debug)]
pub(super) struct GenerateToAddress {
    pub(super) nodes: Nodes,
}

/// Arguments of `btc_generatetoaddress`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GenerateToAddressArgs {
    /// How many blocks to mine, 1 to 2016.
    #[schemars(range(min = 1, max = 2016))]
    blocks: u32,
    /// Address of the configured network that gets the rewards.
    address: String,
}

#[async_trait::async_trait]
impl TypedTool for GenerateToAddress {
    const NAME: &'static str = "btc_generatetoaddress";
    const TITLE: &'static str = "Mine blocks";
    const DESCRIPTION: &'static str = "Mines blocks on regtest, rewarding an address; the payload is the list of block hashes. A reward can be spent after 100 more blocks.";
    const EFFECT: Effect = Effect::Write;
    const REPEATABLE: bool = true;
    type Args = GenerateToAddressArgs;
    type Output = Vec<String>;

    fn budget(&self) -> Option<Duration> {
        Some(MINING_TIME)
    }

    async fn call(&self, args: GenerateToAddressArgs) -> Result<Vec<String>, ToolError> {
        if !(1..=MAX_BLOCKS).contains(&args.blocks) {
            return Err(ToolError::invalid_argument(
                "blocks",
                &json!(args.blocks),
                "1 to 2016 blocks a call",
            ));
        }
        let network = self.nodes.config().network;
        if network != Network::Regtest {
            let message = format!("blocks cannot be mined on {network}: only on regtest");
            return Err(ToolError::new(ToolErrorKind::Refused, message));
        }
        let address = address::check("address", &args.address, network)?;
        let params = json!([args.blocks, address]);
        texts(
            self.nodes.bitcoind_within("generatetoaddress", params, None, Effect::Write, MINING_TIME).await?,
        )
    }
}

/// The most one call may mine: two weeks of blocks.
const MAX_BLOCKS: u32 = 2016;
/// What the most may take on a slow machine.
const MINING_TIME: Duration = Duration::from_secs(180);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::replay::{Replay, recorded};

    const ADDRESS: &str = "bcrt1q3e4p8yqyxagnsqyuu9ma2qx02spa28vlkqux9h";

    #[tokio::test]
    async fn the_payload_lists_the_blocks() {
        let replay = Replay::start([recorded("059-generatetoaddress-1")]).await;
        let tool = GenerateToAddress { nodes: replay.nodes() };

        let payload = replay.call(tool, json!({ "blocks": 1, "address": ADDRESS })).await.unwrap();

        assert_eq!(payload, recorded("059-generatetoaddress-1").result);
        assert_eq!(
            replay.requests(),
            [("/".to_owned(), "generatetoaddress".to_owned(), json!([1, ADDRESS]))]
        );
    }

    #[tokio::test]
    async fn more_than_2016_blocks_are_refused_not_cut() {
        let replay = Replay::start([]).await;
        let tool = GenerateToAddress { nodes: replay.nodes() };

        let error = replay.call(tool, json!({ "blocks": 2017, "address": ADDRESS })).await.unwrap_err();

        assert_eq!(error.message, "argument `blocks` was 2017: expected 1 to 2016 blocks a call");
    }
}
