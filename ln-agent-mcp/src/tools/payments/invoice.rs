//! `ln_invoice`.

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::labels;
use crate::node::Nodes;
use crate::tools::args::{Description, Label, PositiveMsat};
use crate::tools::ask::Ask;
use crate::tools::msat;

/// Makes an invoice; the label is its idempotency key.
#[derive(Debug)]
pub(super) struct Invoice {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_invoice`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InvoiceArgs {
    /// Node that is to be paid, counted from 1.
    node: NodeIndex,
    /// Amount in millisatoshis, at least 1 (1 sat = 1000 msat).
    amount_msat: PositiveMsat,
    /// Name of the invoice, unique on its node; blank for a generated one.
    label: Label,
    /// What the payer reads; at most 639 bytes, may be empty.
    description: Description,
}

#[async_trait::async_trait]
impl TypedTool for Invoice {
    const NAME: &'static str = "ln_invoice";
    const TITLE: &'static str = "Make an invoice";
    const DESCRIPTION: &'static str = "Makes a BOLT 11 invoice on the node that receives. Returns bolt11, \
        payment_hash, expires_at and label. The same label, amount and description again return the same unpaid \
        invoice with reused: true; a label taken by another invoice is an error.";
    const EFFECT: Effect = Effect::Write;
    type Args = InvoiceArgs;
    type Output = Object;

    async fn call(&self, args: InvoiceArgs) -> Result<Object, ToolError> {
        let ask = Ask::new(&self.nodes, args.node);
        if args.label.is_blank() {
            return unnamed(ask, &args).await;
        }
        match make(ask, &args, args.label.as_str()).await {
            Err(error) if error.code == Some(LABEL_TAKEN) => reuse(ask, &args, &error).await,
            made => made,
        }
    }
}

async fn make(ask: Ask<'_>, args: &InvoiceArgs, label: &str) -> Result<Object, ToolError> {
    let params = json!({
        "amount_msat": args.amount_msat.0,
        "label": label,
        "description": args.description.as_str(),
    });
    let mut answer = ask.write("invoice", params).await?;
    answer.insert("label".to_owned(), label.into());
    Ok(answer)
}

/// Another process may take the free label first; then the next one is tried.
async fn unnamed(ask: Ask<'_>, args: &InvoiceArgs) -> Result<Object, ToolError> {
    let first = labels::free_number(ask).await?;
    let mut number = first;
    loop {
        match make(ask, args, &labels::label(number)).await {
            Err(error) if error.code == Some(LABEL_TAKEN) && number - first < MOST_RIVALS => number += 1,
            made => return made,
        }
    }
}

/// The invoice that has this label, if it is the one asked for and still unpaid.
async fn reuse(ask: Ask<'_>, args: &InvoiceArgs, error: &ToolError) -> Result<Object, ToolError> {
    let label = args.label.as_str();
    let mut listed = ask.read("listinvoices", json!({ "label": label })).await?;
    let first = listed.get_mut("invoices").and_then(|invoices| invoices.get_mut(0)).map(Value::take);
    let Some(Value::Object(mut invoice)) = first else { return Err(error.clone()) };
    let text = |key: &str| invoice.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (status, description) = (text("status"), text("description"));
    let amount = invoice.get("amount_msat").and_then(msat::read);
    if status == "unpaid" && description == args.description.as_str() && amount == Some(args.amount_msat.0) {
        invoice.insert("reused".to_owned(), true.into());
        return Ok(invoice);
    }
    let amount = amount.map_or_else(|| "any amount".to_owned(), |msat| msat.to_string());
    let message = format!(
        "the label `{label}` is taken by another invoice ({status}, {amount}, \"{description}\"): choose \
         another label"
    );
    Err(ToolError { message, ..error.clone() })
}

/// lightningd's code for a label in use.
const LABEL_TAKEN: i64 = 900;
/// How many labels others may take in the meantime.
const MOST_RIVALS: u64 = 16;

#[cfg(test)]
mod tests {
    use ln_agent_core::tool::ToolErrorKind;

    use super::*;
    use crate::testing::{Replay, Turn, recorded};

    fn args(amount_msat: impl Into<Value>, label: &str) -> Value {
        json!({ "node": 1, "amount_msat": amount_msat.into(), "label": label, "description": "coffee" })
    }

    async fn invoice(
        turns: impl IntoIterator<Item = Turn>,
        args: Value,
    ) -> (Result<Value, ToolError>, Vec<(String, Value)>) {
        let replay = Replay::node(turns);
        let outcome = replay.call(Invoice { nodes: replay.nodes() }, args).await;
        (outcome, replay.requests())
    }

    #[tokio::test]
    async fn an_invoice_is_made_and_its_label_returned() {
        let turn = recorded("134-invoice");

        let (payload, requests) = invoice([turn.clone()], args(json!(12_345_678), "inv-1")).await;

        let mut expected = turn.answer();
        expected["label"] = json!("inv-1");
        assert_eq!(payload, Ok(expected));
        assert_eq!(requests, [("invoice".to_owned(), turn.params())]);
    }

    #[tokio::test]
    async fn a_blank_label_is_replaced_by_a_free_one() {
        let none = Turn::result(json!({ "invoices": [] }));
        let rival = recorded("135-invoice-duplicate-label-err900");

        let (payload, requests) =
            invoice([none, rival, recorded("134-invoice")], args(json!(1_000), " ")).await;

        let labels: Vec<&Value> = requests.iter().map(|(_, params)| &params["label"]).collect();
        assert_eq!(labels, ["ln-agent-1", "ln-agent-1", "ln-agent-2"]);
        assert_eq!(payload.unwrap()["label"], "ln-agent-2");
    }

    #[tokio::test]
    async fn the_same_invoice_again_is_returned_and_not_refused() {
        let turns =
            [recorded("135-invoice-duplicate-label-err900"), recorded("152-listinvoices-label-unpaid")];

        let (payload, requests) = invoice(turns, args(json!(12_345_678), "inv-1")).await;

        let mut expected = recorded("152-listinvoices-label-unpaid").answer()["invoices"][0].clone();
        expected["reused"] = json!(true);
        assert_eq!(payload, Ok(expected));
        assert_eq!(requests[1], ("listinvoices".to_owned(), json!({ "label": "inv-1" })));
    }

    #[tokio::test]
    async fn a_label_of_another_or_of_a_paid_invoice_is_refused_by_name() {
        for (second, amount) in
            [("152-listinvoices-label-unpaid", 5_000), ("169-listinvoices-label-paid", 12_345_678)]
        {
            let turns = [recorded("135-invoice-duplicate-label-err900"), recorded(second)];

            let (outcome, _) = invoice(turns, args(json!(amount), "inv-1")).await;

            let error = outcome.unwrap_err();
            assert_eq!((error.kind, error.code), (ToolErrorKind::Failed, Some(900)));
            assert!(error.message.starts_with("the label `inv-1` is taken"), "{}", error.message);
        }
    }

    #[tokio::test]
    async fn amounts_of_nothing_are_refused_before_the_node_sees_them() {
        for amount in [json!(0), json!(-1), json!(1.5), json!("any"), json!(null)] {
            let (outcome, requests) = invoice([], args(amount.clone(), "x")).await;

            let error = outcome.unwrap_err();
            assert_eq!(error.kind, ToolErrorKind::InvalidArguments, "{amount}");
            assert!(error.message.contains("`amount_msat`"), "{}", error.message);
            assert_eq!(requests, []);
        }
    }
}
