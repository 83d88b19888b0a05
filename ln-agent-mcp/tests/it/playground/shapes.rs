//! Every method's answer beside what lightningd v26.06.6 answered: the same fields, of the same types.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::lab::Lab;

/// Recorded fields that the playground does not have; `docs/playground.md` names them.
const ABSENT: &[&str] = &[
    "listpeers.peers.remote_addr",
    "listpeerchannels.channels.scratch_txid",
    "listpeerchannels.channels.last_tx_fee_msat",
    "listpeerchannels.channels.min_to_us_msat",
    "listpeerchannels.channels.max_to_us_msat",
    "listpeerchannels.channels.funding.psbt",
    "listpeerchannels.channels.funding.withheld",
    // The playground warns of missing capacity only.
    "invoice.warning_deadends",
    "listforwards.forwards.in_htlc_id",
    "listforwards.forwards.out_htlc_id",
    "listforwards local_failed.forwards.in_htlc_id",
    "listforwards local_failed.forwards.in_msat",
    "offer.force_paths",
    "listoffers.offers.force_paths",
    "disableoffer.force_paths",
    "decode bolt12 invoice.invreq_amount_msat",
    "decode bolt12 invoice.invreq_features",
    "decode bolt12 invoice.invoice_paths",
    // Both sides of a blinded path make an issuer id unnecessary to LDK.
    "decode offer.offer_issuer_id",
    "decode bolt12 invoice.offer_issuer_id",
    "feerates.perkb.unilateral_anchor_close",
    "feerates.onchain_fee_estimates.unilateral_close_nonanchor_satoshis",
];

/// Fields of ours that this recording does not have, though lightningd has them in other cases.
const EXTRA: &[&str] = &["decode bolt12 invoice.offer_amount_msat", "listoffers.offers.label"];

#[tokio::test]
async fn answers_have_the_fields_and_types_of_recorded_ones() {
    let recorded: Value = serde_json::from_str(include_str!("../../fixtures/cln/answers.json")).unwrap();
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for (case, ours) in answers().await {
        seen.insert(case);
        compare(case.to_owned(), &recorded[case]["result"], &ours, &mut faults);
    }

    assert_eq!(faults, Vec::<String>::new());
    let all: BTreeSet<&str> = recorded.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(seen, all);
}

fn compare(place: String, recorded: &Value, ours: &Value, faults: &mut Vec<String>) {
    match (recorded, ours) {
        (Value::Object(recorded), Value::Object(ours)) => {
            for (name, value) in recorded {
                let place = format!("{place}.{name}");
                match ours.get(name) {
                    Some(ours) => compare(place, value, ours, faults),
                    None if ABSENT.contains(&place.as_str()) => {}
                    None => faults.push(format!("{place} is missing")),
                }
            }
            for name in ours.keys().filter(|name| !recorded.contains_key(*name)) {
                let place = format!("{place}.{name}");
                if !EXTRA.contains(&place.as_str()) {
                    faults.push(format!("{place} is not in the recording"));
                }
            }
        }
        (Value::Array(recorded), Value::Array(ours)) => match (recorded.first(), ours.first()) {
            (Some(recorded), Some(ours)) => compare(place, recorded, ours, faults),
            (Some(_), None) => faults.push(format!("{place} is empty")),
            _ => {}
        },
        _ if kind(recorded) == kind(ours) => {}
        _ => faults.push(format!("{place} is {ours}, recorded was {recorded}")),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

async fn answers() -> Vec<(&'static str, Value)> {
    let lab = Lab::new(3);
    let mut seen = Vec::new();
    let id = lab.id(2).await;
    seen.push(("connect", lab.ok(1, "connect", json!({"id": id, "host": "127.0.0.1", "port": 9737})).await));
    seen.push(("ping", lab.ok(1, "ping", json!({"id": id})).await));
    seen.push(("fundchannel", lab.channel(1, 2, 1_000_000).await));
    lab.channel(2, 3, 1_000_000).await;
    seen.push(("newaddr", lab.ok(1, "newaddr", json!({})).await));
    payments(&lab, &mut seen).await;
    offers(&lab, &mut seen).await;
    for method in [
        "getinfo",
        "listpeers",
        "listpeerchannels",
        "listfunds",
        "listpays",
        "listsendpays",
        "listchannels",
        "listnodes",
    ] {
        seen.push((method, lab.ok(1, method, json!({})).await));
    }
    seen.push(("listforwards", lab.ok(2, "listforwards", json!({})).await));
    on_chain(&lab, &mut seen).await;
    let signed = lab.ok(1, "signmessage", json!({"message": "hello"})).await;
    let checked = lab.ok(2, "checkmessage", json!({"message": "hello", "zbase": signed["zbase"]})).await;
    seen.extend([("signmessage", signed), ("checkmessage", checked)]);
    let scid = lab.ok(1, "listpeerchannels", json!({})).await["channels"][0]["short_channel_id"].clone();
    seen.push((
        "setchannel",
        lab.ok(1, "setchannel", json!({"id": scid, "feebase": 500, "feeppm": 20})).await,
    ));
    lab.network.stop_node(3).await.unwrap();
    let gone = lab.ok(2, "listpeerchannels", json!({})).await["channels"][1]["channel_id"].clone();
    assert!(gone.is_string());
    seen.push(("close", lab.ok(1, "close", json!({"id": scid})).await));
    seen
}

async fn payments(lab: &Lab, seen: &mut Vec<(&'static str, Value)>) {
    let made =
        lab.ok(2, "invoice", json!({"amount_msat": 12_345, "label": "a", "description": "coffee"})).await;
    seen.push(("decode bolt11", lab.ok(1, "decode", json!({"string": made["bolt11"]})).await));
    seen.push(("pay", lab.ok(1, "pay", json!({"bolt11": made["bolt11"]})).await));
    seen.push(("invoice", made));
    seen.push(("listinvoices", lab.ok(2, "listinvoices", json!({"label": "a"})).await));
    seen.push(("waitinvoice", lab.ok(2, "waitinvoice", json!({"label": "a"})).await));
    let far = lab.invoice(3, 300_000, "far").await;
    seen.push(("xpay", lab.ok(1, "xpay", json!({"invstring": far})).await));
    let destination = lab.id(2).await;
    let keysend = json!({"destination": destination, "amount_msat": 10_000});
    seen.push(("keysend", lab.ok(1, "keysend", keysend).await));
    lab.invoice(2, 1_000, "unwanted").await;
    seen.push((
        "delinvoice",
        lab.ok(2, "delinvoice", json!({"label": "unwanted", "status": "unpaid"})).await,
    ));
    let late = lab.invoice(3, 5_000, "late").await;
    lab.network.stop_node(3).await.unwrap();
    lab.error(1, "pay", json!({"bolt11": late})).await;
    let failed = lab.ok(2, "listforwards", json!({"status": "local_failed"})).await;
    seen.push(("listforwards local_failed", failed));
    lab.network.start_node(3).await.unwrap();
}

async fn offers(lab: &Lab, seen: &mut Vec<(&'static str, Value)>) {
    let order = json!({"amount": 10_000, "description": "sticker", "issuer": "shop", "label": "s", "quantity_max": 5});
    let made = lab.ok(2, "offer", order).await;
    seen.push(("decode offer", lab.ok(1, "decode", json!({"string": made["bolt12"]})).await));
    seen.push(("listoffers", lab.ok(2, "listoffers", json!({})).await));
    let tip = lab.ok(2, "offer", json!({"amount": 15_000, "description": "tip"})).await;
    let ask = json!({"offer": tip["bolt12"], "payer_note": "thanks"});
    let fetched = lab.ok(1, "fetchinvoice", ask).await;
    seen.push(("decode bolt12 invoice", lab.ok(1, "decode", json!({"string": fetched["invoice"]})).await));
    seen.push(("fetchinvoice", fetched));
    seen.push(("disableoffer", lab.ok(2, "disableoffer", json!({"offer_id": made["offer_id"]})).await));
    seen.push(("offer", made));
}

async fn on_chain(lab: &Lab, seen: &mut Vec<(&'static str, Value)>) {
    let address = lab.bitcoin("getnewaddress", json!([])).await;
    seen.push(("withdraw", lab.ok(1, "withdraw", json!({"destination": address, "satoshi": 50_000})).await));
    seen.push(("listtransactions", lab.ok(1, "listtransactions", json!({})).await));
    seen.push(("feerates", lab.ok(1, "feerates", json!({"style": "perkb"})).await));
}
