//! Sentences about invoices, offers and money that moved.

use super::reading::{Reading, amount, text};
use super::words;

pub(super) fn sentence(tool: &str, read: Reading<'_>) -> Option<String> {
    match tool {
        "ln_invoice" => {
            let asked = amount_arg(read, "amount_msat")?;
            let label = read.arg("label").filter(|label| !label.trim().is_empty());
            let label = label.map(|label| format!(" with the label {label}")).unwrap_or_default();
            Some(format!("{} made an invoice for {asked}{label}: {}", read.node(), read.get("bolt11")?))
        }
        "ln_pay" | "ln_keysend" => paid(tool, read),
        "ln_offer" => {
            let asked = amount_arg(read, "amount_msat")?;
            let offer = read.get("offer").or_else(|| read.get("bolt12"))?;
            Some(format!("{} made a BOLT 12 offer for {asked}: {offer}", read.node()))
        }
        "ln_fetchinvoice" => Some(format!("{} fetched the invoice {}", read.node(), read.get("invoice")?)),
        "ln_withdraw" => {
            let sum = match read.args.get("amount_sat")? {
                all if all == "all" => "everything".to_owned(),
                sum => words::sat(sum.as_u64()?),
            };
            let (to, txid) = (read.arg("destination")?, text(read.payload, "txid")?);
            Some(format!("{} sent {sum} on-chain to {to}; the transaction is {txid}", read.node()))
        }
        _ => None,
    }
}

/// An amount of the arguments; a word such as `any` reads as any amount.
fn amount_arg(read: Reading<'_>, name: &str) -> Option<String> {
    let value = read.args.get(name)?;
    if value == "any" {
        return Some("any amount".to_owned());
    }
    serde_json::from_value(value.clone()).ok().map(words::msat)
}

fn paid(tool: &str, read: Reading<'_>) -> Option<String> {
    let status = read.get("status").unwrap_or_else(|| "complete".to_owned());
    let sum = amount(read.payload, "amount_msat");
    let sent = amount(read.payload, "amount_sent_msat");
    let what = sum.map_or_else(|| "the invoice".to_owned(), words::msat);
    let with_fees = match (sum, sent) {
        (Some(sum), Some(sent)) if sent > sum => format!(", {} with routing fees", words::msat(sent)),
        _ => String::new(),
    };
    let to = read.arg("destination").filter(|_| tool == "ln_keysend").map(|to| format!(" to {to}"));
    let verb = if status == "complete" { "paid" } else { "started to pay" };
    let proof = read.get("payment_preimage").map(|preimage| format!(", preimage {preimage}"));
    let hash = read.get("payment_hash").map(|hash| format!(", payment hash {hash}"));
    Some(format!(
        "{} {verb} {what}{}{with_fees}, status {status}{}{}",
        read.node(),
        to.unwrap_or_default(),
        hash.unwrap_or_default(),
        proof.unwrap_or_default()
    ))
}
