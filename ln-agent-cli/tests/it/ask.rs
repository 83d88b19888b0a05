//! `ask`, `chat` and `run`.

use serde_json::json;

use crate::desk::Desk;

#[test]
fn a_question_is_answered_from_a_network_that_starts_by_itself() {
    let desk = Desk::new();

    let said = desk.ask("what is the block height?");

    let height = desk.call("btc_getblockchaininfo", &json!({}))["blocks"].to_string();
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    assert!(said.stdout.starts_with('✓') && said.stdout.contains(&height), "{}", said.stdout);
}

#[test]
fn one_sentence_opens_a_channel_and_pays_over_it() {
    let desk = Desk::new();
    let prompt =
        "open a 500000 sat channel from node 1 to node 2, then node 2 invoices 10000 msat and node 1 pays it";

    let (code, result) = desk.ask_json(&[prompt]);

    assert_eq!((code, &result["outcome"], &result["success"]), (0, &json!("ok"), &json!(true)), "{result:#}");
    assert!(result["step_results"].as_array().unwrap().iter().all(|step| step["ok"] == true));
    assert!(
        result["verification"].as_array().unwrap().iter().all(|seen| seen["status"] == "confirmed"),
        "{result:#}"
    );
    let channels = desk.call("ln_listchannels", &json!({ "node": 2 }));
    assert_eq!(channels["channels"][0]["to_us_msat"], 10_000);
}

#[test]
fn json_has_one_line_and_standard_error_is_silent() {
    let desk = Desk::new();

    let said = desk.run(&["ask", "--json", "how big is the mempool?"]);

    assert_eq!((said.stdout.lines().count(), said.stderr.as_str()), (1, ""));
    let result: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(result["type"], "pipeline_report");
    assert_eq!(result["content"], result["human_summary"]);
}

#[test]
fn streamed_events_end_in_the_result() {
    let desk = Desk::new();

    let said = desk.run(&["ask", "--stream-json", "list the peers of node 1"]);

    let lines: Vec<serde_json::Value> =
        said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.first().unwrap()["event"], "prompt_start");
    assert_eq!(lines.last().unwrap()["type"], "pipeline_report");
    assert!(lines.iter().any(|line| line["event"] == "tool_call" && line["tool"] == "ln_listpeers"));
}

#[test]
fn a_plan_that_was_only_wanted_changes_nothing_and_runs_by_its_hash() {
    let desk = Desk::new();

    let (code, result) = desk.ask_json(&["--plan-only", "mine 2 blocks"]);
    let before = desk.call("btc_getblockchaininfo", &json!({}))["blocks"].as_u64().unwrap();
    let hash = result["certificate"]["hash"].as_str().unwrap().to_owned();
    std::fs::write(desk.path().join("plan.json"), result.to_string()).unwrap();
    let wrong = desk.run(&["run", "plan.json", "--approve", &"0".repeat(64)]);
    let right = desk.run(&["run", "plan.json", "--approve", &hash]);

    assert_eq!((code, &result["step_results"]), (0, &json!([])));
    assert_eq!(wrong.code, 3, "{wrong:?}");
    assert!(wrong.stderr.contains(&hash), "{wrong:?}");
    assert_eq!(right.code, 0, "{right:?}");
    assert_eq!(desk.call("btc_getblockchaininfo", &json!({}))["blocks"], before + 2);
}

#[test]
fn a_plan_that_was_tampered_with_is_another_plan() {
    let desk = Desk::new();
    let (_, result) = desk.ask_json(&["--plan-only", "mine 2 blocks"]);
    let hash = result["certificate"]["hash"].as_str().unwrap();
    std::fs::write(desk.path().join("plan.json"), result.to_string().replace("\"blocks\":2", "\"blocks\":3"))
        .unwrap();

    let said = desk.run(&["run", "plan.json", "--approve", hash]);

    assert_eq!(said.code, 3, "{said:?}");
}

#[test]
fn a_spending_cap_stops_a_plan_before_its_first_call() {
    let desk = Desk::new();

    let (code, result) =
        desk.ask_json(&["--max-spend", "1000sat", "open a 500000 sat channel from node 1 to node 2"]);

    assert_eq!((code, &result["outcome"], &result["failure"]), (3, &json!("refused"), &json!("policy")));
    assert_eq!(desk.call("ln_listchannels", &json!({ "node": 1 }))["channels"], json!([]));
}

#[test]
fn a_follow_up_finds_the_invoice_of_its_session() {
    let desk = Desk::new();
    desk.ask("open a 500000 sat channel from node 1 to node 2");

    let said = desk.run_with_input(
        &["chat"],
        "create an invoice for 7000 msat on node 2 labelled 'tea'\nnow pay that invoice from node 1\n"
            .as_bytes(),
    );

    assert_eq!(said.code, 0, "{said:?}");
    let invoices = desk.call("ln_listinvoices", &json!({ "node": 2, "label": "tea" }));
    assert_eq!(invoices["invoices"][0]["status"], "paid");
}

#[test]
fn two_questions_at_once_are_both_answered_and_recorded() {
    let desk = Desk::new();
    let ask = |prompt: &str| {
        let mut command = desk.command(&["ask", prompt]);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };

    let children = [ask("what is the block height?"), ask("how big is the mempool?")];

    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let list = desk.run(&["runs", "list", "--json"]);
    let ids: std::collections::BTreeSet<u64> = list
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["request_id"].as_u64().unwrap())
        .collect();
    assert_eq!(ids, [1, 2].into());
}

#[test]
fn line_breaks_of_another_system_are_line_breaks() {
    let desk = Desk::new();

    let said = desk.run_with_input(&["ask", "-"], b"mine 1 block\r\nwhat is the block height?\r\n");

    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{said:?}");
    assert!(said.stdout.starts_with('✓'), "{said:?}");
}
