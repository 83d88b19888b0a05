//! `ln_connect`.

use std::num::NonZeroU16;

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::node::Nodes;
use crate::tools::args::{Host, PeerId};
use crate::tools::ask::Ask;

/// Connects a node to a peer.
#[derive(Debug)]
pub(super) struct Connect {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_connect`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ConnectArgs {
    /// Node that connects, counted from 1.
    from_node: NodeIndex,
    /// The peer's node id: 66 hex digits beginning with 02 or 03 (`id` of its ln_getinfo).
    peer_id: PeerId,
    /// Where the peer listens: IP address or host name, without a port.
    host: Host,
    /// The peer's port, 1 to 65535.
    port: NonZeroU16,
}

#[async_trait::async_trait]
impl TypedTool for Connect {
    const NAME: &'static str = "ln_connect";
    const TITLE: &'static str = "Connect to a peer";
    const DESCRIPTION: &'static str = "Connects a node to a peer, as is needed before opening a channel. \
        Connecting again is harmless.";
    const EFFECT: Effect = Effect::Write;
    const IDEMPOTENT: bool = true;
    type Args = ConnectArgs;
    type Output = Object;

    async fn call(&self, args: ConnectArgs) -> Result<Object, ToolError> {
        let params = json!({ "id": args.peer_id.as_str(), "host": args.host.as_str(), "port": args.port });
        Ask::new(&self.nodes, args.from_node).write("connect", params).await
    }
}

#[cfg(test)]
mod tests {
    use ln_agent_core::tool::ToolErrorKind;
    use serde_json::Value;

    use super::*;
    use crate::testing::{Replay, Turn, recorded};

    fn args(turn: &Turn) -> Value {
        let sent = turn.params();
        json!({ "from_node": 1, "peer_id": sent["id"], "host": sent["host"], "port": sent["port"] })
    }

    #[tokio::test]
    async fn the_peer_is_connected_by_id_host_and_port() {
        let turn = recorded("101-connect-split-args");
        let replay = Replay::node([turn.clone()]);

        let payload = replay.call(Connect { nodes: replay.nodes() }, args(&turn)).await.unwrap();

        assert_eq!(payload, turn.answer());
        assert_eq!(replay.requests(), [("connect".to_owned(), turn.params())]);
    }

    #[tokio::test]
    async fn a_peer_that_does_not_answer_is_named_with_a_remedy() {
        let replay = Replay::node([recorded("078-connect-refused-err401")]);

        let error = replay
            .call(Connect { nodes: replay.nodes() }, args(&recorded("101-connect-split-args")))
            .await
            .unwrap_err();

        assert_eq!((error.kind, error.code), (ToolErrorKind::Failed, Some(401)));
        assert!(error.message.contains("check that the peer runs"), "{}", error.message);
    }

    #[tokio::test]
    async fn bad_arguments_are_refused_before_the_node_sees_them() {
        let replay = Replay::node([]);
        for (name, value) in [
            ("peer_id", json!("zz")),
            ("host", json!("127.0.0.1:9735")),
            ("port", json!(0)),
            ("port", json!(65_536)),
            ("from_node", json!(0)),
        ] {
            let mut args = args(&recorded("101-connect-split-args"));
            args[name] = value;

            let error = replay.call(Connect { nodes: replay.nodes() }, args).await.unwrap_err();

            assert_eq!(error.kind, ToolErrorKind::InvalidArguments);
            assert!(error.message.starts_with(&format!("argument `{name}` was ")), "{}", error.message);
        }
    }
}
