use std::time::Duration;

use serde_json::Value;

use super::call::{Answer, Call, Outcome, Wait};
use super::error::RpcError;
use super::listinvoices::{describe, status};
use super::methods::Method;
use crate::playground::world::World;

pub(super) const METHODS: &[Method] = &[
    Method { name: "waitinvoice", params: &["label"], writes: false, run: waitinvoice },
    Method {
        name: "waitanyinvoice",
        params: &["lastpay_index?", "timeout?"],
        writes: false,
        run: waitanyinvoice,
    },
    Method { name: "delinvoice", params: &["label", "status", "desconly?"], writes: true, run: delinvoice },
];

fn waitinvoice(call: &mut Call<'_>) -> Outcome {
    let label = call.params.required_text("label")?;
    if call.node().book.invoices.find(|row| row.label == label).is_none() {
        return Err(RpcError::new(-1, "Label not found"));
    }
    let me = call.me;
    let ready = move |world: &World| {
        let found = world.nodes.get(&me).and_then(|node| node.book.invoices.find(|row| row.label == label));
        let Some((index, row)) = found else {
            return Some(Err(RpcError::new(905, "Invoice deleted during wait")));
        };
        let now = world.now();
        let view = Value::Object(describe(index, row, now));
        match status(row, now) {
            "paid" => Some(Ok(view)),
            "expired" => Some(Err(RpcError::new(903, "invoice expired during wait").with_data(view))),
            _ => None,
        }
    };
    wait(call.world, ready, None)
}

fn waitanyinvoice(call: &mut Call<'_>) -> Outcome {
    let last = call.params.number("lastpay_index")?.unwrap_or_default();
    let timeout = call.params.number("timeout")?.map(Duration::from_secs);
    let me = call.me;
    let ready = move |world: &World| {
        let rows = world.nodes.get(&me)?.book.invoices.iter();
        let paid = rows.filter_map(|(index, row)| Some((row.paid.as_ref()?.pay_index, index, row)));
        let next = paid.filter(|(pay_index, ..)| *pay_index > last).min_by_key(|(pay_index, ..)| *pay_index);
        next.map(|(_, index, row)| Ok(Value::Object(describe(index, row, world.now()))))
    };
    wait(call.world, ready, timeout)
}

fn wait(
    world: &World,
    ready: impl Fn(&World) -> Option<Result<Value, RpcError>> + 'static,
    timeout: Option<Duration>,
) -> Outcome {
    match ready(world) {
        Some(outcome) => outcome.map(Answer::Done),
        None => Ok(Answer::Later(Wait {
            ready: Box::new(ready),
            timeout,
            late: RpcError::new(904, "Timed out while waiting for invoice to be paid"),
        })),
    }
}

fn delinvoice(call: &mut Call<'_>) -> Outcome {
    let label = call.params.required_text("label")?;
    let expected = call.params.required_text("status")?;
    let only_description = call.params.flag("desconly")?.unwrap_or(false);
    let now = call.world.now();
    let book = &mut call.node_mut().book;
    let found = book.invoices.find(|row| row.label == label);
    let (index, row) = found.ok_or_else(|| RpcError::new(905, "Unknown invoice"))?;
    let current = status(row, now);
    if current != expected {
        return Err(RpcError::new(906, format!("Invoice status is {current} not {expected}"))
            .with_data(serde_json::json!({ "current_status": current, "expected_status": expected })));
    }
    let mut view = describe(index, row, now);
    if only_description {
        view.shift_remove("description");
        if let Some(row) = book.invoices.edit(index) {
            row.description = None;
        }
    } else {
        book.invoices.remove(index);
    }
    Ok(Answer::Done(Value::Object(view)))
}
