//! `ln_keysend`.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ln_agent_core::clock::Clock;
use ln_agent_core::tool::{Effect, ToolError, ToolErrorKind, TypedTool};
use ln_agent_core::types::Object;
use ln_agent_core::{Msat, NodeIndex};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::record::{Record, in_flight, no_preimage, receipt, rows};
use crate::node::Nodes;
use crate::tools::args::{PeerId, PositiveMsat};
use crate::tools::ask::{Ask, SLACK, UNKNOWN_COMMAND};
use crate::tools::msat;

/// Pays a node that made no invoice. Its payment hash is not known beforehand, so the books are compared.
pub(super) struct Keysend {
    pub(super) nodes: Nodes,
    pub(super) clock: Arc<dyn Clock>,
}

/// Arguments of `ln_keysend`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct KeysendArgs {
    /// Node that pays, counted from 1.
    from_node: NodeIndex,
    /// The payee's node id: 66 hex digits beginning with 02 or 03 (`id` of its ln_getinfo).
    destination: PeerId,
    /// Amount in millisatoshis, at least 1 (1 sat = 1000 msat).
    amount_msat: PositiveMsat,
}

#[async_trait::async_trait]
impl TypedTool for Keysend {
    const NAME: &'static str = "ln_keysend";
    const TITLE: &'static str = "Pay without an invoice";
    const DESCRIPTION: &'static str = "Pays a node by its id, without an invoice. Every call is a new payment. \
        Returns payment_preimage, payment_hash, amount_msat, fee_msat.";
    const EFFECT: Effect = Effect::Spend;
    type Args = KeysendArgs;
    type Output = Object;

    fn budget(&self) -> Option<Duration> {
        Some(self.nodes.config().call_timeout * 2 + SLACK * 2)
    }

    async fn call(&self, args: KeysendArgs) -> Result<Object, ToolError> {
        let ask = Ask::new(&self.nodes, args.from_node);
        let before: HashSet<String> =
            rows(ask.read("listpays", json!({})).await?).filter_map(|row| hash(&row)).collect();
        let retry_for = self.nodes.config().call_timeout.as_secs().max(1);
        let patience = Duration::from_secs(retry_for) + SLACK;
        let ends_at = self.clock.monotonic_millis() + u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
        let params = json!({
            "destination": args.destination.as_str(),
            "amount_msat": args.amount_msat.0,
            "retry_for": retry_for,
        });
        match send(ask.within(patience), params).await {
            Ok(mut answer) if answer.contains_key("payment_preimage") => {
                answer.entry("destination").or_insert_with(|| args.destination.as_str().into());
                Ok(receipt(answer, false))
            }
            Ok(_) => self.settle(ask, &args, &before, no_preimage(), ends_at).await,
            Err(error) => self.settle(ask, &args, &before, error, ends_at).await,
        }
    }
}

impl Keysend {
    /// What became of a payment that brought an error: a row that was not in the books before tells.
    async fn settle(
        &self,
        ask: Ask<'_>,
        args: &KeysendArgs,
        before: &HashSet<String>,
        error: ToolError,
        ends_at_millis: u64,
    ) -> Result<Object, ToolError> {
        let answered = error.kind != ToolErrorKind::Unknown;
        if error.kind == ToolErrorKind::Unreachable {
            return Err(error);
        }
        loop {
            let listed = ask.read("listpays", json!({})).await;
            let found = listed.map(|listed| Record::of(listed, |row| is_ours(row, args, before)));
            if let Ok(Record::Complete(row)) = found {
                return Ok(receipt(row, false));
            }
            if !answered && self.clock.monotonic_millis() < ends_at_millis {
                self.clock.sleep(LOOK_EVERY).await;
                continue;
            }
            return Err(match found {
                Ok(Record::Absent | Record::Failed) if answered => error,
                Ok(Record::Failed) => ToolError { kind: ToolErrorKind::Failed, ..error },
                // Without a hash of our own, an empty book is no proof that nothing was sent.
                _ => in_flight("the keysend", Some(&error)),
            });
        }
    }
}

impl fmt::Debug for Keysend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keysend").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

/// By `keysend`, and by the newer `xkeysend` where that is gone.
async fn send(ask: Ask<'_>, params: Value) -> Result<Object, ToolError> {
    match ask.spend("keysend", params.clone()).await {
        Err(error) if error.code == Some(UNKNOWN_COMMAND) => ask.spend("xkeysend", params).await,
        answer => answer,
    }
}

/// A new row for this payee; failed rows and some pending ones do not say their amount.
fn is_ours(row: &Object, args: &KeysendArgs, before: &HashSet<String>) -> bool {
    let amount: Option<Msat> = row.get("amount_msat").and_then(msat::read);
    let payee = row.get("destination").and_then(Value::as_str);
    let new = hash(row).is_some_and(|hash| !before.contains(&hash));
    new && payee.is_none_or(|payee| payee == args.destination.as_str())
        && amount.is_none_or(|amount| amount == args.amount_msat.0)
}

fn hash(row: &Object) -> Option<String> {
    row.get("payment_hash").and_then(Value::as_str).map(str::to_owned)
}

const LOOK_EVERY: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use ln_agent_core::clock::ManualClock;

    use super::*;
    use crate::testing::{Replay, Turn, recorded};

    async fn keysend(
        turns: impl IntoIterator<Item = Turn>,
    ) -> (Result<Value, ToolError>, Vec<(String, Value)>) {
        let replay = Replay::node_with(turns, |config| config.call_timeout = Duration::from_secs(1));
        let clock = Arc::new(ManualClock::at_unix_secs(1_796_089_930));
        let sent = recorded("222-keysend").params();
        let args =
            json!({ "from_node": 1, "destination": sent["destination"], "amount_msat": sent["amount_msat"] });
        let outcome = replay.call(Keysend { nodes: replay.nodes(), clock }, args).await;
        (outcome, replay.requests())
    }

    /// The books after the payment of recording 222, in this state.
    fn books(status: &str) -> Turn {
        let paid = recorded("222-keysend").answer();
        let mut listed = recorded("172-listpays-payment_hash").answer();
        listed["pays"].as_array_mut().unwrap().push(json!({
            "destination": paid["destination"], "payment_hash": paid["payment_hash"], "status": status,
            "amount_msat": 10_000, "amount_sent_msat": 10_000, "preimage": paid["payment_preimage"],
        }));
        Turn::result(listed)
    }

    fn before() -> Turn {
        recorded("172-listpays-payment_hash")
    }

    #[tokio::test]
    async fn a_keysend_returns_its_preimage() {
        let turn = recorded("222-keysend");

        let (payload, requests) = keysend([before(), turn.clone()]).await;

        let mut expected = turn.answer();
        expected["fee_msat"] = json!(0);
        expected["already_paid"] = json!(false);
        assert_eq!(payload, Ok(expected));
        let mut sent = turn.params();
        sent["retry_for"] = json!(1);
        assert_eq!(requests, [("listpays".to_owned(), json!({})), ("keysend".to_owned(), sent)]);
    }

    #[tokio::test]
    async fn a_node_without_keysend_is_asked_by_the_newer_name() {
        let gone = recorded("381-deprecations-off-keysend");

        let (payload, requests) = keysend([before(), gone, recorded("224-xkeysend")]).await;

        assert_eq!(payload.unwrap()["fee_msat"], json!(1));
        assert_eq!(requests[2].0, "xkeysend");
    }

    #[tokio::test]
    async fn a_refusal_is_final_unless_a_new_payment_is_under_way() {
        let refusal = || recorded("227-keysend-too-much-err210");

        for (after, kind) in [
            (before(), ToolErrorKind::Failed),
            (books("failed"), ToolErrorKind::Failed),
            (books("pending"), ToolErrorKind::Unknown),
        ] {
            let (outcome, _) = keysend([before(), refusal(), after]).await;

            let error = outcome.unwrap_err();
            assert_eq!((error.kind, error.code), (kind, Some(210)));
        }
    }

    #[tokio::test]
    async fn after_a_lost_connection_the_new_row_decides() {
        let looks = |turn: Turn| [before(), Turn::hang_up()].into_iter().chain(std::iter::repeat_n(turn, 7));

        let (complete, _) = keysend(looks(books("complete"))).await;
        let (pending, _) = keysend(looks(books("pending"))).await;
        let (failed, _) = keysend(looks(books("failed"))).await;
        let (absent, _) = keysend(looks(before())).await;

        assert_eq!(
            complete.unwrap()["payment_preimage"],
            recorded("222-keysend").answer()["payment_preimage"]
        );
        assert_eq!(pending.unwrap_err().kind, ToolErrorKind::Unknown);
        assert_eq!(failed.unwrap_err().kind, ToolErrorKind::Failed);
        assert_eq!(absent.unwrap_err().kind, ToolErrorKind::Unknown);
    }
}
