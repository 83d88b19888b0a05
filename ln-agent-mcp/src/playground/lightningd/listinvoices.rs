use serde_json::{Map, Value, json};

use super::call::{Call, Outcome, list, object};
use super::error::RpcError;
use super::methods::Method;
use crate::playground::node::InvoiceRow;

pub(super) const METHODS: &[Method] = &[Method {
    name: "listinvoices",
    params: &["label?", "invstring?", "payment_hash?", "offer_id?", "index?", "start?", "limit?"],
    writes: false,
    run,
}];

fn run(call: &mut Call<'_>) -> Outcome {
    let label = call.params.text("label")?;
    let string = call.params.text("invstring")?;
    let hash = call.params.hash("payment_hash")?;
    let offer = call.params.text("offer_id")?;
    let selectors = [&label, &string, &hash, &offer].iter().filter(|selector| selector.is_some()).count();
    if selectors > 1 {
        return Err(RpcError::usage(
            "Can only specify one of {label}, {invstring}, {payment_hash} or {offer_id}",
        ));
    }
    let page = Page::of(call)?;
    let fits = |row: &InvoiceRow| {
        label.as_ref().is_none_or(|label| row.label == *label)
            && string
                .as_ref()
                .is_none_or(|text| row.bolt11.as_ref() == Some(text) || row.bolt12.as_ref() == Some(text))
            && hash.as_ref().is_none_or(|hash| row.payment_hash == *hash)
            && (offer.is_none() || row.offer_id == offer)
    };
    let now = call.world.now();
    let rows = call.node().book.invoices.iter().filter(|(_, row)| fits(row));
    let picked = page.pick(rows, |(index, row)| (*index, row.updated_index));
    list(
        "invoices",
        picked.into_iter().map(|(index, row)| Value::Object(describe(index, row, now))).collect(),
    )
}

/// One invoice as all invoice methods show it. `now` decides whether it has expired.
pub(super) fn describe(index: u64, row: &InvoiceRow, now: u64) -> Map<String, Value> {
    let paid = row.paid.as_ref();
    object([
        ("label", Some(json!(row.label))),
        ("bolt11", row.bolt11.as_ref().map(|text| json!(text))),
        ("bolt12", row.bolt12.as_ref().map(|text| json!(text))),
        ("payment_hash", Some(json!(row.payment_hash))),
        ("amount_msat", row.amount_msat.map(|amount| json!(amount))),
        ("status", Some(json!(status(row, now)))),
        ("pay_index", paid.map(|paid| json!(paid.pay_index))),
        ("amount_received_msat", paid.map(|paid| json!(paid.received_msat))),
        ("paid_at", paid.map(|paid| json!(paid.at))),
        ("payment_preimage", paid.map(|paid| json!(paid.preimage))),
        ("local_offer_id", row.offer_id.as_ref().map(|id| json!(id))),
        ("description", row.description.as_ref().map(|text| json!(text))),
        ("expires_at", Some(json!(row.expires_at))),
        ("created_index", Some(json!(index))),
        ("updated_index", row.updated_index.map(|index| json!(index))),
    ])
}

/// `paid`, `expired` or `unpaid`.
pub(super) fn status(row: &InvoiceRow, now: u64) -> &'static str {
    match row.paid {
        Some(_) => "paid",
        None if now > row.expires_at => "expired",
        None => "unpaid",
    }
}

/// `index`, `start` and `limit`, which many lists share.
#[derive(Debug)]
pub(super) struct Page {
    updated: bool,
    start: u64,
    limit: usize,
}

impl Page {
    pub(super) fn of(call: &Call<'_>) -> Result<Self, RpcError> {
        let index = call.params.text("index")?;
        let start = call.params.number("start")?;
        let limit = call.params.number("limit")?;
        for (name, given) in [("start", start.is_some()), ("limit", limit.is_some())] {
            if given && index.is_none() {
                return Err(RpcError::usage(format!("Can only specify {{{name}}} with {{index}}")));
            }
        }
        let updated = match index.as_deref() {
            None | Some("created") => false,
            Some("updated") => true,
            Some(other) => return Err(RpcError::invalid("index", "Unrecognized index", &json!(other))),
        };
        let limit = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(Self { updated, start: start.unwrap_or_default(), limit })
    }

    /// The rows of this page. `indices` gives a row's created and updated index.
    pub(super) fn pick<R>(
        &self,
        rows: impl Iterator<Item = R>,
        indices: impl Fn(&R) -> (u64, Option<u64>),
    ) -> Vec<R> {
        let mut keyed: Vec<(u64, R)> = rows
            .filter_map(|row| {
                let (created, updated) = indices(&row);
                let key = if self.updated { updated? } else { created };
                (key >= self.start).then_some((key, row))
            })
            .collect();
        keyed.sort_by_key(|(key, _)| *key);
        keyed.into_iter().take(self.limit).map(|(_, row)| row).collect()
    }
}
