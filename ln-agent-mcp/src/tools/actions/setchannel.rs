//! `ln_setchannel`.

use ln_agent_core::tool::{Effect, ToolError, ToolErrorKind, TypedTool};
use ln_agent_core::types::Object;
use ln_agent_core::{Msat, NodeIndex};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::node::Nodes;
use crate::tools::args::ChannelRef;
use crate::tools::ask::Ask;

/// Sets a channel's fees and limits for forwarding.
#[derive(Debug)]
pub(super) struct SetChannel {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_setchannel`; at least one of feebase, feeppm, htlcmin and htlcmax.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SetChannelArgs {
    /// Node whose channel it is, counted from 1.
    node: NodeIndex,
    /// The peer's node id, a channel_id or a short_channel_id.
    peer_id: ChannelRef,
    /// Fee per forward, in millisatoshis. Default: unchanged.
    feebase: Option<Msat>,
    /// Fee in millionths of the forwarded amount. Default: unchanged.
    feeppm: Option<u32>,
    /// Smallest forward, in millisatoshis. Default: unchanged.
    htlcmin: Option<Msat>,
    /// Largest forward, in millisatoshis. Default: unchanged.
    htlcmax: Option<Msat>,
}

#[async_trait::async_trait]
impl TypedTool for SetChannel {
    const NAME: &'static str = "ln_setchannel";
    const TITLE: &'static str = "Set channel fees";
    const DESCRIPTION: &'static str = "Sets what a node charges and accepts for forwarding over a channel; give \
        at least one of feebase, feeppm, htlcmin, htlcmax. Returns channels[] with the values now in force.";
    const EFFECT: Effect = Effect::Write;
    const IDEMPOTENT: bool = true;
    type Args = SetChannelArgs;
    type Output = Object;

    async fn call(&self, args: SetChannelArgs) -> Result<Object, ToolError> {
        let given = [
            ("feebase", args.feebase.map(|msat| json!(msat))),
            ("feeppm", args.feeppm.map(|ppm| json!(ppm))),
            ("htlcmin", args.htlcmin.map(|msat| json!(msat))),
            ("htlcmax", args.htlcmax.map(|msat| json!(msat))),
        ];
        let mut params = Object::new();
        params.insert("id".to_owned(), args.peer_id.as_str().into());
        params.extend(given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        if params.len() == 1 {
            return Err(ToolError::new(
                ToolErrorKind::InvalidArguments,
                "nothing to set: expected at least one of `feebase`, `feeppm`, `htlcmin` and `htlcmax`",
            ));
        }
        Ask::new(&self.nodes, args.node).write("setchannel", params.into()).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Replay, recorded};

    #[tokio::test]
    async fn only_what_is_given_is_set() {
        let turn = recorded("299-setchannel");
        let replay = Replay::node([turn.clone()]);
        let args = json!({ "node": 1, "peer_id": "103x1x0", "feebase": 500, "feeppm": 20 });

        let payload = replay.call(SetChannel { nodes: replay.nodes() }, args).await.unwrap();

        assert_eq!(payload, turn.answer());
        assert_eq!(replay.requests(), [("setchannel".to_owned(), turn.params())]);
    }

    #[tokio::test]
    async fn setting_nothing_is_refused() {
        let replay = Replay::node([]);

        let error = replay
            .call(SetChannel { nodes: replay.nodes() }, json!({ "node": 1, "peer_id": "103x1x0" }))
            .await
            .unwrap_err();

        assert_eq!(error.kind, ToolErrorKind::InvalidArguments);
        assert!(error.message.starts_with("nothing to set"), "{}", error.message);
    }
}
