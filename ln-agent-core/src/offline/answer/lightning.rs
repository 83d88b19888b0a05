//! Sentences about what a Lightning node knows.

use serde_json::Value;

use super::payments::hash;
use super::reading::{Reading, amount, details, plain, text, total};
use super::said::Said;
use super::words::{self, count};

pub(super) fn said(tool: &str, read: Reading<'_>) -> Option<Said> {
    match tool {
        "ln_getinfo" => info(read),
        "ln_listpeers" => listed(read, "peers", "peer", &|peer| {
            let state = if peer.get("connected")?.as_bool()? { "connected" } else { "not connected" };
            Some(format!("{} ({state})", text(peer, "id")?))
        }),
        "ln_listfunds" => funds(read),
        "ln_listchannels" => listed(read, "channels", "channel", &|channel| one_channel(read, channel)),
        "ln_newaddr" => Some(Said::fact(format!(
            "a fresh deposit address of {} is {}",
            read.node(),
            read.get("address")?
        ))),
        "ln_listforwards" => listed(read, "forwards", "forwarded HTLC", &|forward| {
            let fee = amount(forward, "fee_msat").map(|fee| format!(", fee {}", words::msat(fee)));
            Some(format!("{} {}{}", text(forward, "status")?, out(forward)?, fee.unwrap_or_default()))
        }),
        "ln_feerates" => feerates(read),
        "ln_listpays" => listed(read, "pays", "payment", &|pay| {
            let sent = amount(pay, "amount_msat").or_else(|| amount(pay, "amount_sent_msat"));
            let what = sent.map_or_else(|| "an unknown amount".to_owned(), words::msat);
            let hash = hash(pay).map(|hash| format!(", hash {hash}")).unwrap_or_default();
            Some(format!("{what} {}{hash}", text(pay, "status")?))
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
        "ln_signmessage" => Some(
            Said::fact(format!("{} signed “{}”; the signature (zbase)", read.node(), read.arg("message")?))
                .with(vec![read.get("zbase")?]),
        ),
        _ => None,
    }
}

/// `node 1 has 2 payments: …`.
fn listed(
    read: Reading<'_>,
    member: &str,
    noun: &str,
    line: &dyn Fn(&Value) -> Option<String>,
) -> Option<Said> {
    let list = read.list(member)?;
    // Of many, the newest are worth more.
    let mut newest: Vec<&Value> = list.iter().collect();
    newest.sort_by_key(|one| {
        std::cmp::Reverse(["created_at", "created_index"].iter().find_map(|name| one.get(*name)?.as_u64()))
    });
    let lines: Vec<String> = newest.into_iter().filter_map(line).collect();
    Some(Said::fact(format!("{} has {}", read.node(), count(list.len(), noun))).with(lines))
}

fn out(forward: &Value) -> Option<String> {
    amount(forward, "out_msat").or_else(|| amount(forward, "in_msat")).map(words::msat)
}

fn info(read: Reading<'_>) -> Option<Said> {
    let bindings = read.payload.get("binding").and_then(Value::as_array);
    let bindings: Vec<String> = bindings
        .into_iter()
        .flatten()
        .filter_map(|at| Some(format!("{}:{}", at.get("address")?.as_str()?, at.get("port")?)))
        .collect();
    let bound =
        if bindings.is_empty() { String::new() } else { format!(", listening on {}", bindings.join(", ")) };
    let facts =
        details(read.payload, &[("alias", "alias"), ("version", "version"), ("blockheight", "block height")]);
    let number =
        |name: &str| read.payload.get(name).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    let counts: Vec<String> = [
        ("num_peers", "peer"),
        ("num_active_channels", "active channel"),
        ("num_pending_channels", "pending channel"),
    ]
    .iter()
    .filter_map(|(name, noun)| Some(count(number(name)?, noun)))
    .collect();
    let counts =
        if counts.is_empty() { String::new() } else { format!("; it has {}", words::listed(&counts)) };
    Some(Said::fact(format!("{} has the public key {}{facts}{bound}{counts}", read.node(), read.get("id")?)))
}

fn funds(read: Reading<'_>) -> Option<Said> {
    let (outputs, channels) =
        (read.payload.get("outputs")?.as_array()?, read.payload.get("channels")?.as_array()?);
    let spendable = outputs.iter().filter(|output| text(output, "status").as_deref() == Some("confirmed"));
    let waiting = outputs.iter().filter(|output| text(output, "status").as_deref() == Some("unconfirmed"));
    let waiting: Vec<&Value> = waiting.collect();
    let unconfirmed = if waiting.is_empty() {
        String::new()
    } else {
        format!(" (and {} unconfirmed)", words::whole(total(waiting, "amount_msat")?))
    };
    let onchain = words::whole(total(spendable, "amount_msat")?);
    let inside = if channels.is_empty() {
        "no channels".to_owned()
    } else {
        let ours = words::whole(total(channels, "our_amount_msat")?);
        format!("{ours} of its own in {}", count(channels.len(), "channel"))
    };
    Some(Said::fact(format!("{} has {onchain} on-chain{unconfirmed} and {inside}", read.node())))
}

fn one_channel(read: Reading<'_>, channel: &Value) -> Option<String> {
    let peer = read.scene.peer(&text(channel, "peer_id")?);
    let name = text(channel, "short_channel_id").unwrap_or_else(|| "one".to_owned());
    let state = text(channel, "state")?;
    let state = match state.as_str() {
        "CHANNELD_NORMAL" => "open",
        "CHANNELD_AWAITING_LOCKIN" | "DUALOPEND_AWAITING_LOCKIN" => "waiting for confirmations",
        other => other,
    };
    let share = match (amount(channel, "to_us_msat"), amount(channel, "total_msat")) {
        (Some(ours), Some(all)) if ours.0.is_multiple_of(1_000) && all.0.is_multiple_of(1_000) => {
            format!(", {} of {} on its side", words::grouped(ours.floor_to_sat().0), words::whole(all))
        }
        (Some(ours), Some(all)) => format!(", {} of {} on its side", words::whole(ours), words::whole(all)),
        (None, Some(all)) => format!(", {}", words::whole(all)),
        _ => String::new(),
    };
    Some(format!("{name} with {peer} ({state}{share})"))
}

fn feerates(read: Reading<'_>) -> Option<Said> {
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
    Some(Said::fact(format!(
        "the fee rates of {} ({style}, {unit}): {}",
        read.node(),
        shown.trim_start_matches(", ")
    )))
}

fn decoded(read: Reading<'_>) -> Option<Said> {
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
    let asked = asked.unwrap_or_else(|| "any amount".to_owned());
    Some(Said::fact(format!("this is a {kind}{valid} for {asked}{facts}")))
}

fn invoice_paid(read: Reading<'_>) -> Option<Said> {
    let received = read.msat("amount_received_msat").or_else(|| read.msat("amount_msat"));
    let received = received.map(|amount| format!(" with {amount}")).unwrap_or_default();
    let label = read.payload.get("label").map(plain).or_else(|| read.arg("label"))?;
    Some(Said::fact(format!("invoice {label} of {} is {}{received}", read.node(), read.get("status")?)))
}
