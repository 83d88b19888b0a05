//! Sentences about invoices, offers and money that moved.

use super::reading::{Reading, amount, text};
use super::said::Said;
use super::scene::short;
use super::words;

pub(super) fn said(tool: &str, read: Reading<'_>) -> Option<Said> {
    match tool {
        "ln_invoice" => invoice(read),
        "ln_pay" | "ln_keysend" => paid(tool, read),
        "ln_offer" => {
            let asked = amount_arg(read, "amount_msat")?;
            let offer = read.get("offer").or_else(|| read.get("bolt12"))?;
            Some(Said::act(format!("{} made a BOLT 12 offer for {asked}", read.node())).with(vec![offer]))
        }
        "ln_fetchinvoice" => {
            Some(Said::act(format!("{} fetched an invoice", read.node())).with(vec![read.get("invoice")?]))
        }
        "ln_withdraw" => {
            let sum = match read.args.get("amount_sat")? {
                all if all == "all" => "everything".to_owned(),
                sum => words::sat(sum.as_u64()?),
            };
            let to = read.scene.place(&read.arg("destination")?);
            Some(
                Said::act(format!("{} sent {sum} on-chain to {to}", read.node()))
                    .worth("transaction", text(read.payload, "txid")),
            )
        }
        _ => None,
    }
}

/// The invoice is the thing that was wanted; where its payment failed, its label is enough to find it again.
fn invoice(read: Reading<'_>) -> Option<Said> {
    let asked = amount_arg(read, "amount_msat")?;
    let given = read.arg("label").filter(|label| !label.trim().is_empty());
    let label = if read.scene.troubled { given.or_else(|| read.get("label")) } else { given };
    let label = label.map(|label| format!(" with the label {label}")).unwrap_or_default();
    let text = format!("{} made an invoice for {asked}{label}", read.node());
    if read.scene.troubled {
        return Some(Said::act(format!("{text}, not paid")));
    }
    Some(Said::act(text).with(vec![read.get("bolt11")?]))
}

/// An amount of the arguments; a word such as `any` reads as any amount.
fn amount_arg(read: Reading<'_>, name: &str) -> Option<String> {
    let value = read.args.get(name)?;
    if value == "any" {
        return Some("any amount".to_owned());
    }
    serde_json::from_value(value.clone()).ok().map(words::msat)
}

fn paid(tool: &str, read: Reading<'_>) -> Option<Said> {
    let status = read.get("status").unwrap_or_else(|| "complete".to_owned());
    let sum = amount(read.payload, "amount_msat");
    let sent = amount(read.payload, "amount_sent_msat");
    let fees = match (sum, sent) {
        (Some(sum), Some(sent)) if sent > sum => {
            format!(", {} with routing fees", words::msat(sent))
        }
        _ => String::new(),
    };
    let payee = read.arg("bolt11").and_then(|invoice| read.scene.payee(&invoice));
    let to = read.arg("destination").or_else(|| read.get("destination")).map(|to| read.scene.peer(&to));
    let what = match (payee, to, sum) {
        (Some(payee), _, Some(sum)) => format!("{payee}'s invoice over {}", words::msat(sum)),
        (Some(payee), _, None) => format!("{payee}'s invoice"),
        (None, Some(to), Some(sum)) if to.starts_with("node ") => format!("{to} {}", words::msat(sum)),
        (None, Some(to), Some(sum)) => format!("{} to {to}", words::msat(sum)),
        (None, _, Some(sum)) => words::msat(sum),
        (None, _, None) => "the invoice".to_owned(),
    };
    let already = read.payload.get("already_paid").is_some_and(|paid| paid == true);
    let verb = match status.as_str() {
        "complete" if already => "had already paid",
        "complete" => "paid",
        _ => "started to pay",
    };
    let without = if tool == "ln_keysend" { " without an invoice" } else { "" };
    let asked = |phrases: &[&str], name: &str| read.get(name).filter(|_| read.scene.asks(phrases));
    Some(
        Said::act(format!("{} {verb} {what}{without}{fees}", read.node()))
            .worth("payment hash", asked(&["hash"], "payment_hash"))
            .worth("preimage", asked(&["preimage", "proof"], "payment_preimage")),
    )
}

/// The beginning of a payment hash, for lists.
pub(super) fn hash(value: &serde_json::Value) -> Option<String> {
    text(value, "payment_hash").map(|hash| short(&hash))
}
