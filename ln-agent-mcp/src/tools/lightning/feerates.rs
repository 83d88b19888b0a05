//! `ln_feerates`.

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::node::Nodes;
use crate::tools::ask::Ask;

/// What a node pays for on-chain transactions.
#[derive(Debug)]
pub(super) struct FeeRates {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_feerates`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FeeRatesArgs {
    /// Node to ask, counted from 1.
    node: NodeIndex,
    /// Unit of the rates: perkw (sat per 1,000 weight) or perkb (sat per 1,000 virtual bytes). Default: perkw.
    #[serde(default)]
    style: Style,
}

/// Unit of a fee rate.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
enum Style {
    #[default]
    PerKw,
    PerKb,
}

#[async_trait::async_trait]
impl TypedTool for FeeRates {
    const NAME: &'static str = "ln_feerates";
    const TITLE: &'static str = "Fee rates of a node";
    const DESCRIPTION: &'static str = "Shows the on-chain fee rates a node uses, in `perkw` or `perkb`, and what \
        opening and closing a channel costs in sat.";
    const EFFECT: Effect = Effect::Read;
    type Args = FeeRatesArgs;
    type Output = Object;

    async fn call(&self, args: FeeRatesArgs) -> Result<Object, ToolError> {
        Ask::new(&self.nodes, args.node).read("feerates", json!({ "style": args.style })).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Replay, recorded};

    #[tokio::test]
    async fn the_style_is_always_sent_and_perkw_by_default() {
        let replay = Replay::node([recorded("022-feerates-perkw"), recorded("021-feerates-perkb")]);
        let tool = || FeeRates { nodes: replay.nodes() };

        let default = replay.call(tool(), json!({ "node": 1 })).await.unwrap();
        let perkb = replay.call(tool(), json!({ "node": 1, "style": "perkb" })).await.unwrap();

        assert_eq!(default, recorded("022-feerates-perkw").answer());
        assert_eq!(perkb, recorded("021-feerates-perkb").answer());
        assert_eq!(
            replay.requests(),
            [
                ("feerates".to_owned(), json!({ "style": "perkw" })),
                ("feerates".to_owned(), json!({ "style": "perkb" })),
            ]
        );
    }
}
