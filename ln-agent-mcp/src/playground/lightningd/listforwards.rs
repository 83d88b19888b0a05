use serde_json::{Value, json};

use super::call::{Call, Outcome, list, object};
use super::error::RpcError;
use super::listinvoices::Page;
use super::methods::Method;
use crate::playground::node::ForwardRow;

pub(super) const METHODS: &[Method] = &[Method {
    name: "listforwards",
    params: &["status?", "in_channel?", "out_channel?", "index?", "start?", "limit?"],
    writes: false,
    run,
}];

const STATUSES: [&str; 4] = ["offered", "settled", "local_failed", "failed"];

fn run(call: &mut Call<'_>) -> Outcome {
    let status = call.params.text("status")?;
    if let Some(unknown) = status.as_deref().filter(|status| !STATUSES.contains(status)) {
        return Err(RpcError::invalid("status", "Unrecognized status", &json!(unknown)));
    }
    let from = call.params.text("in_channel")?;
    let to = call.params.text("out_channel")?;
    let page = Page::of(call)?;
    let rows = call.node().book.forwards.iter().filter(|(_, row)| {
        status.as_ref().is_none_or(|status| row.status == *status)
            && from.as_ref().is_none_or(|scid| row.in_channel == *scid)
            && (to.is_none() || row.out_channel == to)
    });
    let picked = page.pick(rows, |(index, _)| (*index, Some(*index)));
    list("forwards", picked.into_iter().map(|(index, row)| view(index, row)).collect())
}

fn view(index: u64, row: &ForwardRow) -> Value {
    Value::Object(object([
        ("created_index", Some(json!(index))),
        ("updated_index", row.resolved_time.map(|_| json!(index))),
        ("in_channel", Some(json!(row.in_channel))),
        ("out_channel", row.out_channel.as_ref().map(|scid| json!(scid))),
        ("in_msat", row.in_msat.map(|amount| json!(amount))),
        ("out_msat", row.out_msat.map(|amount| json!(amount))),
        ("fee_msat", row.fee_msat.map(|amount| json!(amount))),
        ("status", Some(json!(row.status))),
        ("failcode", row.failcode.map(|code| json!(code))),
        ("failreason", row.failreason.as_ref().map(|text| json!(text))),
        ("style", Some(json!("tlv"))),
        ("received_time", Some(json!(row.received_time))),
        ("resolved_time", row.resolved_time.map(|at| json!(at))),
    ]))
}
