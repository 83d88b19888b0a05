use serde_json::{Value, json};

use super::lab::{Lab, assert_same};

/// A mesh with equal routes, payments over all of it, and every list that shows what happened.
async fn story(lab: &Lab) -> Vec<Value> {
    let mut seen = Vec::new();
    for (from, to) in [(1, 2), (1, 3), (2, 4), (3, 4), (4, 1)] {
        seen.push(lab.channel(from, to, 500_000).await);
    }
    for round in 0..3 {
        for (from, to) in [(1, 4), (2, 3), (3, 2), (4, 1)] {
            let bolt11 = lab.invoice(to, 1_000_000 + round, &format!("{from}-{to}-{round}")).await;
            seen.push(match lab.network.lightning(from, "pay", json!({"bolt11": bolt11})).await {
                Ok(paid) => paid,
                Err(error) => json!(error.to_string()),
            });
        }
    }
    seen.push(lab.ok(2, "offer", json!({"amount": "any", "description": "tip"})).await);
    for node in 1..=4 {
        seen.extend(everything(lab, node).await);
    }
    seen
}

pub(super) async fn everything(lab: &Lab, node: u16) -> Vec<Value> {
    let mut seen = Vec::new();
    for method in [
        "getinfo",
        "listfunds",
        "listpeerchannels",
        "listpays",
        "listinvoices",
        "listforwards",
        "listoffers",
        "listtransactions",
        "listchannels",
        "listnodes",
    ] {
        seen.push(lab.ok(node, method, json!({})).await);
    }
    seen
}

#[tokio::test]
async fn the_same_seed_and_the_same_calls_give_the_same_answers() {
    let first = story(&Lab::new(4)).await;
    let second = story(&Lab::new(4)).await;

    assert_same(&json!(first), &json!(second));
    assert!(first.iter().filter(|answer| answer["status"] == "complete").count() >= 12);
}

#[tokio::test]
async fn another_seed_gives_other_nodes() {
    let one = Lab::new(1).id(1).await;
    let other = Lab::seeded([8; 32], 1).id(1).await;

    assert_ne!(one, other);
}

/// LDK reads the wall clock only with its `std` feature, which any crate of the build could switch on by mistake.
#[tokio::test]
async fn ldk_takes_its_time_from_the_chain() {
    let lab = Lab::new(2);
    lab.channel(1, 2, 1_000_000).await;
    let offer = lab.ok(2, "offer", json!({"amount": 5_000, "description": "tea"})).await;

    let fetched = lab.ok(1, "fetchinvoice", json!({"offer": offer["bolt12"]})).await;

    let invoice = lab.ok(1, "decode", json!({"string": fetched["invoice"]})).await;
    let tip = lab.bitcoin("getblockchaininfo", json!([])).await;
    assert_eq!(invoice["invoice_created_at"], tip["time"]);
}
