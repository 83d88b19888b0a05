//! What a node asks for: invoices and offers.

use serde_json::{Value, json};

use super::look::{Finding, Look, Seen, list, pick, text};
use crate::types::Object;

pub(super) const INVOICED: &[Look] =
    &[Look { tool: "ln_listinvoices", args: by_label, before: false, absent: &[], judge: invoiced }];
pub(super) const OFFERED: &[Look] =
    &[Look { tool: "ln_listoffers", args: of_node, before: false, absent: &[], judge: offered }];

fn of_node(args: &Object, _payload: &Value) -> Option<Object> {
    pick(args, &[("node", "node")])
}

/// The label as sent, or as the tool made it; without one, all invoices.
fn by_label(args: &Object, payload: &Value) -> Option<Object> {
    let mut read = pick(args, &[("node", "node")])?;
    let given = args.get("label").and_then(Value::as_str).filter(|label| !label.trim().is_empty());
    if let Some(label) = text(payload, "label").or(given) {
        read.insert("label".to_owned(), label.into());
    }
    Some(read)
}

fn invoiced(seen: &Seen<'_>) -> Finding {
    let same = |key: &str, invoice: &Value| {
        let made = text(seen.done.payload, key);
        made.is_some() && made == text(invoice, key)
    };
    let found =
        list(seen.now, "invoices").iter().find(|one| same("payment_hash", one) || same("bolt11", one));
    let Some(invoice) = found else {
        return Finding::contradicted("the invoice is not among the node's invoices", Value::Null);
    };
    let label = text(invoice, "label").unwrap_or_default();
    let status = text(invoice, "status").unwrap_or("listed");
    Finding::confirmed(
        format!("invoice \"{label}\" is {status}"),
        json!({ "label": label, "status": status }),
    )
}

fn offered(seen: &Seen<'_>) -> Finding {
    let payload = seen.done.payload;
    let made = text(payload, "bolt12").or_else(|| text(payload, "offer"));
    let id = text(payload, "offer_id");
    let found = list(seen.now, "offers").iter().find(|offer| {
        (made.is_some() && text(offer, "bolt12") == made) || (id.is_some() && text(offer, "offer_id") == id)
    });
    let Some(offer) = found else {
        return Finding::contradicted("the offer is not among the node's offers", Value::Null);
    };
    let active = offer.get("active").and_then(Value::as_bool).unwrap_or(true);
    let observed = json!({ "offer_id": text(offer, "offer_id"), "active": active });
    if active {
        Finding::confirmed("the offer is listed and active", observed)
    } else {
        Finding::contradicted("the offer is listed but not active", observed)
    }
}
