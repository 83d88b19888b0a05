//! `ln_listchannels`.

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::node::Nodes;
use crate::tools::ask::Ask;

/// A node's own channels.
#[derive(Debug)]
pub(super) struct ListChannels {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_listchannels`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListChannelsArgs {
    /// Node to ask, counted from 1.
    node: NodeIndex,
}

#[async_trait::async_trait]
impl TypedTool for ListChannels {
    const NAME: &'static str = "ln_listchannels";
    const TITLE: &'static str = "Channels of a node";
    const DESCRIPTION: &'static str = "Lists a node's own channels: `channels[]` with peer_id, state \
        (CHANNELD_NORMAL is usable), short_channel_id, channel_id, and in msat to_us_msat, total_msat, \
        spendable_msat, receivable_msat. Each has `our_share_percent`: the whole percent of the channel's money \
        that is ours, rounded down.";
    const EFFECT: Effect = Effect::Read;
    type Args = ListChannelsArgs;
    type Output = Object;

    async fn call(&self, args: ListChannelsArgs) -> Result<Object, ToolError> {
        let mut answer = Ask::new(&self.nodes, args.node).read("listpeerchannels", json!({})).await?;
        let channels = answer.get_mut("channels").and_then(Value::as_array_mut);
        for channel in channels.into_iter().flatten().filter_map(Value::as_object_mut) {
            if let Some(percent) = our_share_percent(channel) {
                channel.insert("our_share_percent".to_owned(), percent.into());
            }
        }
        Ok(answer)
    }
}

/// 100 · to_us_msat / total_msat, rounded down; `None` while the channel has no money yet.
fn our_share_percent(channel: &Object) -> Option<u64> {
    let msat = |key| crate::tools::msat::read(channel.get(key)?);
    let (ours, total) = (msat("to_us_msat")?, msat("total_msat")?);
    let percent = (u128::from(ours.0) * 100).checked_div(u128::from(total.0))?;
    u64::try_from(percent).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Replay, recorded};

    #[tokio::test]
    async fn channels_come_from_listpeerchannels_with_our_share_added() {
        let replay = Replay::node([recorded("177-listpeerchannels-after-pay")]);

        let payload =
            replay.call(ListChannels { nodes: replay.nodes() }, json!({ "node": 1 })).await.unwrap();

        let mut expected = recorded("177-listpeerchannels-after-pay").answer();
        expected["channels"][0]["our_share_percent"] = json!(98);
        assert_eq!(payload, expected);
        assert_eq!(replay.requests(), [("listpeerchannels".to_owned(), json!({}))]);
    }

    #[test]
    fn a_share_is_rounded_down_and_absent_without_a_total() {
        let share = |value: Value| our_share_percent(value.as_object().unwrap());

        assert_eq!(share(json!({ "to_us_msat": 99_999, "total_msat": 100_000 })), Some(99));
        assert_eq!(share(json!({ "to_us_msat": "1msat", "total_msat": "3msat" })), Some(33));
        assert_eq!(share(json!({ "to_us_msat": 0, "total_msat": 0 })), None);
        assert_eq!(share(json!({ "state": "OPENINGD" })), None);
        assert_eq!(share(json!({ "to_us_msat": u64::MAX, "total_msat": u64::MAX })), Some(100));
    }
}
