//! `ln_signmessage`.

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::node::Nodes;
use crate::tools::args::Message;
use crate::tools::ask::Ask;

/// Signs a text with a node's key.
#[derive(Debug)]
pub(super) struct SignMessage {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_signmessage`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SignMessageArgs {
    /// Node that signs, counted from 1.
    node: NodeIndex,
    /// Text to sign, 1 to 65535 bytes.
    message: Message,
}

#[async_trait::async_trait]
impl TypedTool for SignMessage {
    const NAME: &'static str = "ln_signmessage";
    const TITLE: &'static str = "Sign a message";
    const DESCRIPTION: &'static str = "Signs a text with a node's key: `zbase` is the zbase32 signature that \
        others check; also signature and recid.";
    const EFFECT: Effect = Effect::Read;
    type Args = SignMessageArgs;
    type Output = Object;

    async fn call(&self, args: SignMessageArgs) -> Result<Object, ToolError> {
        Ask::new(&self.nodes, args.node)
            .read("signmessage", json!({ "message": args.message.as_str() }))
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Replay, recorded};

    #[tokio::test]
    async fn a_text_is_signed() {
        let turn = recorded("337-signmessage");
        let replay = Replay::node([turn.clone()]);
        let args = json!({ "node": 1, "message": "hello world" });

        let payload = replay.call(SignMessage { nodes: replay.nodes() }, args).await.unwrap();

        assert_eq!(payload, turn.answer());
        assert_eq!(replay.requests(), [("signmessage".to_owned(), turn.params())]);
    }
}
