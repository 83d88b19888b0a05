//! `ln_closechannel`.

use std::time::Duration;

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::node::Nodes;
use crate::tools::args::ChannelRef;
use crate::tools::ask::{Ask, SLACK};

/// Closes a channel.
#[derive(Debug)]
pub(super) struct CloseChannel {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_closechannel`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CloseChannelArgs {
    /// Node that closes, counted from 1.
    from_node: NodeIndex,
    /// The peer's node id; or, where there are several channels with that peer, a channel_id or short_channel_id.
    peer_id: ChannelRef,
    /// Seconds to wait for the peer to agree before closing alone, 1 to 300. Default: the command timeout (30).
    unilateral_timeout: Option<u64>,
}

#[async_trait::async_trait]
impl TypedTool for CloseChannel {
    const NAME: &'static str = "ln_closechannel";
    const TITLE: &'static str = "Close a channel";
    const DESCRIPTION: &'static str = "Closes a channel together with the peer, or alone when the peer does not \
        agree in time. Returns type (mutual, unilateral, unopened) and txids[]. The money arrives on chain once \
        those confirm.";
    const EFFECT: Effect = Effect::Write;
    type Args = CloseChannelArgs;
    type Output = Object;

    fn budget(&self) -> Option<Duration> {
        Some(Duration::from_secs(MAX_WAIT_SECS) + self.nodes.config().call_timeout + SLACK)
    }

    async fn call(&self, args: CloseChannelArgs) -> Result<Object, ToolError> {
        let command = self.nodes.config().call_timeout;
        // lightningd's own default is two days, and 0 means for ever.
        let wait = args.unilateral_timeout.unwrap_or_else(|| command.as_secs().clamp(1, MAX_WAIT_SECS));
        if !(1..=MAX_WAIT_SECS).contains(&wait) {
            let expected = format!("seconds from 1 to {MAX_WAIT_SECS}");
            return Err(ToolError::invalid_argument("unilateral_timeout", &json!(wait), &expected));
        }
        let params = json!({ "id": args.peer_id.as_str(), "unilateraltimeout": wait });
        let ask = Ask::new(&self.nodes, args.from_node).within(Duration::from_secs(wait) + command);
        let mut answer = ask.write("close", params).await?;
        // Older nodes name one transaction only.
        if let (None, Some(txid)) = (answer.get("txids"), answer.get("txid").cloned()) {
            answer.insert("txids".to_owned(), json!([txid]));
        }
        Ok(answer)
    }
}

/// The longest the peer may be waited for, in seconds.
const MAX_WAIT_SECS: u64 = 300;

#[cfg(test)]
mod tests {
    use ln_agent_core::tool::ToolErrorKind;
    use serde_json::Value;

    use super::*;
    use crate::testing::{Replay, Turn, recorded};

    async fn close(turn: Turn, args: Value) -> (Result<Value, ToolError>, Vec<(String, Value)>) {
        let replay = Replay::node([turn]);
        let outcome = replay.call(CloseChannel { nodes: replay.nodes() }, args).await;
        (outcome, replay.requests())
    }

    #[tokio::test]
    async fn the_wait_for_the_peer_is_bounded_by_default() {
        let turn = recorded("415-close-mutual");

        let (payload, requests) = close(turn.clone(), json!({ "from_node": 1, "peer_id": "122x1x0" })).await;

        assert_eq!(payload, Ok(turn.answer()));
        assert_eq!(requests, [("close".to_owned(), json!({ "id": "122x1x0", "unilateraltimeout": 30 }))]);
    }

    #[tokio::test]
    async fn a_given_wait_is_passed_on() {
        let turn = recorded("445-close-unilateral");
        let args = json!({ "from_node": 1, "peer_id": turn.params()["id"], "unilateral_timeout": 2 });

        let (payload, requests) = close(turn.clone(), args).await;

        assert_eq!(payload, Ok(turn.answer()));
        assert_eq!(requests, [("close".to_owned(), turn.params())]);
    }

    #[tokio::test]
    async fn waiting_for_ever_is_refused() {
        let args = json!({ "from_node": 1, "peer_id": "122x1x0", "unilateral_timeout": 0 });

        let (outcome, requests) = close(Turn::hang_up(), args).await;

        let message = "argument `unilateral_timeout` was 0: expected seconds from 1 to 300";
        assert_eq!(outcome, Err(ToolError::new(ToolErrorKind::InvalidArguments, message)));
        assert_eq!(requests, []);
    }

    #[tokio::test]
    async fn the_single_txid_of_an_older_node_becomes_a_list() {
        let old = Turn::result(json!({ "txid": "ab", "type": "mutual" }));

        let (payload, _) = close(old, json!({ "from_node": 1, "peer_id": "122x1x0" })).await;

        assert_eq!(payload, Ok(json!({ "txid": "ab", "type": "mutual", "txids": ["ab"] })));
    }
}
