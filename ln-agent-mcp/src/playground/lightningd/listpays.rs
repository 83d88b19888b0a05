use serde_json::{Value, json};

use super::call::{Call, Outcome, list, object};
use super::error::RpcError;
use super::listinvoices::Page;
use super::methods::Method;
use super::sending::bare;
use crate::playground::node::{Part, PayRow, PayStatus};
use crate::playground::world::bytes32;

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "listpays",
        params: &["bolt11?", "payment_hash?", "status?", "index?", "start?", "limit?"],
        writes: false,
        run: listpays,
    },
    Method {
        name: "listsendpays",
        params: &["bolt11?", "payment_hash?", "status?", "index?", "start?", "limit?"],
        writes: false,
        run: listsendpays,
    },
];

fn listpays(call: &mut Call<'_>) -> Outcome {
    let rows = selected(call)?;
    list("pays", rows.into_iter().map(|(index, row)| pay(index, row)).collect())
}

fn listsendpays(call: &mut Call<'_>) -> Outcome {
    let rows = selected(call)?;
    list("payments", rows.into_iter().flat_map(|(index, row)| parts(index, row)).collect())
}

fn selected<'a>(call: &'a Call<'_>) -> Result<Vec<(u64, &'a PayRow)>, RpcError> {
    let invoice = call.params.text("bolt11")?.map(|text| bare(&text));
    let hash = call.params.hash("payment_hash")?;
    let status = match call.params.text("status")?.as_deref() {
        None => None,
        Some("pending") => Some(PayStatus::Pending),
        Some("complete") => Some(PayStatus::Complete),
        Some("failed") => Some(PayStatus::Failed),
        Some(other) => return Err(RpcError::invalid("status", "should be an invoice status", &json!(other))),
    };
    let page = Page::of(call)?;
    let rows = call.node().book.pays.iter().filter(|(_, row)| {
        invoice
            .as_ref()
            .is_none_or(|text| row.bolt11.as_ref() == Some(text) || row.bolt12.as_ref() == Some(text))
            && hash.as_ref().is_none_or(|hash| row.payment_hash == *hash)
            && status.is_none_or(|status| row.status == status)
    });
    Ok(page.pick(rows, |(index, row)| (*index, row.updated_index)))
}

fn pay(index: u64, row: &PayRow) -> Value {
    let complete = row.status == PayStatus::Complete;
    let sent = if row.status == PayStatus::Failed { 0 } else { row.amount_msat + row.fee_msat };
    let parts = row.parts.iter().filter(|part| part.status == PayStatus::Complete).count();
    Value::Object(object([
        ("bolt11", row.bolt11.as_ref().map(|text| json!(text))),
        ("bolt12", row.bolt12.as_ref().map(|text| json!(text))),
        ("destination", row.destination.as_ref().map(|id| json!(id))),
        ("payment_hash", Some(json!(row.payment_hash))),
        ("status", Some(json!(row.status))),
        ("label", row.label.as_ref().map(|text| json!(text))),
        // Core Lightning shows a description only where the invoice string does not hold it.
        ("created_at", Some(json!(row.created_at))),
        ("completed_at", row.completed_at.filter(|_| complete).map(|at| json!(at))),
        ("preimage", row.preimage.as_ref().map(|text| json!(text))),
        ("amount_msat", complete.then(|| json!(row.amount_msat))),
        ("amount_sent_msat", Some(json!(sent))),
        ("number_of_parts", (parts > 1).then(|| json!(parts))),
        ("created_index", Some(json!(index))),
        ("updated_index", row.updated_index.map(|index| json!(index))),
    ]))
}

fn parts(index: u64, row: &PayRow) -> Vec<Value> {
    let whole = Part { amount_msat: row.amount_msat, fee_msat: row.fee_msat, status: row.status };
    let parts = if row.parts.is_empty() { std::slice::from_ref(&whole) } else { row.parts.as_slice() };
    (1_u64..).zip(parts).map(|(partid, part)| sendpay(index, partid, row, part)).collect()
}

fn sendpay(index: u64, partid: u64, row: &PayRow, part: &Part) -> Value {
    let complete = part.status == PayStatus::Complete;
    Value::Object(object([
        ("created_index", Some(json!(index))),
        ("id", Some(json!(index))),
        ("payment_hash", Some(json!(row.payment_hash))),
        ("groupid", Some(json!(group(row)))),
        ("updated_index", row.updated_index.map(|index| json!(index))),
        ("partid", Some(json!(partid))),
        ("destination", row.destination.as_ref().map(|id| json!(id))),
        ("amount_msat", Some(json!(part.amount_msat))),
        ("amount_sent_msat", Some(json!(part.amount_msat + part.fee_msat))),
        ("created_at", Some(json!(row.created_at))),
        ("completed_at", row.completed_at.map(|at| json!(at))),
        ("status", Some(json!(part.status))),
        ("payment_preimage", row.preimage.as_ref().filter(|_| complete).map(|text| json!(text))),
        ("label", row.label.as_ref().map(|text| json!(text))),
        ("bolt11", row.bolt11.as_ref().map(|text| json!(text))),
        ("bolt12", row.bolt12.as_ref().map(|text| json!(text))),
    ]))
}

/// Core Lightning numbers the attempts of a payment with 64 random bits; ours come from the attempt's id.
fn group(row: &PayRow) -> u64 {
    let id = bytes32(&row.payment_id).unwrap_or_default();
    id.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte)) >> 1
}
