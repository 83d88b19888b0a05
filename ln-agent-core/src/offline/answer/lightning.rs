//! Sentences about what a Lightning node knows.

use serde_json::Value;

use super::reading::{Reading, amount, details, plain, text, total};
use super::words::{self, count, some_of};

pub(super) fn sentence(tool: &str, read: Reading<'_>) -> Option<String> {
    match tool {
        "ln_getinfo" => info(read),
        "ln_listpeers" => peers(read),
        "ln_listfunds" => funds(read),
        "ln_listchannels" => channels(read),
        "ln_newaddr" => {
            Some(format!("a fresh deposit address of {} is {}", read.node(), read.get("address")?))
        }
        "ln_listforwards" => listed(read, "forwards", "forwarded HTLC", &|forward| {
            let fee = amount(forward, "fee_msat").map(|fee| format!(", fee {}", words::msat(fee)));
            Some(format!("{} {}{}", text(forward, "status")?, out(forward)?, fee.unwrap_or_default()))
        }),
        "ln_feerates" => feerates(read),
        "ln_listpays" => listed(read, "pays", "payment", &|pay| {
            let sent = amount(pay, "amount_msat").or_else(|| amount(pay, "amount_sent_msat"));
            let what = sent.map_or_else(|| "an unknown amount".to_owned(), words::msat);
            Some(format!("{what} {}, payment hash {}", text(pay, "status")?, text(pay, "payment_hash")?))
        }),
        "ln_decodepay" => decoded(read),
        "ln_waitanyinvoice" | "ln_waitinvoice" => invoice_paid(read),
        "ln_listoffers" => listed(read, "offers", "BOLT 12 offer", &|offer| {
            let state = if offer.get("active")?.as_bool()? { "active" } else { "disabled" };
            Some(format!("{state}, {}", text(offer, "bolt12")?))
        }),
        "ln_listtransactions" => listed(read, "transactions", "on-chain transaction", &|tx| {
            Some(format!("{}{}", text(tx, "hash")?, details(tx, &[("blockheight", "in block")])))
        }),
        "ln_listinvoices" => listed(read, "invoices", "invoice", &|invoice| {
            let asked = amount(invoice, "amount_msat").map_or_else(|| "any amount".to_owned(), words::msat);
            Some(format!("{} for {asked} is {}", text(invoice, "label")?, text(invoice, "status")?))
        }),
        "ln_signmessage" => Some(format!(
            "{} signed the message “{}”; the signature (zbase) is {}",
            read.node(),
            read.arg("message")?,
            read.get("zbase")?
        )),
        _ => None,
    }
}

/// `node 1 has 2 payments: …`.
fn listed(
    read: Reading<'_>,
    member: &str,
    noun: &str,
    line: &dyn Fn(&Value) -> Option<String>,
) -> Option<String> {
    let list = read.list(member)?;
    let lines: Vec<String> = list.iter().filter_map(line).collect();
    let lines = if lines.is_empty() { String::new() } else { format!(": {}", some_of(&lines)) };
    Some(format!("{} has {}{lines}", read.node(), count(list.len(), noun)))
}

fn out(forward: &Value) -> Option<String> {
    amount(forward, "out_msat").or_else(|| amount(forward, "in_msat")).map(words::msat)
}

fn info(read: Reading<'_>) -> Option<String> {
    let bindings: Vec<String> = read
        .payload
        .get("binding")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|at| Some(format!("{}:{}", at.get("address")?.as_str()?, at.get("port")?)))
        .collect();
    let bound =
        if bindings.is_empty() { String::new() } else { format!(", listening on {}", bindings.join(", ")) };
    Some(format!(
        "{} has the public key {}{}{bound}",
        read.node(),
        read.get("id")?,
        details(
            read.payload,
            &[
                ("alias", "alias"),
                ("version", "version"),
                ("blockheight", "block height"),
                ("num_peers", "peers:"),
                ("num_active_channels", "active channels:"),
                ("num_pending_channels", "pending channels:"),
            ]
        )
    ))
}

fn peers(read: Reading<'_>) -> Option<String> {
    let list = read.list("peers")?;
    let lines: Vec<String> = list
        .iter()
        .filter_map(|peer| {
            let state = if peer.get("connected")?.as_bool()? { "connected" } else { "not connected" };
            Some(format!("{} ({state})", text(peer, "id")?))
        })
        .collect();
    let lines = if lines.is_empty() { String::new() } else { format!(": {}", some_of(&lines)) };
    Some(format!("{} has {}{lines}", read.node(), count(list.len(), "peer")))
}

fn funds(read: Reading<'_>) -> Option<String> {
    let (outputs, channels) =
        (read.payload.get("outputs")?.as_array()?, read.payload.get("channels")?.as_array()?);
    let spendable = outputs.iter().filter(|output| text(output, "status").as_deref() == Some("confirmed"));
    let waiting = outputs.iter().filter(|output| text(output, "status").as_deref() == Some("unconfirmed"));
    let waiting: Vec<&Value> = waiting.collect();
    let unconfirmed = if waiting.is_empty() {
        String::new()
    } else {
        format!(" (and {} unconfirmed)", words::msat(total(waiting, "amount_msat")?))
    };
    Some(format!(
        "{} has {} on-chain{unconfirmed}, and {} of its own in {}",
        read.node(),
        words::msat(total(spendable, "amount_msat")?),
        words::msat(total(channels, "our_amount_msat")?),
        count(channels.len(), "channel")
    ))
}

fn channels(read: Reading<'_>) -> Option<String> {
    listed(read, "channels", "channel", &|channel| {
        let whole = amount(channel, "total_msat").map(words::msat);
        let ours = amount(channel, "to_us_msat").map(|ours| format!(", {} on its side", words::msat(ours)));
        let name = text(channel, "short_channel_id").map(|id| format!("{id} ")).unwrap_or_default();
        Some(format!(
            "{name}with {} is {}{}{}",
            text(channel, "peer_id")?,
            text(channel, "state")?,
            whole.map(|whole| format!(", {whole}")).unwrap_or_default(),
            ours.unwrap_or_default()
        ))
    })
}

fn feerates(read: Reading<'_>) -> Option<String> {
    let (style, rates) =
        ["perkw", "perkb"].into_iter().find_map(|style| Some((style, read.payload.get(style)?)))?;
    let shown = details(
        rates,
        &[
            ("opening", "opening a channel"),
            ("mutual_close", "mutual close"),
            ("unilateral_close", "unilateral close"),
            ("min_acceptable", "least acceptable"),
            ("max_acceptable", "most acceptable"),
        ],
    );
    let unit = if style == "perkw" { "sat per kiloweight" } else { "sat per kilo-vbyte" };
    Some(format!("the fee rates of {} ({style}, {unit}): {}", read.node(), shown.trim_start_matches(", ")))
}

fn decoded(read: Reading<'_>) -> Option<String> {
    let kind = read.get("type")?;
    let asked =
        ["amount_msat", "offer_amount_msat", "invoice_amount_msat"].iter().find_map(|name| read.msat(name));
    let facts = details(
        read.payload,
        &[
            ("description", "description"),
            ("offer_description", "description"),
            ("payee", "payee"),
            ("payment_hash", "payment hash"),
            ("expiry", "expiry in seconds"),
        ],
    );
    let valid = match read.payload.get("valid").and_then(Value::as_bool) {
        Some(false) => ", which is not valid",
        _ => "",
    };
    Some(format!("this is a {kind}{valid} for {}{facts}", asked.unwrap_or_else(|| "any amount".to_owned())))
}

fn invoice_paid(read: Reading<'_>) -> Option<String> {
    let received = read.msat("amount_received_msat").or_else(|| read.msat("amount_msat"));
    let received = received.map(|amount| format!(" with {amount}")).unwrap_or_default();
    let label = read.payload.get("label").map(plain).or_else(|| read.arg("label"))?;
    Some(format!("invoice {label} of {} is {}{received}", read.node(), read.get("status")?))
}
