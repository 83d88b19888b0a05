//! Payments: invoices paid, and money sent without one.

use serde_json::{Value, json};

use super::look::{Finding, Look, Seen, list, msat, pick, text};
use crate::types::{Msat, Object};

/// The payer's channels hold less than before; while the payment still settles, its own record decides.
pub(super) const PAID: &[Look] = &[
    Look { tool: "ln_listfunds", args: payer, before: true, absent: &[], judge: spent },
    Look { tool: "ln_listpays", args: paid_invoice, before: false, absent: &[], judge: completed },
];
pub(super) const SENT: &[Look] = &[
    Look { tool: "ln_listfunds", args: payer, before: true, absent: &[], judge: spent },
    Look { tool: "ln_listpays", args: payer, before: false, absent: &[], judge: completed },
];
/// The payment's record alone, for the end of a run.
pub(super) const RECORDED: &[Look] =
    &[Look { tool: "ln_listpays", args: paid_invoice, before: false, absent: &[], judge: completed }];

fn payer(args: &Object, _payload: &Value) -> Option<Object> {
    pick(args, &[("from_node", "node")])
}

/// A BOLT 12 invoice is found by its hash only, so all payments are listed.
fn paid_invoice(args: &Object, payload: &Value) -> Option<Object> {
    let bolt11 = args.get("bolt11").and_then(Value::as_str);
    match bolt11.filter(|invoice| !invoice.to_ascii_lowercase().contains("lni1")) {
        Some(_) => pick(args, &[("from_node", "node"), ("bolt11", "bolt11")]),
        None => payer(args, payload),
    }
}

fn spent(seen: &Seen<'_>) -> Finding {
    let (Some(before), Some(now)) = (seen.before.and_then(in_channels), in_channels(seen.now)) else {
        return Finding::Undecided("the payer's funds before the payment are not known".to_owned());
    };
    let Some(amount) = msat(seen.done.payload, "amount_msat") else {
        return Finding::Undecided("the answer does not name the amount".to_owned());
    };
    match before.0.checked_sub(now.0) {
        Some(less) if less >= amount.0 => Finding::confirmed(
            format!("the payer's channels hold {} msat, {less} msat less than before", now.0),
            json!({ "before_msat": before, "now_msat": now }),
        ),
        _ => Finding::Undecided(format!(
            "the payer's channels hold {} msat after {} msat, and {} msat were to be paid",
            now.0, before.0, amount.0
        )),
    }
}

fn completed(seen: &Seen<'_>) -> Finding {
    let hash = text(seen.done.payload, "payment_hash");
    let invoice = seen.done.args.get("bolt11").and_then(Value::as_str);
    let pays = || {
        list(seen.now, "pays").iter().filter(|pay| match (hash, text(pay, "payment_hash")) {
            (Some(hash), Some(paid)) => hash == paid,
            _ => invoice.is_some() && text(pay, "bolt11") == invoice,
        })
    };
    // Earlier attempts with the same hash stay listed as failed.
    let with = |status: &str| pays().find(|pay| text(pay, "status") == Some(status));
    let named = hash.unwrap_or("without a hash");
    if let Some(pay) = with("complete") {
        let amount = msat(pay, "amount_sent_msat").or_else(|| msat(pay, "amount_msat"));
        let sent = amount.map(|amount| format!(", {} msat sent", amount.0)).unwrap_or_default();
        return Finding::confirmed(format!("payment {named} is complete{sent}"), excerpt(pay));
    }
    if with("pending").is_some() {
        return Finding::Undecided(format!("payment {named} is still pending"));
    }
    match with("failed") {
        Some(pay) => Finding::contradicted(format!("payment {named} failed"), excerpt(pay)),
        None => Finding::contradicted(format!("there is no payment {named}"), Value::Null),
    }
}

/// What a node owns in its channels; `None` when it does not say.
pub(super) fn in_channels(funds: &Value) -> Option<Msat> {
    let channels = funds.get("channels")?.as_array()?;
    channels.iter().try_fold(Msat(0), |sum, channel| sum.checked_add(msat(channel, "our_amount_msat")?))
}

fn excerpt(pay: &Value) -> Value {
    const MEMBERS: [&str; 5] = ["payment_hash", "status", "amount_msat", "amount_sent_msat", "preimage"];
    MEMBERS
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), pay.get(name)?.clone())))
        .collect::<Object>()
        .into()
}
