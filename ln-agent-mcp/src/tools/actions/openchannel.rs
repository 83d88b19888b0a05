//! `ln_openchannel`.

use std::time::Duration;

use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use ln_agent_core::{NodeIndex, Sat};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::node::Nodes;
use crate::tools::args::{PeerId, PositiveSat};
use crate::tools::ask::{Ask, SLACK};

/// Opens a channel out of the node's on-chain money.
#[derive(Debug)]
pub(super) struct OpenChannel {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_openchannel`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenChannelArgs {
    /// Node that funds the channel, counted from 1.
    from_node: NodeIndex,
    /// The peer's node id: 66 hex digits beginning with 02 or 03 (`id` of its ln_getinfo).
    peer_id: PeerId,
    /// Size of the channel in satoshis; less than 100000 is raised to 100000.
    amount_sat: PositiveSat,
}

#[async_trait::async_trait]
impl TypedTool for OpenChannel {
    const NAME: &'static str = "ln_openchannel";
    const TITLE: &'static str = "Open a channel";
    const DESCRIPTION: &'static str = "Opens a channel to a peer, funded from the node's on-chain wallet, and \
        returns the funding txid. It is usable once the funding has confirmations (state CHANNELD_NORMAL). \
        Amounts below 100,000 sat are raised to that: see requested_sat and actual_sat.";
    const EFFECT: Effect = Effect::Spend;
    type Args = OpenChannelArgs;
    type Output = Object;

    fn budget(&self) -> Option<Duration> {
        Some(self.patience() + SLACK)
    }

    async fn call(&self, args: OpenChannelArgs) -> Result<Object, ToolError> {
        let requested = args.amount_sat.0;
        let actual = requested.max(MIN_CHANNEL);
        let params = json!({ "id": args.peer_id.as_str(), "amount": actual });
        let ask = Ask::new(&self.nodes, args.from_node).within(self.patience());
        let mut answer = ask.spend("fundchannel", params).await?;
        answer.insert("requested_sat".to_owned(), json!(requested));
        answer.insert("actual_sat".to_owned(), json!(actual));
        Ok(answer)
    }
}

impl OpenChannel {
    /// The peer has its say twice before the funding is sent.
    fn patience(&self) -> Duration {
        self.nodes.config().call_timeout * 2
    }
}

/// The least that is put into a channel.
const MIN_CHANNEL: Sat = Sat(100_000);

#[cfg(test)]
mod tests {
    use ln_agent_core::tool::ToolErrorKind;
    use serde_json::Value;

    use super::*;
    use crate::testing::{Replay, Turn, recorded};

    fn args(amount_sat: u64) -> Value {
        json!({ "from_node": 1, "peer_id": recorded("112-fundchannel").params()["id"], "amount_sat": amount_sat })
    }

    #[tokio::test]
    async fn a_channel_is_funded_with_the_amount_asked_for() {
        let turn = recorded("112-fundchannel");
        let replay = Replay::node([turn.clone()]);

        let payload = replay.call(OpenChannel { nodes: replay.nodes() }, args(1_000_000)).await.unwrap();

        let mut expected = turn.answer();
        expected["requested_sat"] = json!(1_000_000);
        expected["actual_sat"] = json!(1_000_000);
        assert_eq!(payload, expected);
        assert_eq!(replay.requests(), [("fundchannel".to_owned(), turn.params())]);
    }

    #[tokio::test]
    async fn a_small_amount_is_raised_and_both_amounts_are_told() {
        let replay = Replay::node([recorded("112-fundchannel")]);

        let payload = replay.call(OpenChannel { nodes: replay.nodes() }, args(20_000)).await.unwrap();

        assert_eq!((&payload["requested_sat"], &payload["actual_sat"]), (&json!(20_000), &json!(100_000)));
        assert_eq!(replay.requests()[0].1["amount"], json!(100_000));
    }

    #[tokio::test]
    async fn too_little_money_is_a_final_failure_with_a_remedy() {
        let replay = Replay::node([recorded("108-fundchannel-insufficient-err301")]);

        let error = replay.call(OpenChannel { nodes: replay.nodes() }, args(5_000_000)).await.unwrap_err();

        assert_eq!((error.kind, error.code), (ToolErrorKind::Failed, Some(301)));
        assert!(error.message.contains("deposit to ln_newaddr"), "{}", error.message);
    }

    #[tokio::test]
    async fn a_lost_connection_leaves_the_outcome_unknown() {
        let replay = Replay::node([Turn::hang_up()]);

        let error = replay.call(OpenChannel { nodes: replay.nodes() }, args(200_000)).await.unwrap_err();

        assert_eq!(error.kind, ToolErrorKind::Unknown);
    }
}
