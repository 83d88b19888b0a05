//! `ln_decodepay`.

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, ToolErrorKind, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::node::Nodes;
use crate::tools::ask::{Ask, UNKNOWN_COMMAND};

/// What an invoice or an offer says.
#[derive(Debug)]
pub(super) struct DecodePay {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_decodepay`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DecodePayArgs {
    /// Node that decodes, counted from 1.
    node: NodeIndex,
    /// BOLT 11 invoice, or BOLT 12 offer (lno1…) or invoice (lni1…).
    string: String,
}

#[async_trait::async_trait]
impl TypedTool for DecodePay {
    const NAME: &'static str = "ln_decodepay";
    const TITLE: &'static str = "Decode an invoice or offer";
    const DESCRIPTION: &'static str = "Decodes a BOLT 11 or BOLT 12 string without paying it: type, amount_msat, \
        payee, description, expiry (seconds after created_at), payment_hash.";
    const EFFECT: Effect = Effect::Read;
    type Args = DecodePayArgs;
    type Output = Object;

    async fn call(&self, args: DecodePayArgs) -> Result<Object, ToolError> {
        let text = args.string.trim();
        if text.is_empty() {
            return Err(ToolError::invalid_argument("string", &json!(args.string), "an invoice or an offer"));
        }
        let ask = Ask::new(&self.nodes, args.node);
        match ask.read("decode", json!({ "string": text })).await {
            // Nodes before v0.10 know only the older name.
            Err(error) if error.code == Some(UNKNOWN_COMMAND) => {
                ask.read("decodepay", json!({ "bolt11": text })).await
            }
            Ok(answer) if answer.get("valid").and_then(serde_json::Value::as_bool) == Some(false) => {
                Err(ToolError::new(
                    ToolErrorKind::Failed,
                    "the string can be read but is not valid: ask whoever made it for a new one",
                ))
            }
            answer => answer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Replay, Turn, recorded};

    #[tokio::test]
    async fn invoices_and_offers_are_decoded() {
        for name in ["160-decode-bolt11", "253-decode-bolt12-invoice", "243-decode-offer-any"] {
            let turn = recorded(name);
            let replay = Replay::node([turn.clone()]);
            let args = json!({ "node": 1, "string": turn.params()["string"] });

            let payload = replay.call(DecodePay { nodes: replay.nodes() }, args).await.unwrap();

            assert_eq!(payload, turn.answer());
            assert_eq!(replay.requests(), [("decode".to_owned(), turn.params())]);
        }
    }

    #[tokio::test]
    async fn garbage_keeps_the_nodes_code() {
        let replay = Replay::node([recorded("163-decode-garbage-err-32602")]);

        let error = replay
            .call(DecodePay { nodes: replay.nodes() }, json!({ "node": 1, "string": "garbage" }))
            .await
            .unwrap_err();

        assert_eq!((error.kind, error.code), (ToolErrorKind::Failed, Some(-32602)));
        assert!(error.message.contains("Unparsable string"), "{}", error.message);
    }

    #[tokio::test]
    async fn an_older_node_is_asked_by_the_older_name() {
        let replay = Replay::node([
            Turn::error(UNKNOWN_COMMAND, "Unknown command 'decode'"),
            Turn::result(json!({ "currency": "bcrt" })),
        ]);

        let payload = replay
            .call(DecodePay { nodes: replay.nodes() }, json!({ "node": 1, "string": "lnbcrt1x" }))
            .await;

        assert_eq!(payload.unwrap(), json!({ "currency": "bcrt" }));
        assert_eq!(replay.requests()[1], ("decodepay".to_owned(), json!({ "bolt11": "lnbcrt1x" })));
    }
}
