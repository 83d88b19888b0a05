//! `ln_waitanyinvoice`.

use std::time::Duration;

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::node::Nodes;
use crate::tools::ask::{Ask, SLACK};

/// Waits until any invoice of a node is paid.
#[derive(Debug)]
pub(super) struct WaitAnyInvoice {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_waitanyinvoice`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitAnyInvoiceArgs {
    /// Node whose invoices are waited for, counted from 1.
    node: NodeIndex,
    /// Only invoices paid after this pay_index. Default: the first invoice ever paid counts.
    lastpay_index: Option<u64>,
}

#[async_trait::async_trait]
impl TypedTool for WaitAnyInvoice {
    const NAME: &'static str = "ln_waitanyinvoice";
    const TITLE: &'static str = "Wait for any payment";
    const DESCRIPTION: &'static str = "Waits until an invoice of the node is paid, at most twice the command \
        timeout (60 s by default), and returns it with pay_index and amount_received_msat.";
    const EFFECT: Effect = Effect::Read;
    const REPEATABLE: bool = true;
    type Args = WaitAnyInvoiceArgs;
    type Output = Object;

    fn budget(&self) -> Option<Duration> {
        Some(self.wait() + SLACK)
    }

    async fn call(&self, args: WaitAnyInvoiceArgs) -> Result<Object, ToolError> {
        let mut params = Object::new();
        if let Some(index) = args.lastpay_index {
            params.insert("lastpay_index".to_owned(), index.into());
        }
        params.insert("timeout".to_owned(), self.wait().as_secs().into());
        let ask = Ask::new(&self.nodes, args.node).within(self.wait() + SLACK);
        ask.read("waitanyinvoice", params.into()).await
    }
}

impl WaitAnyInvoice {
    fn wait(&self) -> Duration {
        self.nodes.config().call_timeout * 2
    }
}

#[cfg(test)]
mod tests {
    use ln_agent_core::tool::ToolErrorKind;
    use serde_json::json;

    use super::*;
    use crate::testing::{Replay, recorded};

    #[tokio::test]
    async fn the_node_itself_is_told_how_long_to_wait() {
        let replay = Replay::node([recorded("305-waitanyinvoice-next")]);
        let args = json!({ "node": 1, "lastpay_index": 5 });

        let payload = replay.call(WaitAnyInvoice { nodes: replay.nodes() }, args).await.unwrap();

        assert_eq!(payload, recorded("305-waitanyinvoice-next").answer());
        let sent = json!({ "lastpay_index": 5, "timeout": 60 });
        assert_eq!(replay.requests(), [("waitanyinvoice".to_owned(), sent)]);
    }

    #[tokio::test]
    async fn a_wait_in_vain_says_that_one_may_wait_again() {
        let replay = Replay::node([recorded("310-waitanyinvoice-timeout-err904")]);

        let error =
            replay.call(WaitAnyInvoice { nodes: replay.nodes() }, json!({ "node": 1 })).await.unwrap_err();

        assert_eq!((error.kind, error.code), (ToolErrorKind::Failed, Some(904)));
        assert!(error.message.ends_with("call again to keep waiting"), "{}", error.message);
    }
}
