use std::time::Instant;

use serde_json::{Value, json};

use super::determinism::everything;
use super::lab::{Lab, assert_same};

#[tokio::test]
async fn a_network_read_back_from_disk_answers_as_before_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let lab = Lab::stored(dir.path(), 3);
    lab.channel(1, 2, 1_000_000).await;
    lab.channel(2, 3, 1_000_000).await;
    let bolt11 = lab.invoice(3, 50_000, "before").await;
    lab.ok(1, "pay", json!({"bolt11": bolt11})).await;
    lab.ok(3, "offer", json!({"amount": 7_000, "description": "tea"})).await;
    let open = lab.invoice(3, 60_000, "open").await;
    let mut before = Vec::new();
    for node in 1..=3 {
        before.extend(everything(&lab, node).await);
    }
    lab.end().await;

    let lab = Lab::stored(dir.path(), 0);

    let mut after = Vec::new();
    for node in 1..=3 {
        after.extend(everything(&lab, node).await);
    }
    assert_same(&without_gossip_times(&after), &without_gossip_times(&before));
    let paid = lab.ok(1, "pay", json!({"bolt11": open})).await;
    assert_eq!(paid["status"], "complete");
    lab.channel(1, 3, 300_000).await;
}

/// A node that reconnects repeats its gossip with the present time.
fn without_gossip_times(answers: &[Value]) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(strip),
            Value::Object(members) => {
                members.retain(|name, _| name != "last_update" && name != "last_timestamp");
                members.values_mut().for_each(strip);
            }
            _ => {}
        }
    }
    let mut answers = json!(answers);
    strip(&mut answers);
    answers
}

#[tokio::test]
async fn a_stopped_node_is_gone_for_its_peers_and_comes_back_with_its_channels() {
    let lab = Lab::new(2);
    lab.channel(1, 2, 1_000_000).await;
    let bolt11 = lab.invoice(2, 5_000, "later").await;

    assert_eq!(lab.ok(2, "stop", json!({})).await, "Shutdown complete");

    let peers = lab.ok(1, "listpeers", json!({})).await;
    assert_eq!(peers["peers"][0]["connected"], false);
    let (code, message) = lab.error(1, "pay", json!({"bolt11": bolt11})).await;
    assert_eq!(code, 205);
    assert!(
        message.starts_with("Failed: We could not find a usable set of paths. All 1 channels"),
        "{message}"
    );
    lab.mine(3).await;
    lab.network.start_node(2).await.unwrap();
    assert_eq!(lab.ok(1, "pay", json!({"bolt11": bolt11})).await["status"], "complete");
    let height = |info: serde_json::Value| info["blockheight"].clone();
    let (one, two) = (lab.ok(1, "getinfo", json!({})).await, lab.ok(2, "getinfo", json!({})).await);
    assert_eq!(height(one), height(two));
}

#[tokio::test]
async fn a_payment_over_a_stopped_node_fails_and_leaves_a_trace() {
    let lab = Lab::new(3);
    lab.channel(1, 2, 1_000_000).await;
    lab.channel(2, 3, 1_000_000).await;
    let bolt11 = lab.invoice(3, 5_000, "gone").await;
    lab.network.stop_node(3).await.unwrap();

    let (code, _) = lab.error(1, "pay", json!({"bolt11": bolt11})).await;

    assert!([205, 209, 210].contains(&code), "{code}");
    let failed = lab.ok(2, "listforwards", json!({"status": "local_failed"})).await;
    assert_eq!(failed["forwards"][0]["failreason"], "WIRE_TEMPORARY_CHANNEL_FAILURE");
    assert_eq!(lab.ok(1, "listpays", json!({"status": "complete"})).await["pays"], json!([]));
}

#[tokio::test]
async fn a_node_that_was_away_for_long_is_reached_again_at_once() {
    let lab = Lab::new(3);
    lab.channel(1, 2, 1_000_000).await;
    lab.channel(2, 3, 1_000_000).await;
    let bolt11 = lab.invoice(3, 5_000, "patient").await;
    lab.network.stop_node(3).await.unwrap();
    for _ in 0..3 {
        lab.mine(20).await;
    }
    let graph = lab.ok(1, "listchannels", json!({"source": lab.id(2).await})).await;
    assert!(graph["channels"].as_array().unwrap().iter().any(|channel| channel["active"] == false));

    lab.network.start_node(3).await.unwrap();

    assert_eq!(lab.ok(1, "pay", json!({"bolt11": bolt11})).await["status"], "complete");
}

#[tokio::test]
async fn nodes_are_made_funded_and_deleted() {
    let lab = Lab::new(1);

    lab.network.create_node(2).await.unwrap();
    assert_eq!(lab.network.nodes().await.unwrap().into_iter().collect::<Vec<_>>(), [(1, true), (2, false)]);
    assert!(lab.network.start_node(2).await.unwrap());
    assert!(!lab.network.start_node(2).await.unwrap());
    let funds = lab.ok(2, "listfunds", json!({})).await;
    assert_eq!(funds["outputs"].as_array().unwrap().len(), 4);
    let refused = lab.network.delete_node(2, false).await.unwrap_err();
    assert_eq!(refused.to_string(), "node 2 is running; stop it first, or pass \"force\": true (code -1)");
    assert!(lab.network.delete_node(2, true).await.unwrap());
    assert!(!lab.network.delete_node(2, true).await.unwrap());
    lab.network.create_node(2).await.unwrap();
}

#[tokio::test]
async fn a_reset_network_is_the_one_it_was_at_first() {
    let lab = Lab::new(2);
    let before = everything(&lab, 1).await;
    lab.channel(1, 2, 1_000_000).await;

    lab.network.reset(2).await.unwrap();

    assert_same(&json!(everything(&lab, 1).await), &json!(before));
}

#[tokio::test]
async fn a_restart_after_many_payments_is_quick() {
    let dir = tempfile::tempdir().unwrap();
    let lab = Lab::stored(dir.path(), 2);
    lab.channel(1, 2, 1_000_000).await;
    for number in 0..40 {
        let bolt11 = lab.invoice(2, 10_000, &format!("i{number}")).await;
        lab.ok(1, "pay", json!({"bolt11": bolt11})).await;
    }
    lab.end().await;

    let started = Instant::now();
    let lab = Lab::stored(dir.path(), 0);

    assert!(started.elapsed().as_secs_f64() < 2.0, "{:?}", started.elapsed());
    assert_eq!(lab.ok(1, "listpays", json!({})).await["pays"].as_array().unwrap().len(), 40);
}
