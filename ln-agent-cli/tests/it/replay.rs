//! `runs replay` and `--record`.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::desk::Desk;

/// The one cassette among the traces.
fn cassette(desk: &Desk) -> PathBuf {
    let files = std::fs::read_dir(desk.path().join("agent/logs")).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> =
        files.filter(|path| path.to_string_lossy().ends_with(".cassette.jsonl")).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[test]
fn a_run_is_the_same_again_without_its_network() {
    let desk = Desk::new();
    let tapes = desk.path().join("tapes");
    let prompt =
        "open a 500000 sat channel from node 1 to node 2, then node 2 invoices 10000 msat and node 1 pays it";
    let (code, run) = desk.ask_json(&[prompt, "--record", tapes.to_str().unwrap()]);
    assert_eq!(code, 0, "{run:#}");
    desk.run(&["network", "down"]);
    let run_id = run["run_id"].as_str().unwrap();

    let told = desk.run(&["runs", "replay", run_id]);
    let data = desk.run(&["runs", "replay", "1", "--json"]);

    assert_eq!((told.code, told.stdout), (0, format!("{run_id}: identical\n")), "{}", told.stderr);
    assert_eq!(
        serde_json::from_str::<Value>(&data.stdout).unwrap(),
        json!({ "run_id": run_id, "identical": true, "mismatches": [], "difference": "" })
    );
    let network = desk.run(&["network", "status", "--json"]).stdout;
    assert_eq!(network, "{\"running\":false}\n", "a replay starts no network");
    let copy = std::fs::read_to_string(tapes.join(format!("{run_id}.jsonl"))).unwrap();
    assert_eq!(copy, std::fs::read_to_string(cassette(&desk)).unwrap());
    assert!(copy.contains("\"payment_preimage\":\"[redacted]\""), "the secret of the payment is not in it");
    let list = desk.run(&["runs", "list", "--json"]).stdout;
    assert_eq!(list.lines().count(), 1, "a replay is no run: {list}");
}

#[test]
fn a_record_that_was_changed_or_lost_is_told() {
    let desk = Desk::new();
    desk.ask("mine 2 blocks");
    let path = cassette(&desk);
    let text = std::fs::read_to_string(&path).unwrap();

    std::fs::write(&path, text.replacen("\"blocks\":2", "\"blocks\":3", 1)).unwrap();
    let changed = desk.run(&["runs", "replay", "1"]);
    std::fs::write(&path, text.replacen("\"format\":1", "\"format\":77", 1)).unwrap();
    let foreign = desk.run(&["runs", "replay", "1"]);
    std::fs::remove_file(&path).unwrap();
    let lost = desk.run(&["runs", "replay", "1"]);
    let unknown = desk.run(&["runs", "replay", "99"]);

    assert_eq!(changed.code, 1, "{changed:?}");
    assert!(changed.stdout.contains(": different\n") && changed.stdout.contains("\n- "), "{changed:?}");
    assert_eq!((foreign.code, lost.code, unknown.code), (2, 2, 2), "{foreign:?} {lost:?} {unknown:?}");
    assert!(foreign.stderr.contains("the record has format 77: this version reads format 1"), "{foreign:?}");
    assert!(lost.stderr.contains("has no record") && lost.stderr.contains("RECORD_RUNS"), "{lost:?}");
    assert!(unknown.stderr.contains("no run is named `99`"), "{unknown:?}");
}

#[test]
fn runs_are_not_recorded_where_that_is_unwanted() {
    let desk = Desk::new();
    let mut command = desk.command(&["ask", "what is the block height?"]);
    assert!(command.env("RECORD_RUNS", "0").output().unwrap().status.success());

    let said = desk.run(&["runs", "replay", "1"]);

    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.stderr.contains("has no record"), "{said:?}");
}
