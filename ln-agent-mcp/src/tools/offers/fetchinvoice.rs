//! `ln_fetchinvoice`.

use std::time::Duration;

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::node::Nodes;
use crate::tools::args::{OfferString, PositiveMsat};
use crate::tools::ask::{Ask, SLACK};

/// Asks an offer's maker for an invoice.
#[derive(Debug)]
pub(super) struct FetchInvoice {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_fetchinvoice`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FetchInvoiceArgs {
    /// Node that is going to pay, counted from 1.
    node: NodeIndex,
    /// The offer (lno1…).
    offer: OfferString,
    /// Amount in millisatoshis, at least 1; needed where the offer lets the payer choose. Default: the offer's.
    amount_msat: Option<PositiveMsat>,
}

#[async_trait::async_trait]
impl TypedTool for FetchInvoice {
    const NAME: &'static str = "ln_fetchinvoice";
    const TITLE: &'static str = "Fetch an invoice for an offer";
    const DESCRIPTION: &'static str = "Asks the maker of a BOLT 12 offer for an invoice, without paying: `invoice` \
        (lni1…) goes to ln_pay. `changes` tells where it differs from the offer.";
    const EFFECT: Effect = Effect::Write;
    const REPEATABLE: bool = true;
    type Args = FetchInvoiceArgs;
    type Output = Object;

    fn budget(&self) -> Option<Duration> {
        Some(self.nodes.config().call_timeout + SLACK * 2)
    }

    async fn call(&self, args: FetchInvoiceArgs) -> Result<Object, ToolError> {
        let wait = self.nodes.config().call_timeout;
        let mut params = Object::new();
        params.insert("offer".to_owned(), args.offer.as_str().into());
        if let Some(amount) = args.amount_msat {
            params.insert("amount_msat".to_owned(), json!(amount.0));
        }
        params.insert("timeout".to_owned(), wait.as_secs().max(1).into());
        Ask::new(&self.nodes, args.node).within(wait + SLACK).write("fetchinvoice", params.into()).await
    }
}

#[cfg(test)]
mod tests {
    use ln_agent_core::tool::ToolErrorKind;
    use serde_json::Value;

    use super::*;
    use crate::testing::{Replay, recorded};

    fn args(offer: &Value) -> Value {
        json!({ "node": 1, "offer": offer, "amount_msat": 15_000 })
    }

    #[tokio::test]
    async fn an_invoice_is_fetched_for_the_amount() {
        let turn = recorded("245-fetchinvoice-any");
        let replay = Replay::node([turn.clone()]);
        let offer = turn.params()["offer"].clone();

        let payload = replay.call(FetchInvoice { nodes: replay.nodes() }, args(&offer)).await.unwrap();

        assert_eq!(payload, turn.answer());
        let sent = json!({ "offer": offer, "amount_msat": 15_000, "timeout": 30 });
        assert_eq!(replay.requests(), [("fetchinvoice".to_owned(), sent)]);
    }

    #[tokio::test]
    async fn refusals_of_the_other_side_say_what_to_do() {
        for (name, code, remedy) in [
            ("250-fetchinvoice-amount-too-low-err1004", 1004, "check the amount"),
            ("443-fetchinvoice-node-offline-err1005", 1005, "check that it runs"),
        ] {
            let turn = recorded(name);
            let replay = Replay::node([turn.clone()]);

            let outcome =
                replay.call(FetchInvoice { nodes: replay.nodes() }, args(&turn.params()["offer"])).await;

            let error = outcome.unwrap_err();
            assert_eq!((error.kind, error.code), (ToolErrorKind::Failed, Some(code)));
            assert!(error.message.contains(remedy), "{error}");
        }
    }

    #[tokio::test]
    async fn an_invoice_is_no_offer() {
        let replay = Replay::node([]);

        let outcome = replay.call(FetchInvoice { nodes: replay.nodes() }, args(&json!("lnbcrt1abc"))).await;

        let error = outcome.unwrap_err();
        assert_eq!(error.kind, ToolErrorKind::InvalidArguments);
        assert!(error.message.starts_with("argument `offer` was "), "{error}");
    }
}
