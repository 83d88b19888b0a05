//! `ln_waitinvoice`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ln_agent_core::NodeIndex;
use ln_agent_core::clock::Clock;
use ln_agent_core::tool::{Effect, ToolError, ToolErrorKind, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::node::Nodes;
use crate::tools::args::Label;
use crate::tools::ask::{Ask, SLACK};

/// Waits until one invoice is paid.
pub(super) struct WaitInvoice {
    pub(super) nodes: Nodes,
    pub(super) clock: Arc<dyn Clock>,
}

/// Arguments of `ln_waitinvoice`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitInvoiceArgs {
    /// Node whose invoice it is, counted from 1.
    node: NodeIndex,
    /// Label of the invoice, as given to ln_invoice.
    label: Label,
}

#[async_trait::async_trait]
impl TypedTool for WaitInvoice {
    const NAME: &'static str = "ln_waitinvoice";
    const TITLE: &'static str = "Wait for a payment";
    const DESCRIPTION: &'static str = "Waits until the invoice of this label is paid, at most twice the command \
        timeout (60 s by default), and returns it with amount_received_msat and payment_preimage.";
    const EFFECT: Effect = Effect::Read;
    const REPEATABLE: bool = true;
    type Args = WaitInvoiceArgs;
    type Output = Object;

    fn budget(&self) -> Option<Duration> {
        Some(self.wait() + SLACK)
    }

    async fn call(&self, args: WaitInvoiceArgs) -> Result<Object, ToolError> {
        let label = args.label.as_str();
        let ask = Ask::new(&self.nodes, args.node).within(self.wait() + SLACK);
        // The node itself waits without an end.
        let answer = tokio::select! {
            answer = ask.read("waitinvoice", json!({ "label": label })) => answer,
            () = self.clock.sleep(self.wait()) => return Err(ToolError::new(
                ToolErrorKind::Failed,
                format!(
                    "the invoice `{label}` was not paid within {} s: call again to keep waiting",
                    self.wait().as_secs()
                ),
            )),
        };
        answer.map_err(|mut error| {
            if error.message.contains("Label not found") {
                error.message = format!("no invoice has the label `{label}`: look with ln_listinvoices");
            }
            error
        })
    }
}

impl WaitInvoice {
    fn wait(&self) -> Duration {
        self.nodes.config().call_timeout * 2
    }
}

impl fmt::Debug for WaitInvoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WaitInvoice").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use ln_agent_core::clock::{ManualClock, SystemClock};

    use super::*;
    use crate::testing::{Replay, Turn, recorded};

    async fn wait(turn: Turn, clock: Arc<dyn Clock>) -> (Replay, Result<serde_json::Value, ToolError>) {
        let replay = Replay::node([turn]);
        let tool = WaitInvoice { nodes: replay.nodes(), clock };
        let outcome = replay.call(tool, json!({ "node": 1, "label": "wait-1" })).await;
        (replay, outcome)
    }

    #[tokio::test]
    async fn a_paid_invoice_is_returned() {
        let turn = recorded("306-waitinvoice-paid");

        let (replay, payload) = wait(turn.clone(), Arc::new(SystemClock::default())).await;

        assert_eq!(payload, Ok(turn.answer()));
        assert_eq!(replay.requests(), [("waitinvoice".to_owned(), turn.params())]);
    }

    #[tokio::test]
    async fn an_expired_or_unknown_invoice_is_told_apart() {
        for (name, code, part) in [
            ("201-waitinvoice-expired-err903", 903, "ask for a new one"),
            ("312-waitinvoice-unknown-err-1", -1, "no invoice has the label `wait-1`"),
        ] {
            let (_, outcome) = wait(recorded(name), Arc::new(SystemClock::default())).await;

            let error = outcome.unwrap_err();
            assert_eq!((error.kind, error.code), (ToolErrorKind::Failed, Some(code)));
            assert!(error.message.contains(part), "{}", error.message);
        }
    }

    #[tokio::test]
    async fn a_wait_in_vain_ends_by_itself_and_says_so() {
        let turns = std::iter::empty();
        let replay = Replay::node(turns);
        let tool =
            WaitInvoice { nodes: replay.nodes(), clock: Arc::new(ManualClock::at_unix_secs(1_796_090_000)) };

        let error = replay.call(tool, json!({ "node": 1, "label": "slow" })).await.unwrap_err();

        let message = "the invoice `slow` was not paid within 60 s: call again to keep waiting";
        assert_eq!(error, ToolError::new(ToolErrorKind::Failed, message));
    }
}
