use serde_json::{Value, json};

use lightning::sign::EntropySource;

use super::call::{Call, Outcome, object};
use super::error::RpcError;
use super::methods::Method;
use super::sending::{self, Bill};
use crate::playground::node::PayRow;

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "keysend",
        params: &[
            "destination",
            "amount_msat",
            "label?",
            "maxfeepercent?",
            "retry_for?",
            "maxdelay?",
            "exemptfee?",
            "maxfee?",
        ],
        writes: true,
        run: keysend,
    },
    Method {
        name: "xkeysend",
        params: &["destination", "amount_msat", "maxfee?", "retry_for?", "maxdelay?", "label?"],
        writes: true,
        run: xkeysend,
    },
];

fn keysend(call: &mut Call<'_>) -> Outcome {
    let hash = send(call).map_err(|error| match error.code {
        // keysend is older than xpay and knows one word for all of these.
        205 | 206 => RpcError::new(210, "Ran out of routes to try after 1 attempt: see `paystatus`"),
        _ => error,
    })?;
    sending::answer(call, hash, result)
}

fn xkeysend(call: &mut Call<'_>) -> Outcome {
    let hash = send(call)?;
    sending::answer(call, hash, super::pay::xpay_result)
}

/// Sends the payment and gives its hash.
fn send(call: &mut Call<'_>) -> Result<String, RpcError> {
    let destination = call.params.node_id("destination")?;
    let destination =
        destination.ok_or_else(|| RpcError::usage("missing required parameter: destination"))?;
    let amount = call.params.msat("amount_msat")?.unwrap_or_default();
    if amount == 0 {
        let given = call.params.required("amount_msat")?;
        return Err(RpcError::invalid("amount_msat", "should be a positive millisatoshi amount", given));
    }
    if destination == call.live().id {
        return Err(RpcError::usage(
            "We are the destination. Keysend cannot be used to send funds to yourself",
        ));
    }
    let max_fee = super::pay::max_fee(call, amount)?;
    let bill = Bill::keysend(destination, amount, max_fee, call.live().keys.get_secure_random_bytes());
    let hash = bill.payment_hash.clone();
    sending::send(call, bill)?;
    Ok(hash)
}

fn result(row: &PayRow) -> Value {
    Value::Object(object([
        ("destination", row.destination.as_ref().map(|id| json!(id))),
        ("payment_hash", Some(json!(row.payment_hash))),
        ("created_at", Some(json!(row.created_at))),
        ("parts", Some(json!(sending::succeeded(row)))),
        ("amount_msat", Some(json!(row.amount_msat))),
        ("amount_sent_msat", Some(json!(row.amount_msat + row.fee_msat))),
        ("payment_preimage", row.preimage.as_ref().map(|text| json!(text))),
        ("status", Some(json!(row.status))),
    ]))
}
