//! `ln_pay`.

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

use super::decoded::Decoded;
use super::record::{Record, in_flight, no_preimage, receipt};
use crate::node::Nodes;
use crate::tools::args::InvoiceString;
use crate::tools::ask::{Ask, SLACK, UNKNOWN_COMMAND};

/// Pays an invoice: decode, check, look whether it was paid, pay, and on an unclear answer look again.
pub(super) struct Pay {
    pub(super) nodes: Nodes,
    pub(super) clock: Arc<dyn Clock>,
}

/// Arguments of `ln_pay`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PayArgs {
    /// Node that pays, counted from 1.
    from_node: NodeIndex,
    /// Invoice with an amount: BOLT 11 (lnbcrt…, lnbc…, lntb…, lntbs…) or BOLT 12 (lni1…).
    bolt11: InvoiceString,
    /// Most to pay in routing fees, in millisatoshis. Default: 1 % of the amount, at least 5000.
    maxfee: Option<Msat>,
    /// Seconds to keep trying, 1 to twice the command timeout (60). Default: the command timeout (30).
    retry_for: Option<u64>,
}

#[async_trait::async_trait]
impl TypedTool for Pay {
    const NAME: &'static str = "ln_pay";
    const TITLE: &'static str = "Pay an invoice";
    const DESCRIPTION: &'static str = "Pays a BOLT 11 invoice or a BOLT 12 invoice (lni1…) that names its amount. \
        Returns payment_preimage, payment_hash, amount_msat, fee_msat. An invoice paid before is not paid again: \
        its first preimage comes back with already_paid: true.";
    const EFFECT: Effect = Effect::Spend;
    const IDEMPOTENT: bool = true;
    type Args = PayArgs;
    type Output = Object;

    fn budget(&self) -> Option<Duration> {
        // The longest retry_for, two looks before and one after.
        Some(self.longest() + SLACK * 2 + self.nodes.config().call_timeout)
    }

    async fn call(&self, args: PayArgs) -> Result<Object, ToolError> {
        let retry_for = self.retry_for(args.retry_for)?;
        let ask = Ask::new(&self.nodes, args.from_node);
        let invoice = Decoded::of(ask, &args.bolt11).await?;
        let amount = invoice.payable(self.nodes.config().network, self.clock.unix_millis() / 1_000)?;
        match record(ask, &invoice).await? {
            Record::Complete(row) => return Ok(receipt(row, true)),
            Record::Pending => return Err(in_flight("the payment of this invoice", None)),
            Record::Absent | Record::Failed => {}
        }
        let terms =
            json!({ "maxfee": args.maxfee.unwrap_or_else(|| usual_fee(amount)), "retry_for": retry_for });
        let patience = Duration::from_secs(retry_for) + SLACK;
        let ends_at = self.clock.monotonic_millis() + u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
        match send(ask.within(patience), &args.bolt11, terms).await {
            Ok(answer) if answer.contains_key("payment_preimage") => Ok(paid(answer, &invoice)),
            Ok(_) => self.settle(ask, &invoice, no_preimage(), ends_at).await,
            Err(error) => self.settle(ask, &invoice, error, ends_at).await,
        }
    }
}

impl Pay {
    fn longest(&self) -> Duration {
        self.nodes.config().call_timeout * 2
    }

    fn retry_for(&self, given: Option<u64>) -> Result<u64, ToolError> {
        let longest = self.longest().as_secs().max(1);
        let secs = given.unwrap_or_else(|| self.nodes.config().call_timeout.as_secs().max(1));
        if (1..=longest).contains(&secs) {
            return Ok(secs);
        }
        Err(ToolError::invalid_argument("retry_for", &json!(secs), &format!("seconds from 1 to {longest}")))
    }

    /// What became of a payment that brought an error. A node that answered is believed at once; when the answer
    /// was lost, it may go on trying until `ends_at_millis`.
    async fn settle(
        &self,
        ask: Ask<'_>,
        invoice: &Decoded,
        error: ToolError,
        ends_at_millis: u64,
    ) -> Result<Object, ToolError> {
        let answered = error.kind != ToolErrorKind::Unknown;
        if error.kind == ToolErrorKind::Unreachable {
            return Err(error);
        }
        loop {
            let found = record(ask, invoice).await;
            if let Ok(Record::Complete(row)) = found {
                return Ok(receipt(row, matches!(error.code, Some(201 | 219))));
            }
            if !answered && self.clock.monotonic_millis() < ends_at_millis {
                self.clock.sleep(LOOK_EVERY).await;
                continue;
            }
            return Err(match found {
                Ok(Record::Absent | Record::Failed) if answered => error,
                Ok(Record::Absent | Record::Failed) => ToolError {
                    kind: ToolErrorKind::Failed,
                    message: format!(
                        "{}; the node has no payment of it under way: it was not paid",
                        error.message
                    ),
                    code: error.code,
                },
                _ => in_flight("the payment of this invoice", Some(&error)),
            });
        }
    }
}

impl fmt::Debug for Pay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pay").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

/// What the node's books say of this invoice.
async fn record(ask: Ask<'_>, invoice: &Decoded) -> Result<Record, ToolError> {
    let listed = ask.read("listpays", json!({ "payment_hash": invoice.payment_hash })).await?;
    Ok(Record::of(listed, |_| true))
}

/// By `xpay`, and by the older `pay` where that is unknown. `bolt11` is the one name both of its forms accept.
async fn send(ask: Ask<'_>, invoice: &InvoiceString, terms: Value) -> Result<Object, ToolError> {
    let with = |name: &str| {
        let mut params = terms.clone();
        params[name] = invoice.as_str().into();
        params
    };
    match ask.spend("xpay", with("invstring")).await {
        Err(error) if error.code == Some(UNKNOWN_COMMAND) => ask.spend("pay", with("bolt11")).await,
        answer => answer,
    }
}

/// The answer, with what `xpay` leaves out.
fn paid(mut answer: Object, invoice: &Decoded) -> Object {
    answer.entry("payment_hash").or_insert_with(|| invoice.payment_hash.clone().into());
    if let Some(payee) = &invoice.payee {
        answer.entry("destination").or_insert_with(|| payee.clone().into());
    }
    receipt(answer, false)
}

/// 1 %, at least 5 sat: what `xpay` allows by itself.
const fn usual_fee(amount: Msat) -> Msat {
    let percent = amount.0 / 100;
    if percent > 5_000 { Msat(percent) } else { Msat(5_000) }
}

const LOOK_EVERY: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use ln_agent_core::clock::ManualClock;

    use super::*;
    use crate::testing::{Replay, Turn, recorded};

    /// Pays the invoice of recording 160, whose decoding comes first.
    async fn pay(turns: impl IntoIterator<Item = Turn>) -> (Result<Value, ToolError>, Vec<(String, Value)>) {
        pay_with(json!({}), turns).await
    }

    async fn pay_with(
        more: Value,
        turns: impl IntoIterator<Item = Turn>,
    ) -> (Result<Value, ToolError>, Vec<(String, Value)>) {
        let decode = recorded("160-decode-bolt11");
        let mut args = json!({ "from_node": 1, "bolt11": decode.params()["string"] });
        for (name, value) in more.as_object().unwrap() {
            args[name] = value.clone();
        }
        let replay = Replay::node([decode].into_iter().chain(turns));
        let clock = Arc::new(ManualClock::at_unix_secs(1_796_089_930));
        let outcome = replay.call(Pay { nodes: replay.nodes(), clock }, args).await;
        (outcome, replay.requests())
    }

    fn nothing() -> Turn {
        recorded("011-listpays-empty")
    }

    fn methods(requests: &[(String, Value)]) -> Vec<&str> {
        requests.iter().map(|(method, _)| method.as_str()).collect()
    }

    #[tokio::test]
    async fn an_invoice_is_decoded_looked_up_and_paid() {
        let (payload, requests) = pay([nothing(), recorded("191-xpay")]).await;

        let decode = recorded("160-decode-bolt11");
        let hash = decode.answer()["payment_hash"].clone();
        let mut expected = recorded("191-xpay").answer();
        expected["payment_hash"] = hash.clone();
        expected["destination"] = decode.answer()["payee"].clone();
        expected["fee_msat"] = json!(4);
        expected["status"] = json!("complete");
        expected["already_paid"] = json!(false);
        assert_eq!(payload, Ok(expected));
        let invoice = decode.params()["string"].clone();
        let sent = json!({ "maxfee": 123_456, "retry_for": 30, "invstring": invoice });
        assert_eq!(
            requests,
            [
                ("decode".to_owned(), decode.params()),
                ("listpays".to_owned(), json!({ "payment_hash": hash })),
                ("xpay".to_owned(), sent),
            ]
        );
    }

    #[tokio::test]
    async fn a_node_without_xpay_is_asked_to_pay() {
        let unknown = Turn::error(UNKNOWN_COMMAND, "Unknown command 'xpay'");
        let turns = [nothing(), unknown, recorded("167-pay")];

        let (payload, requests) = pay_with(json!({ "maxfee": 7, "retry_for": 60 }), turns).await;

        let mut expected = recorded("167-pay").answer();
        expected["fee_msat"] = json!(0);
        expected["already_paid"] = json!(false);
        assert_eq!(payload, Ok(expected));
        let invoice = recorded("167-pay").params()["bolt11"].clone();
        let sent = json!({ "maxfee": 7, "retry_for": 60, "bolt11": invoice });
        assert_eq!(requests[3], ("pay".to_owned(), sent));
    }

    #[tokio::test]
    async fn a_paid_invoice_is_not_paid_again() {
        let books = recorded("172-listpays-payment_hash");

        let (payload, requests) = pay([books.clone()]).await;

        let payload = payload.unwrap();
        let row = &books.answer()["pays"][0];
        assert_eq!(payload["payment_preimage"], row["preimage"]);
        assert_eq!(payload["already_paid"], json!(true));
        assert_eq!(methods(&requests), ["decode", "listpays"]);
    }

    #[tokio::test]
    async fn a_payment_under_way_is_unknown_and_not_repeated() {
        let (outcome, requests) = pay([recorded("426-listpays-pending")]).await;

        let error = outcome.unwrap_err();
        assert_eq!(error.kind, ToolErrorKind::Unknown);
        assert!(error.message.contains("still in flight"), "{error}");
        assert_eq!(methods(&requests), ["decode", "listpays"]);
    }

    #[tokio::test]
    async fn a_refusal_is_final_when_the_books_show_no_payment() {
        for (name, code, remedy) in [
            ("212-xpay-insufficient-capacity-err205", 205, "open a channel"),
            ("216-xpay-maxfee-too-low-err206", 206, "raise maxfee"),
            ("200-xpay-expired-err207", 207, "has expired: ask for a new one"),
            ("207-xpay-unknown-at-destination-err203", 203, "ask for a new one"),
        ] {
            let (outcome, requests) = pay([nothing(), recorded(name), recorded("208-listpays-failed")]).await;

            let error = outcome.unwrap_err();
            assert_eq!((error.kind, error.code), (ToolErrorKind::Failed, Some(code)));
            assert!(error.message.contains(remedy), "{error}");
            assert_eq!(methods(&requests), ["decode", "listpays", "xpay", "listpays"]);
        }
    }

    #[tokio::test]
    async fn a_refusal_while_an_attempt_is_under_way_is_unknown() {
        let turns = [nothing(), recorded("431-xpay-while-pending-err-3"), recorded("426-listpays-pending")];

        let (outcome, _) = pay(turns).await;

        let error = outcome.unwrap_err();
        assert_eq!((error.kind, error.code), (ToolErrorKind::Unknown, Some(-3)));
    }

    #[tokio::test]
    async fn paid_in_the_meantime_gives_the_first_preimage() {
        let books = recorded("172-listpays-payment_hash");

        let (payload, _) = pay([nothing(), recorded("192-xpay-already-paid-err219"), books.clone()]).await;

        let payload = payload.unwrap();
        assert_eq!(payload["payment_preimage"], books.answer()["pays"][0]["preimage"]);
        assert_eq!(payload["already_paid"], json!(true));
    }

    #[tokio::test]
    async fn after_a_lost_connection_the_books_decide() {
        let (pending, complete) = (recorded("426-listpays-pending"), recorded("172-listpays-payment_hash"));

        let (payload, requests) =
            pay([nothing(), Turn::hang_up(), pending, nothing(), complete.clone()]).await;

        let payload = payload.unwrap();
        assert_eq!(payload["payment_preimage"], complete.answer()["pays"][0]["preimage"]);
        assert_eq!(payload["already_paid"], json!(false));
        assert_eq!(methods(&requests), ["decode", "listpays", "xpay", "listpays", "listpays", "listpays"]);
    }

    #[tokio::test]
    async fn after_a_lost_connection_pending_to_the_end_is_unknown() {
        let looks = std::iter::repeat_n(recorded("426-listpays-pending"), 7);
        let turns = [nothing(), Turn::hang_up()].into_iter().chain(looks);

        let (outcome, requests) = pay_with(json!({ "retry_for": 1 }), turns).await;

        assert_eq!(outcome.unwrap_err().kind, ToolErrorKind::Unknown);
        assert_eq!(requests.len(), 3 + 7);
    }

    #[tokio::test]
    async fn after_a_lost_connection_nothing_to_the_end_is_a_failure() {
        let turns = [nothing(), Turn::hang_up()].into_iter().chain(std::iter::repeat_n(nothing(), 7));

        let (outcome, _) = pay_with(json!({ "retry_for": 1 }), turns).await;

        let error = outcome.unwrap_err();
        assert_eq!(error.kind, ToolErrorKind::Failed);
        assert!(error.message.ends_with("it was not paid"), "{error}");
    }

    #[tokio::test]
    async fn when_the_books_cannot_be_read_the_outcome_is_unknown() {
        let turns = [nothing(), Turn::hang_up()].into_iter().chain(std::iter::repeat_n(Turn::hang_up(), 7));

        let (outcome, _) = pay_with(json!({ "retry_for": 1 }), turns).await;

        assert_eq!(outcome.unwrap_err().kind, ToolErrorKind::Unknown);
    }

    #[tokio::test]
    async fn bad_arguments_are_refused_before_the_node_sees_them() {
        let replay = Replay::node([]);
        for (name, value) in [
            ("bolt11", json!("garbage")),
            ("bolt11", json!("lno1abc")),
            ("maxfee", json!(-1)),
            ("retry_for", json!(61)),
            ("retry_for", json!(0)),
        ] {
            let mut args = json!({ "from_node": 1, "bolt11": "lnbcrt1abc" });
            args[name] = value;
            let clock = Arc::new(ManualClock::at_unix_secs(0));

            let error = replay.call(Pay { nodes: replay.nodes(), clock }, args).await.unwrap_err();

            assert_eq!(error.kind, ToolErrorKind::InvalidArguments);
            assert!(error.message.starts_with(&format!("argument `{name}` was ")), "{error}");
        }
        assert_eq!(replay.requests(), []);
    }
}
