use serde_json::{Map, Value, json};

use super::call::{Answer, Call, Outcome};
use super::error::RpcError;
use super::methods::Method;
use crate::playground::node::FEERATE_PER_KW;

pub(super) const METHODS: &[Method] = &[
    Method { name: "feerates", params: &["style"], writes: false, run },
    Method { name: "parsefeerate", params: &["feerate"], writes: false, run: parsefeerate },
];

/// Weights of the transactions that Core Lightning prices here, in weight units.
const PRICED: [(&str, u64); 5] = [
    ("opening_channel_satoshis", 700),
    ("mutual_close_satoshis", 673),
    ("unilateral_close_satoshis", 598),
    ("htlc_timeout_satoshis", 663),
    ("htlc_success_satoshis", 703),
];
const NAMES: [&str; 7] =
    ["opening", "mutual_close", "unilateral_close", "penalty", "min_acceptable", "floor", "splice"];

fn run(call: &mut Call<'_>) -> Outcome {
    let style = call.params.required("style")?;
    let per_kilobyte = match style.as_str() {
        Some("perkw") => false,
        Some("perkb") => true,
        _ => return Err(RpcError::usage(format!("'style' should be 'perkw' or 'perkb', not '{style}'"))),
    };
    let style = if per_kilobyte { "perkb" } else { "perkw" };
    let rate = if per_kilobyte { FEERATE_PER_KW * 4 } else { FEERATE_PER_KW };
    let mut rates: Map<String, Value> = NAMES.iter().map(|name| ((*name).to_owned(), json!(rate))).collect();
    rates.insert("max_acceptable".to_owned(), json!(rate * 20));
    let estimates = [2, 6, 12, 100];
    let estimates =
        estimates.map(|blocks| json!({"blockcount": blocks, "feerate": rate, "smoothed_feerate": rate}));
    rates.insert("estimates".to_owned(), json!(estimates));
    let prices: Map<String, Value> = PRICED
        .iter()
        .map(|(name, weight)| {
            ((*name).to_owned(), json!((weight * u64::from(FEERATE_PER_KW)).div_ceil(1_000)))
        })
        .collect();
    Ok(Answer::Done(json!({ style: rates, "onchain_fee_estimates": prices })))
}

fn parsefeerate(call: &mut Call<'_>) -> Outcome {
    let per_kw = super::feerate::read(&call.params, "feerate")?;
    Ok(Answer::Done(json!({ "perkw": per_kw })))
}
