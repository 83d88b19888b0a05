//! `ln_withdraw`.

use std::time::Duration;

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::node::Nodes;
use crate::tools::args::SatOrAll;
use crate::tools::ask::{Ask, SLACK};
use crate::tools::bitcoin::address;

/// Sends a node's on-chain money to an address.
#[derive(Debug)]
pub(super) struct Withdraw {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_withdraw`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WithdrawArgs {
    /// Node whose on-chain wallet pays, counted from 1.
    node: NodeIndex,
    /// Bitcoin address of the node's network (on regtest bcrt1…, 2…, m… or n…).
    destination: String,
    /// Amount in satoshis, at least 1; or "all" for everything less the fee.
    amount_sat: SatOrAll,
}

#[async_trait::async_trait]
impl TypedTool for Withdraw {
    const NAME: &'static str = "ln_withdraw";
    const TITLE: &'static str = "Withdraw on-chain money";
    const DESCRIPTION: &'static str = "Sends money from a Lightning node's on-chain wallet (not its channels) to a \
        Bitcoin address. Returns txid and tx. It cannot be taken back.";
    const EFFECT: Effect = Effect::Spend;
    type Args = WithdrawArgs;
    type Output = Object;

    fn budget(&self) -> Option<Duration> {
        Some(self.nodes.config().call_timeout + SLACK)
    }

    async fn call(&self, args: WithdrawArgs) -> Result<Object, ToolError> {
        let destination = address::check("destination", &args.destination, self.nodes.config().network)?;
        let satoshi = match args.amount_sat {
            SatOrAll::All => json!("all"),
            SatOrAll::Fixed(amount) => json!(amount.0),
        };
        let params = json!({ "destination": destination, "satoshi": satoshi });
        Ask::new(&self.nodes, args.node).spend("withdraw", params).await
    }
}

#[cfg(test)]
mod tests {
    use ln_agent_core::tool::ToolErrorKind;
    use serde_json::Value;

    use super::*;
    use crate::testing::{Replay, Turn, recorded};

    async fn withdraw(
        turn: Turn,
        destination: &Value,
        amount: Value,
    ) -> (Result<Value, ToolError>, Vec<(String, Value)>) {
        let replay = Replay::node([turn]);
        let args = json!({ "node": 1, "destination": destination, "amount_sat": amount });
        let outcome = replay.call(Withdraw { nodes: replay.nodes() }, args).await;
        (outcome, replay.requests())
    }

    #[tokio::test]
    async fn an_amount_or_everything_is_sent() {
        for (name, amount) in [("319-withdraw", json!(50_000)), ("453-withdraw-all", json!("all"))] {
            let turn = recorded(name);

            let (payload, requests) = withdraw(turn.clone(), &turn.params()["destination"], amount).await;

            assert_eq!(payload, Ok(turn.answer()));
            assert_eq!(requests, [("withdraw".to_owned(), turn.params())]);
        }
    }

    #[tokio::test]
    async fn addresses_of_other_networks_are_refused_before_the_node_sees_them() {
        for address in
            ["bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "tb1qabcdefghijklm", "bcrt1", "", "--help"]
        {
            let (outcome, requests) = withdraw(Turn::hang_up(), &json!(address), json!(1_000)).await;

            let error = outcome.unwrap_err();
            assert_eq!(error.kind, ToolErrorKind::InvalidArguments);
            assert!(
                error.message.contains("expected a regtest address, beginning with bcrt1, 2, m or n"),
                "{error}"
            );
            assert_eq!(requests, []);
        }
    }

    #[tokio::test]
    async fn too_little_money_fails_and_a_lost_connection_is_unknown() {
        let address = recorded("319-withdraw").params()["destination"].clone();

        let (poor, _) = withdraw(recorded("322-withdraw-insufficient-err301"), &address, json!(1_000)).await;
        let (lost, _) = withdraw(Turn::hang_up(), &address, json!(1_000)).await;

        let poor = poor.unwrap_err();
        assert_eq!((poor.kind, poor.code), (ToolErrorKind::Failed, Some(301)));
        assert_eq!(lost.unwrap_err().kind, ToolErrorKind::Unknown);
    }
}
