//! Sentences about connections, channels, passthrough and HTTP.

use serde_json::Value;

use super::reading::{Reading, number, plain, text};
use super::words::{self, sat};
use crate::types::Msat;

pub(super) fn sentence(tool: &str, read: Reading<'_>) -> Option<String> {
    match tool {
        "ln_connect" => Some(format!(
            "{} is connected to {}",
            read.node(),
            read.get("id").or_else(|| read.arg("peer_id"))?
        )),
        "ln_openchannel" => opened(read),
        "ln_closechannel" => closed(read),
        "ln_setchannel" => fees(read),
        "ln_raw" | "btc_raw" => {
            Some(format!("{tool} {} answered {}", read.arg("command")?, digest(read.payload)))
        }
        "http_fetch" => {
            let body = read.get("body").map(|body| format!(": {}", cut(&body))).unwrap_or_default();
            Some(format!("the answer of {} has HTTP status {}{body}", read.arg("url")?, read.get("status")?))
        }
        _ => None,
    }
}

/// A payload in one line: whole where it is short, its members where it is long.
pub(super) fn digest(payload: &Value) -> String {
    let whole = payload.to_string();
    if whole.chars().count() <= 300 {
        return whole;
    }
    match payload {
        Value::Object(members) => {
            format!("with the members {}", members.keys().cloned().collect::<Vec<_>>().join(", "))
        }
        Value::Array(list) => format!("with {}", words::count(list.len(), "element")),
        other => cut(&plain(other)),
    }
}

/// A long text, cut at a space so that no number or id is cut in two.
fn cut(text: &str) -> String {
    const MOST: usize = 300;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        None => line,
        Some((end, _)) => {
            let end = line[..end].rfind(' ').unwrap_or(0);
            format!("{} …", &line[..end])
        }
    }
}

fn opened(read: Reading<'_>) -> Option<String> {
    let size = number(read.payload, "actual_sat").or_else(|| read.args.get("amount_sat")?.as_u64());
    let size = size.map(|size| format!(" of {}", sat(size))).unwrap_or_default();
    let raised = match (number(read.payload, "requested_sat"), number(read.payload, "actual_sat")) {
        (Some(asked), Some(got)) if asked < got => format!(" (raised from {})", sat(asked)),
        _ => String::new(),
    };
    let peer = read.arg("peer_id").map(|peer| format!(" to {peer}")).unwrap_or_default();
    let funding = read.get("txid").or_else(|| read.get("funding_txid"));
    let funding = funding.map(|txid| format!("; the funding transaction is {txid}")).unwrap_or_default();
    Some(format!("{} opened a channel{size}{raised}{peer}{funding}", read.node()))
}

fn closed(read: Reading<'_>) -> Option<String> {
    let kind = read.get("type").map(|kind| format!(" ({kind})")).unwrap_or_default();
    let txids: Vec<String> =
        read.payload.get("txids").and_then(Value::as_array).into_iter().flatten().map(plain).collect();
    let closing = match txids.as_slice() {
        [] => text(read.payload, "txid").map(|txid| format!("; the closing transaction is {txid}")),
        [only] => Some(format!("; the closing transaction is {only}")),
        several => Some(format!("; the closing transactions are {}", several.join(", "))),
    };
    let peer = read.arg("peer_id")?;
    Some(format!("{} closed its channel with {peer}{kind}{}", read.node(), closing.unwrap_or_default()))
}

fn fees(read: Reading<'_>) -> Option<String> {
    let channels = read.payload.get("channels").and_then(Value::as_array)?;
    let lines: Vec<String> = channels
        .iter()
        .filter_map(|channel| {
            let base = words::msat(Msat(number(channel, "fee_base_msat")?));
            let ppm = words::grouped(number(channel, "fee_proportional_millionths")?);
            let name = text(channel, "short_channel_id").or_else(|| text(channel, "peer_id"))?;
            Some(format!("channel {name} now charges {base} and {ppm} ppm"))
        })
        .collect();
    (!lines.is_empty()).then(|| format!("{}: {}", read.node(), lines.join("; ")))
}
