//! `ln_listinvoices`.

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::node::Nodes;
use crate::tools::args::Label;
use crate::tools::ask::Ask;

/// The invoices a node has made.
#[derive(Debug)]
pub(super) struct ListInvoices {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_listinvoices`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListInvoicesArgs {
    /// Node to ask, counted from 1.
    node: NodeIndex,
    /// Only the invoice of this label. Default: all.
    label: Option<Label>,
}

#[async_trait::async_trait]
impl TypedTool for ListInvoices {
    const NAME: &'static str = "ln_listinvoices";
    const TITLE: &'static str = "Invoices of a node";
    const DESCRIPTION: &'static str = "Lists the invoices a node has made (incoming; ln_listpays is outgoing): \
        invoices[] with label, status (unpaid, paid, expired), amount_msat, bolt11, payment_hash.";
    const EFFECT: Effect = Effect::Read;
    type Args = ListInvoicesArgs;
    type Output = Object;

    async fn call(&self, args: ListInvoicesArgs) -> Result<Object, ToolError> {
        let label = args.label.filter(|label| !label.is_blank());
        let params = label.map_or_else(|| json!({}), |label| json!({ "label": label.as_str() }));
        Ask::new(&self.nodes, args.node).read("listinvoices", params).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Replay, recorded};

    #[tokio::test]
    async fn invoices_are_listed_whole_or_by_a_label_that_is_always_a_string() {
        let replay =
            Replay::node([recorded("151-listinvoices-many"), recorded("152-listinvoices-label-unpaid")]);
        let tool = || ListInvoices { nodes: replay.nodes() };

        let all = replay.call(tool(), json!({ "node": 1 })).await.unwrap();
        let one = replay.call(tool(), json!({ "node": 1, "label": 42 })).await.unwrap();

        assert_eq!(all, recorded("151-listinvoices-many").answer());
        assert_eq!(one, recorded("152-listinvoices-label-unpaid").answer());
        assert_eq!(
            replay.requests(),
            [("listinvoices".to_owned(), json!({})), ("listinvoices".to_owned(), json!({ "label": "42" })),]
        );
    }
}
