//! `ln_listpays`.

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::node::Nodes;
use crate::tools::args::InvoiceString;
use crate::tools::ask::Ask;

/// What a node has paid.
#[derive(Debug)]
pub(super) struct ListPays {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_listpays`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListPaysArgs {
    /// Node to ask, counted from 1.
    node: NodeIndex,
    /// Only payments of this invoice (BOLT 11 or lni1…). Default: all.
    bolt11: Option<InvoiceString>,
    /// Only payments in this state: complete, pending or failed. Default: all.
    status: Option<PayStatus>,
}

/// How far a payment has come.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
enum PayStatus {
    Complete,
    Pending,
    Failed,
}

#[async_trait::async_trait]
impl TypedTool for ListPays {
    const NAME: &'static str = "ln_listpays";
    const TITLE: &'static str = "Outgoing payments of a node";
    const DESCRIPTION: &'static str = "Lists what a node has paid or tried to pay (outgoing; ln_listinvoices is \
        incoming): `pays[]` with payment_hash, status, amount_msat, amount_sent_msat, preimage.";
    const EFFECT: Effect = Effect::Read;
    type Args = ListPaysArgs;
    type Output = Object;

    async fn call(&self, args: ListPaysArgs) -> Result<Object, ToolError> {
        let mut params = Object::new();
        if let Some(invoice) = &args.bolt11 {
            params.insert("bolt11".to_owned(), invoice.as_str().into());
        }
        if let Some(status) = args.status {
            params.insert("status".to_owned(), json!(status));
        }
        Ask::new(&self.nodes, args.node).read("listpays", params.into()).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Replay, recorded};

    #[tokio::test]
    async fn payments_are_listed_whole_or_by_invoice_and_state() {
        let by_invoice = recorded("171-listpays-bolt11");
        let replay = Replay::node([recorded("170-listpays-one"), by_invoice.clone()]);
        let tool = || ListPays { nodes: replay.nodes() };
        let invoice = by_invoice.params()["bolt11"].clone();

        let all = replay.call(tool(), json!({ "node": 1 })).await.unwrap();
        let one =
            replay.call(tool(), json!({ "node": 1, "bolt11": invoice, "status": "complete" })).await.unwrap();

        assert_eq!([all, one], [recorded("170-listpays-one").answer(), by_invoice.answer()]);
        assert_eq!(
            replay.requests(),
            [
                ("listpays".to_owned(), json!({})),
                ("listpays".to_owned(), json!({ "bolt11": invoice, "status": "complete" })),
            ]
        );
    }
}
