//! Whatever is done to a network, in whatever order and with whatever restarts, money is neither made nor lost.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::lab::Lab;

const NODES: u16 = 3;

#[derive(Clone, Debug)]
enum Step {
    Open { from: u16, to: u16, sat: u64 },
    Pay { from: u16, to: u16, msat: u64 },
    Keysend { from: u16, to: u16, msat: u64 },
    Close { node: u16 },
    Stop { node: u16 },
    Start { node: u16 },
    Mine { blocks: u32 },
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let node = 1..=NODES;
    let pair = (1..=NODES, 1..NODES).prop_map(|(from, step)| (from, (from + step - 1) % NODES + 1));
    let step = prop_oneof![
        3 => (pair.clone(), 50_000_u64..900_000).prop_map(|((from, to), sat)| Step::Open { from, to, sat }),
        8 => (pair.clone(), 1_u64..300_000_000).prop_map(|((from, to), msat)| Step::Pay { from, to, msat }),
        2 => (pair, 1_u64..20_000_000).prop_map(|((from, to), msat)| Step::Keysend { from, to, msat }),
        1 => node.clone().prop_map(|node| Step::Close { node }),
        1 => node.clone().prop_map(|node| Step::Stop { node }),
        2 => node.prop_map(|node| Step::Start { node }),
        4 => (1_u32..8).prop_map(|blocks| Step::Mine { blocks }),
        2 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 10..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, max_shrink_iters: 20, ..ProptestConfig::default() })]

    #[test]
    fn money_is_neither_made_nor_lost(steps in steps()) {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(live(steps));
    }
}

async fn live(steps: Vec<Step>) {
    let dir = tempfile::tempdir().unwrap();
    let mut lab = Lab::stored(dir.path(), NODES);
    lab.channel(1, 2, 900_000).await;
    lab.channel(2, 3, 900_000).await;
    for (number, step) in steps.into_iter().enumerate() {
        if let Step::Restart = step {
            lab.end().await;
            lab = Lab::stored(dir.path(), 0);
        } else {
            take(&lab, number, step).await;
        }
        check(&lab).await;
    }
}

/// Refusals are fine; what was refused must not have happened either.
async fn take(lab: &Lab, number: usize, step: Step) {
    let network = &lab.network;
    match step {
        Step::Open { from, to, sat } => {
            if let Some(id) = running(lab, to).await {
                drop(network.lightning(from, "fundchannel", json!({"id": id, "amount": sat})).await);
            }
        }
        Step::Pay { from, to, msat } => {
            let order = json!({"amount_msat": msat, "label": format!("{number}"), "description": ""});
            let Ok(made) = network.lightning(to, "invoice", order).await else { return };
            drop(network.lightning(from, "pay", json!({"bolt11": made["bolt11"]})).await);
        }
        Step::Keysend { from, to, msat } => {
            if let Some(id) = running(lab, to).await {
                let send = json!({"destination": id, "amount_msat": msat});
                drop(network.lightning(from, "keysend", send).await);
            }
        }
        Step::Close { node } => {
            let Ok(list) = network.lightning(node, "listpeerchannels", json!({})).await else { return };
            let open = |channel: &&Value| channel["state"] == "CHANNELD_NORMAL";
            if let Some(channel) = list["channels"].as_array().unwrap().iter().find(open) {
                lab.ok(node, "close", json!({"id": channel["channel_id"]})).await;
            }
        }
        Step::Stop { node } => drop(network.stop_node(node).await.unwrap()),
        Step::Start { node } => drop(network.start_node(node).await.unwrap()),
        Step::Mine { blocks } => lab.mine(blocks).await,
        Step::Restart => unreachable!("handled by the caller"),
    }
}

async fn running(lab: &Lab, node: u16) -> Option<Value> {
    let info = lab.network.lightning(node, "getinfo", json!({})).await.ok()?;
    Some(info["id"].clone())
}

/// Both ends of a channel agree on it, and what was sent is what was received.
async fn check(lab: &Lab) {
    let mut balances = std::collections::BTreeMap::<String, Vec<(u64, u64)>>::new();
    let (mut sent, mut received) = (Vec::new(), Vec::new());
    let states = lab.network.nodes().await.unwrap();
    for node in states.iter().filter(|(_, running)| **running).map(|(node, _)| *node) {
        for channel in lab.ok(node, "listpeerchannels", json!({})).await["channels"].as_array().unwrap() {
            let mirrored = channel["state"] == "CHANNELD_NORMAL";
            let id = channel["channel_id"].as_str().unwrap().to_owned();
            let amounts = (channel["to_us_msat"].as_u64().unwrap(), channel["total_msat"].as_u64().unwrap());
            if mirrored {
                balances.entry(id).or_default().push(amounts);
            }
        }
        for pay in lab.ok(node, "listpays", json!({})).await["pays"].as_array().unwrap() {
            assert_ne!(pay["status"], "pending", "{pay}");
            if pay["status"] == "complete" {
                sent.push((pay["payment_hash"].clone(), pay["amount_msat"].clone()));
            }
        }
        for invoice in lab.ok(node, "listinvoices", json!({})).await["invoices"].as_array().unwrap() {
            if invoice["status"] == "paid" {
                received.push((invoice["payment_hash"].clone(), invoice["amount_received_msat"].clone()));
            }
        }
    }
    for (id, ends) in balances {
        if let [(ours, total), (theirs, _)] = ends[..] {
            assert_eq!(ours + theirs, total, "channel {id}");
        }
    }
    if states.values().all(|running| *running) {
        sent.sort_by_key(|(hash, _)| hash.to_string());
        received.sort_by_key(|(hash, _)| hash.to_string());
        assert_eq!(sent, received);
    }
}
