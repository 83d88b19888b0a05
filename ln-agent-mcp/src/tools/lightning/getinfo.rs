//! `ln_getinfo`.

use std::time::Duration;

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, ToolErrorKind, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::node::Nodes;
use crate::tools::ask::{Ask, SLACK};

/// Who a node is and how it is doing; a node that does not run is started first.
#[derive(Debug)]
pub(super) struct GetInfo {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_getinfo`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetInfoArgs {
    /// Node to ask, counted from 1.
    node: NodeIndex,
}

#[async_trait::async_trait]
impl TypedTool for GetInfo {
    const NAME: &'static str = "ln_getinfo";
    const TITLE: &'static str = "Node information";
    const DESCRIPTION: &'static str = "Shows a node's id (public key), alias, blockheight, numbers of peers and \
        channels, and binding[] (address and port others connect to). Starts the node if it does not run, and \
        then says auto_started: true.";
    const EFFECT: Effect = Effect::Read;
    type Args = GetInfoArgs;
    type Output = Object;

    fn budget(&self) -> Option<Duration> {
        let config = self.nodes.config();
        Some(config.start_timeout + config.call_timeout + SLACK)
    }

    async fn call(&self, args: GetInfoArgs) -> Result<Object, ToolError> {
        let ask = Ask::new(&self.nodes, args.node);
        match ask.read("getinfo", json!({})).await {
            Err(error) if error.kind == ToolErrorKind::Unreachable => {
                let start = self.nodes.start(args.node, None, None).await?;
                let mut info = ask.read("getinfo", json!({})).await?;
                if start.started {
                    info.insert("auto_started".to_owned(), true.into());
                }
                Ok(info)
            }
            answer => answer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Replay, recorded};

    #[tokio::test]
    async fn a_running_node_answers_for_itself() {
        let replay = Replay::node([recorded("131-getinfo-active-channel")]);

        let payload = replay.call(GetInfo { nodes: replay.nodes() }, json!({ "node": 1 })).await.unwrap();

        assert_eq!(payload, recorded("131-getinfo-active-channel").answer());
        assert_eq!(replay.requests(), [("getinfo".to_owned(), json!({}))]);
    }

    #[tokio::test]
    async fn a_node_that_was_never_created_is_not_started() {
        let replay = Replay::node([]);

        let error = replay.call(GetInfo { nodes: replay.nodes() }, json!({ "node": 2 })).await.unwrap_err();

        assert_eq!(error.kind, ToolErrorKind::Failed);
        assert!(error.message.contains("ln_node_create"), "{}", error.message);
    }
}
