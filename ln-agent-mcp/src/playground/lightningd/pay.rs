use serde_json::{Value, json};

use super::call::{Answer, Call, Outcome, object};
use super::error::RpcError;
use super::methods::Method;
use super::sending::{self, Bill};
use crate::playground::node::{PayRow, PayStatus};

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "pay",
        params: &[
            "bolt11?",
            "amount_msat?",
            "label?",
            "riskfactor?",
            "maxfeepercent?",
            "retry_for?",
            "maxdelay?",
            "exemptfee?",
            "localinvreqid?",
            "exclude?",
            "maxfee?",
            "description?",
            "partial_msat?",
            // The older name of the first.
            "invstring?",
        ],
        writes: true,
        run: pay,
    },
    Method {
        name: "xpay",
        params: &[
            "invstring",
            "amount_msat?",
            "maxfee?",
            "layers?",
            "retry_for?",
            "partial_msat?",
            "maxdelay?",
            "payer_note?",
            "label?",
        ],
        writes: true,
        run: xpay,
    },
];

/// What would change the payment and is not supported is refused, not ignored.
fn refuse_unsupported(call: &Call<'_>) -> Result<(), RpcError> {
    for name in ["partial_msat", "exclude", "layers", "localinvreqid"] {
        if call.params.get(name).is_some() {
            return Err(RpcError::usage(format!("{name}: the playground does not support this parameter")));
        }
    }
    Ok(())
}

fn pay(call: &mut Call<'_>) -> Outcome {
    refuse_unsupported(call)?;
    let text = match call.params.text("invstring")? {
        Some(text) => text,
        None => call.params.required_text("bolt11")?,
    };
    let mut bill = Bill::read(call, &text)?;
    if let Some(paid) = earlier(call, &bill)? {
        return Ok(Answer::Done(pay_result(paid)));
    }
    bill.check_payable(call)?;
    bill.max_fee_msat = max_fee(call, bill.amount_msat)?;
    let hash = bill.payment_hash.clone();
    sending::send(call, bill)?;
    sending::answer(call, hash, pay_result)
}

fn xpay(call: &mut Call<'_>) -> Outcome {
    refuse_unsupported(call)?;
    let text = call.params.required_text("invstring")?;
    let text = if sending::bare(&text).starts_with("lno1") {
        let amount = call.params.msat("amount_msat")?;
        let note = call.params.text("payer_note")?;
        let invoice = super::fetchinvoice::request(call, &text, amount, None, note).map_err(|error| {
            if error.message == "amount_msat parameter required" {
                RpcError::usage("Must specify amount for this offer")
            } else {
                error
            }
        })?;
        call.params.forget("amount_msat");
        crate::playground::world::bolt12_text(&invoice)
    } else {
        text
    };
    let mut bill = Bill::read(call, &text)?;
    if earlier(call, &bill)?.is_some() {
        return Err(RpcError::new(219, "Already paid this invoice successfully"));
    }
    bill.check_payable(call)?;
    bill.max_fee_msat = max_fee(call, bill.amount_msat)?;
    let hash = bill.payment_hash.clone();
    sending::send(call, bill)?;
    sending::answer(call, hash, xpay_result)
}

/// What became of an earlier payment of the same invoice: its row if it succeeded, an error if it is under way.
fn earlier<'a>(call: &'a Call<'_>, bill: &Bill) -> Result<Option<&'a PayRow>, RpcError> {
    let rows = call.node().book.pays.iter().filter(|(_, row)| row.payment_hash == bill.payment_hash);
    for (_, row) in rows {
        match row.status {
            PayStatus::Complete => return Ok(Some(row)),
            PayStatus::Pending => {
                return Err(RpcError::new(
                    -3,
                    "Unexpected injectpaymentonion error 200: Payment still in progress, cannot retry before that completes",
                ));
            }
            PayStatus::Failed => {}
        }
    }
    Ok(None)
}

/// xpay's default is 1 % or 5 sat, whichever is more; `maxfeepercent` and `exemptfee` are pay's older words.
pub(super) fn max_fee(call: &Call<'_>, amount_msat: u64) -> Result<u64, RpcError> {
    const EXEMPT_MSAT: u64 = 5_000;
    let params = &call.params;
    let percent = params.get("maxfeepercent");
    let exempt = params.msat("exemptfee")?;
    if let Some(max) = params.msat("maxfee")? {
        if percent.is_some() || exempt.is_some() {
            return Err(RpcError::usage("If you specify maxfee, cannot specify maxfeepercent or exemptfee."));
        }
        return Ok(max);
    }
    let millionths = match percent {
        None => 10_000,
        Some(value) => millionths_of_percent(value).ok_or_else(|| {
            RpcError::invalid("maxfeepercent", "should be a positive floating-point number", value)
        })?,
    };
    let share = u128::from(amount_msat) * u128::from(millionths) / 1_000_000;
    Ok(u64::try_from(share).unwrap_or(u64::MAX).max(exempt.unwrap_or(EXEMPT_MSAT)))
}

/// `0.5` as 5,000 millionths, read from its digits so that no float touches money.
fn millionths_of_percent(value: &Value) -> Option<u64> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let fraction = fraction.get(..4).unwrap_or(fraction);
    format!("{whole}{fraction:0<4}").parse().ok()
}

fn pay_result(row: &PayRow) -> Value {
    Value::Object(object([
        ("payment_preimage", row.preimage.as_ref().map(|text| json!(text))),
        ("amount_msat", Some(json!(row.amount_msat))),
        ("amount_sent_msat", Some(json!(row.amount_msat + row.fee_msat))),
        ("parts", Some(json!(sending::succeeded(row)))),
        ("destination", row.destination.as_ref().map(|id| json!(id))),
        ("payment_hash", Some(json!(row.payment_hash))),
        ("status", Some(json!(row.status))),
        ("created_at", Some(json!(row.created_at))),
    ]))
}

pub(super) fn xpay_result(row: &PayRow) -> Value {
    let failed = row.parts.iter().filter(|part| part.status == PayStatus::Failed).count();
    json!({
        "payment_preimage": row.preimage,
        "amount_msat": row.amount_msat,
        "amount_sent_msat": row.amount_msat + row.fee_msat,
        "failed_parts": failed,
        "successful_parts": sending::succeeded(row),
    })
}
