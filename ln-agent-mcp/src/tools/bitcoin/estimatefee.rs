//! `btc_estimatefee`.

use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::answer::object;

use crate::node::Nodes;

/// What a transaction should pay.
#[derive(Debug)]
pub(super) struct EstimateFee {
    pub(super) nodes: Nodes,
}

/// Arguments of `btc_estimatefee`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EstimateFeeArgs {
    /// Wanted number of blocks until confirmation, 1 to 1008. Default: 6.
    #[serde(default = "six")]
    #[schemars(range(min = 1, max = 1008))]
    conf_target: u32,
}

#[async_trait::async_trait]
impl TypedTool for EstimateFee {
    const NAME: &'static str = "btc_estimatefee";
    const TITLE: &'static str = "Fee estimate";
    const DESCRIPTION: &'static str = "Estimates the fee rate in BTC per 1,000 vbytes for confirmation within conf_target blocks; feerate is -1 where there is no estimate, as on a fresh regtest.";
    const EFFECT: Effect = Effect::Read;
    type Args = EstimateFeeArgs;
    type Output = Object;

    async fn call(&self, args: EstimateFeeArgs) -> Result<Object, ToolError> {
        if !(1..=1008).contains(&args.conf_target) {
            return Err(ToolError::invalid_argument(
                "conf_target",
                &json!(args.conf_target),
                "1 to 1008 blocks",
            ));
        }
        let params = json!([args.conf_target]);
        let mut estimate =
            object(self.nodes.bitcoind("estimatesmartfee", params, None, Effect::Read).await?)?;
        estimate.entry("feerate").or_insert_with(|| json!(-1));
        Ok(estimate)
    }
}

const fn six() -> u32 {
    6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::replay::{Replay, recorded};

    #[tokio::test]
    async fn no_estimate_is_a_feerate_of_minus_one() {
        let replay = Replay::start([recorded("265-estimatesmartfee")]).await;

        let payload = replay.call(EstimateFee { nodes: replay.nodes() }, json!({})).await.unwrap();

        let expected =
            json!({ "errors": ["Insufficient data or no feerate found"], "blocks": 1, "feerate": -1 });
        assert_eq!(payload, expected);
        assert_eq!(replay.requests(), [("/".to_owned(), "estimatesmartfee".to_owned(), json!([6]))]);
    }
}
