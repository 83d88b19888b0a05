//! Sentences about connections, channels, passthrough and HTTP.

use serde_json::Value;

use super::reading::{Reading, number, plain, text};
use super::said::Said;
use super::words::{self, sat};
use crate::types::Msat;

pub(super) fn said(tool: &str, read: Reading<'_>) -> Option<Said> {
    match tool {
        "ln_connect" => {
            let peer = read.arg("peer_id").or_else(|| read.get("id"))?;
            Some(Said::act(format!("{} is connected to {}", read.node(), read.scene.peer(&peer))))
        }
        "ln_openchannel" => opened(read),
        "ln_closechannel" => closed(read),
        "ln_setchannel" => fees(read),
        "ln_raw" | "btc_raw" => {
            let who = if tool == "btc_raw" { "bitcoind".to_owned() } else { read.node() };
            Some(Said::fact(format!(
                "the answer of {who} to {} is {}",
                read.arg("command")?,
                digest(read.payload)
            )))
        }
        "http_fetch" => {
            let body = read.get("body").map(|body| format!(": {}", cut(&body))).unwrap_or_default();
            let (url, status) = (read.arg("url")?, read.get("status")?);
            Some(Said::fact(format!("the answer of {url} has HTTP status {status}{body}")))
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

fn opened(read: Reading<'_>) -> Option<Said> {
    let size = number(read.payload, "actual_sat").or_else(|| read.args.get("amount_sat")?.as_u64());
    let size = size.map(|size| format!("{} ", sat(size))).unwrap_or_default();
    let raised = match (number(read.payload, "requested_sat"), number(read.payload, "actual_sat")) {
        (Some(asked), Some(got)) if asked < got => format!(" (raised from {})", sat(asked)),
        _ => String::new(),
    };
    let peer = read.arg("peer_id").map(|peer| format!(" to {}", read.scene.peer(&peer))).unwrap_or_default();
    let article = if size.starts_with('8') { "an" } else { "a" };
    Some(
        Said::act(format!("{} opened {article} {size}channel{peer}{raised}", read.node()))
            .worth("funding transaction", read.get("txid").or_else(|| read.get("funding_txid"))),
    )
}

fn closed(read: Reading<'_>) -> Option<Said> {
    let kind = read.get("type").map(|kind| format!(" ({kind} close)")).unwrap_or_default();
    let peer = read.arg("peer_id")?;
    let which = if peer.contains('x') && peer.len() < 40 {
        format!("channel {peer}")
    } else {
        format!("its channel with {}", read.scene.peer(&peer))
    };
    let mut said = Said::act(format!("{} closed {which}{kind}", read.node()));
    let txids = read.payload.get("txids").and_then(Value::as_array);
    let txids: Vec<String> = txids.into_iter().flatten().map(plain).collect();
    let single = text(read.payload, "txid").filter(|_| txids.is_empty());
    for txid in txids.into_iter().chain(single) {
        said = said.worth("closing transaction", Some(txid));
    }
    Some(said)
}

fn fees(read: Reading<'_>) -> Option<Said> {
    let channels = read.payload.get("channels").and_then(Value::as_array)?;
    let lines: Vec<String> = channels
        .iter()
        .filter_map(|channel| {
            let base = words::msat(Msat(number(channel, "fee_base_msat")?));
            let ppm = words::grouped(number(channel, "fee_proportional_millionths")?);
            let name = text(channel, "short_channel_id")
                .or_else(|| Some(read.scene.peer(&text(channel, "peer_id")?)))?;
            Some(format!("{base} and {ppm} ppm on channel {name}"))
        })
        .collect();
    (!lines.is_empty()).then(|| Said::act(format!("{} now charges {}", read.node(), words::listed(&lines))))
}
