//! `ln_offer`.

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::node::Nodes;
use crate::tools::args::{Description, MsatOrAny};
use crate::tools::ask::Ask;

/// Makes an offer.
#[derive(Debug)]
pub(super) struct Offer {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_offer`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OfferArgs {
    /// Node that is to be paid, counted from 1.
    node: NodeIndex,
    /// Amount in millisatoshis, at least 1; or "any" to let each payer choose.
    amount_msat: MsatOrAny,
    /// What the payer reads; 1 to 639 bytes.
    description: Description,
}

#[async_trait::async_trait]
impl TypedTool for Offer {
    const NAME: &'static str = "ln_offer";
    const TITLE: &'static str = "Make an offer";
    const DESCRIPTION: &'static str = "Makes a BOLT 12 offer, which can be paid many times: `offer` is the lno1… \
        string to hand out (also as bolt12), offer_id names it. Payers turn it into an invoice with ln_fetchinvoice.";
    const EFFECT: Effect = Effect::Write;
    type Args = OfferArgs;
    type Output = Object;

    async fn call(&self, args: OfferArgs) -> Result<Object, ToolError> {
        // The unit is spelled out: a bare number means another one on some nodes.
        let amount = match args.amount_msat {
            MsatOrAny::Any => "any".to_owned(),
            MsatOrAny::Fixed(amount) => amount.0.to_string(),
        };
        let params = json!({ "amount": amount, "description": args.description.as_str() });
        let mut answer = Ask::new(&self.nodes, args.node).write("offer", params).await?;
        if let Some(offer) = answer.get("bolt12").cloned() {
            answer.insert("offer".to_owned(), offer);
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use ln_agent_core::tool::ToolErrorKind;
    use serde_json::Value;

    use super::*;
    use crate::testing::{Replay, recorded};

    async fn offer(amount: Value, description: &str) -> (Value, Value) {
        let turn = recorded("232-offer-any");
        let replay = Replay::node([turn]);
        let args = json!({ "node": 1, "amount_msat": amount, "description": description });
        let payload = replay.call(Offer { nodes: replay.nodes() }, args).await.unwrap();
        (payload, replay.requests()[0].1.clone())
    }

    #[tokio::test]
    async fn an_offer_is_named_offer_besides_bolt12() {
        let (payload, sent) = offer(json!("any"), "donations").await;

        let turn = recorded("232-offer-any");
        let mut expected = turn.answer();
        expected["offer"] = expected["bolt12"].clone();
        assert_eq!(payload, expected);
        assert_eq!(sent, turn.params());
    }

    #[tokio::test]
    async fn a_fixed_amount_is_sent_with_its_unit() {
        let (_, sent) = offer(json!(10_000), "sticker").await;

        assert_eq!(sent, json!({ "amount": "10000msat", "description": "sticker" }));
    }

    #[tokio::test]
    async fn other_amounts_are_refused_before_the_node_sees_them() {
        let replay = Replay::node([]);
        for amount in [json!(0), json!("all"), json!(1.5), json!("10usd")] {
            let args = json!({ "node": 1, "amount_msat": amount, "description": "x" });

            let error = replay.call(Offer { nodes: replay.nodes() }, args).await.unwrap_err();

            assert_eq!(error.kind, ToolErrorKind::InvalidArguments);
            assert!(error.message.starts_with("argument `amount_msat` was "), "{error}");
        }
    }
}
