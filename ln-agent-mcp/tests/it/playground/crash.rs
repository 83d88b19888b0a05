//! A network killed in the middle of its work, in a process of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use super::lab::Lab;

const DIR: &str = "LN_AGENT_TEST_CRASH_DIR";

/// Not a test by itself: what the killed process does. It reports each payment when it is acknowledged.
#[tokio::test]
async fn pays_until_it_is_killed() {
    let Ok(dir) = std::env::var(DIR) else { return };
    let lab = Lab::stored(Path::new(&dir), 3);
    lab.channel(1, 2, 1_000_000).await;
    lab.channel(2, 3, 1_000_000).await;
    for number in 0.. {
        let bolt11 = lab.invoice(3, 10_000, &format!("i{number}")).await;
        let paid = lab.ok(1, "pay", json!({"bolt11": bolt11})).await;
        println!("\npaid {}", paid["payment_hash"].as_str().unwrap());
    }
}

#[tokio::test]
async fn a_network_killed_at_any_moment_loses_nothing_that_it_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "playground::crash::pays_until_it_is_killed", "--nocapture"])
        .env(DIR, dir.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let acknowledged: Vec<String> = lines
        .map_while(Result::ok)
        .filter_map(|line| line.strip_prefix("paid ").map(ToOwned::to_owned))
        .take(12)
        .collect();
    child.kill().unwrap();
    child.wait().unwrap();

    let lab = Lab::stored(dir.path(), 0);

    assert_eq!(acknowledged.len(), 12);
    for hash in &acknowledged {
        let sent = lab.ok(1, "listpays", json!({"payment_hash": hash})).await;
        let received = lab.ok(3, "listinvoices", json!({"payment_hash": hash})).await;
        assert_eq!(sent["pays"][0]["status"], "complete");
        assert_eq!(received["invoices"][0]["status"], "paid");
    }
    let received = lab.ok(3, "listinvoices", json!({})).await;
    let paid = received["invoices"].as_array().unwrap().iter().filter(|row| row["status"] == "paid").count();
    let channel = &lab.ok(3, "listpeerchannels", json!({})).await["channels"][0];
    assert_eq!(channel["to_us_msat"], 10_000 * paid as u64);
    let bolt11 = lab.invoice(3, 10_000, "after").await;
    assert_eq!(lab.ok(1, "pay", json!({"bolt11": bolt11})).await["status"], "complete");
}
