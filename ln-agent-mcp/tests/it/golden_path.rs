//! The golden path: from two bare nodes to a payment that the payee sees, one tool call a step; by hand, and as a
//! plan that the executor carries out.

use std::sync::Arc;

use ln_agent_core::clock::SystemClock;
use ln_agent_core::observe::Discard;
use ln_agent_core::stage::executor::{Execution, Executor, ExecutorConfig};
use ln_agent_core::stage::planner::validate;
use ln_agent_core::types::VerificationStatus;
use ln_agent_core::{ExecutionPlan, IntentType, StepResult};
use serde_json::{Value, json};

use crate::served::Lab;

#[tokio::test]
async fn every_step_of_the_golden_path_is_one_tool_call() {
    let lab = Lab::open().await;
    lab.network.stop_node(2).await.unwrap();

    // 1 and 2: how is the network, and is the payee there?
    let health = lab.call("network_health", json!({})).await;
    assert_eq!(health["status"], "degraded");
    let status = lab.call("ln_node_status", json!({ "node": 2 })).await;
    assert_eq!(status["running"], false);
    let started = lab.call("ln_node_start", json!({ "node": 2 })).await;
    assert_eq!(started["running"], true);
    assert_eq!(lab.call("network_health", json!({})).await["status"], "ok");

    // 3 and 4: who is it, and where?
    let info = lab.call("ln_getinfo", json!({ "node": 2 })).await;
    let (id, at) = (&info["id"], &info["binding"][0]);
    let peer = json!({ "from_node": 1, "peer_id": id, "host": at["address"], "port": at["port"] });
    assert_eq!(&lab.call("ln_connect", peer).await["id"], id);

    // 5: a wallet of its own, which is empty, so it earns its first reward.
    let wallet = lab.call("btc_wallet_ensure", json!({ "wallet_name": "miner" })).await;
    assert_eq!(wallet, json!({ "wallet": "miner", "ensured": true, "created": true }));
    assert_eq!(lab.call("btc_getbalance", json!({ "wallet": "miner" })).await.as_f64(), Some(0.0));
    let reward = lab.call("btc_getnewaddress", json!({ "wallet": "miner" })).await;
    assert!(reward.as_str().unwrap().starts_with("bcrt1p"), "{reward}");
    let mine = |blocks: u32| json!({ "blocks": blocks, "address": reward });
    lab.call("btc_generatetoaddress", mine(101)).await;

    // 6 and 7: both nodes get money.
    for node in [1, 2] {
        let address = lab.call("ln_newaddr", json!({ "node": node })).await["address"].clone();
        let send = json!({ "address": address, "amount_btc": "1", "wallet": "miner" });
        assert_eq!(lab.call("btc_sendtoaddress", send).await.as_str().unwrap().len(), 64);
    }
    assert_eq!(lab.call("btc_generatetoaddress", mine(101)).await.as_array().unwrap().len(), 101);

    // 8: a channel, and six blocks on it.
    let open = json!({ "from_node": 1, "peer_id": id, "amount_sat": 500_000 });
    assert_eq!(lab.call("ln_openchannel", open).await["txid"].as_str().unwrap().len(), 64);
    lab.call("btc_generatetoaddress", mine(6)).await;

    // 9 to 11: invoiced, paid, seen.
    let invoice =
        json!({ "node": 2, "amount_msat": 10_000, "label": "golden-1", "description": "golden path" });
    let bolt11 = lab.call("ln_invoice", invoice).await["bolt11"].clone();
    let paid = lab.call("ln_pay", json!({ "from_node": 1, "bolt11": bolt11 })).await;
    assert_eq!(paid["payment_preimage"].as_str().unwrap().len(), 64);
    let funds = lab.call("ln_listfunds", json!({ "node": 2 })).await;
    assert_eq!(funds["channels"][0]["our_amount_msat"], 10_000);
    assert_eq!([lab.in_channel(1).await, lab.in_channel(2).await], [499_990_000, 10_000]);
}

/// The path as data. Steps 3 and 9 to 10 run only where they are needed.
fn golden_plan() -> ExecutionPlan {
    let asleep = json!([{ "left": "$step2.result.payload.running", "op": "==", "right": false }]);
    let poor = json!([{ "left": "$step7.result.payload", "op": "<", "right": 3 }]);
    let wallet = "miner";
    let steps = json!([
        { "step_id": 1, "tool": "network_health" },
        { "step_id": 2, "tool": "ln_node_status", "args": { "node": 2 } },
        { "step_id": 3, "tool": "ln_node_start", "args": { "node": 2 }, "when": asleep },
        { "step_id": 4, "tool": "ln_getinfo", "args": { "node": 2 } },
        { "step_id": 5, "tool": "ln_connect", "args": {
            "from_node": 1, "peer_id": "$step4.result.payload.id",
            "host": "$step4.result.payload.binding[0].address", "port": "$step4.result.payload.binding[0].port" } },
        { "step_id": 6, "tool": "btc_wallet_ensure", "args": { "wallet_name": wallet } },
        { "step_id": 7, "tool": "btc_getbalance", "args": { "wallet": wallet }, "depends_on": [6] },
        { "step_id": 8, "tool": "btc_getnewaddress", "args": { "wallet": wallet } },
        { "step_id": 9, "tool": "btc_generatetoaddress", "when": poor, "args": {
            "blocks": 101, "address": "$step8.result.payload" } },
        { "step_id": 10, "tool": "ln_newaddr", "args": { "node": 1 } },
        { "step_id": 11, "tool": "ln_newaddr", "args": { "node": 2 } },
        { "step_id": 12, "tool": "btc_sendtoaddress", "args": {
            "address": "$step10.result.payload.address", "amount_btc": "1", "wallet": wallet } },
        { "step_id": 13, "tool": "btc_sendtoaddress", "args": {
            "address": "$step11.result.payload.address", "amount_btc": "1", "wallet": wallet } },
        { "step_id": 14, "tool": "btc_generatetoaddress", "args": { "blocks": 101, "address": "$step8.result.payload" } },
        { "step_id": 15, "tool": "ln_openchannel", "depends_on": [14], "args": {
            "from_node": 1, "peer_id": "$step4.payload.id", "amount_sat": "$context.amount_sat" } },
        { "step_id": 16, "tool": "btc_generatetoaddress", "args": { "blocks": 6, "address": "$step8.result.payload" } },
        { "step_id": 17, "tool": "ln_invoice", "args": {
            "node": 2, "amount_msat": 10000, "label": "", "description": "golden path" } },
        { "step_id": 18, "tool": "ln_pay", "depends_on": [16], "args": {
            "from_node": 1, "bolt11": "$step17.result.payload.bolt11" } },
        { "step_id": 19, "tool": "ln_listfunds", "args": { "node": 2 }, "depends_on": [18] },
    ]);
    let intent = json!({ "goal": "pay node 2 over a new channel", "intent_type": "pay_invoice",
        "context": { "from_node": 1, "to_node": 2, "amount_sat": 500_000 } });
    serde_json::from_value(json!({ "steps": steps, "plan_rationale": "the golden path", "intent": intent }))
        .unwrap()
}

async fn carry_out(lab: &Lab, max_workers: usize) -> Execution {
    let config = ExecutorConfig { max_workers, ..ExecutorConfig::default() };
    let executor = Executor::new(lab.tools.clone(), Arc::new(SystemClock::default()), config);
    executor.execute(&golden_plan(), 2, &Discard).await
}

fn step(execution: &Execution, id: u32) -> &StepResult {
    execution.results.iter().find(|result| result.step_id.0 == id).unwrap()
}

#[tokio::test]
async fn the_golden_path_as_a_plan_is_valid_and_reaches_its_goal() {
    let lab = Lab::open().await;
    lab.network.stop_node(2).await.unwrap();
    let steps = serde_json::to_value(golden_plan().steps).unwrap();
    assert_eq!(validate(&steps, &lab.tools, IntentType::PayInvoice).unwrap(), golden_plan().steps);

    let execution = carry_out(&lab, 8).await;

    assert_eq!(execution.error, None);
    assert!(execution.results.iter().all(|result| result.ok && !result.skipped), "{:?}", execution.results);
    let ids: Vec<u32> = execution.results.iter().map(|result| result.step_id.0).collect();
    assert_eq!(ids, (1..=19).collect::<Vec<_>>());
    assert_eq!(step(&execution, 18).args["bolt11"], step(&execution, 17).payload()["bolt11"]);
    assert_eq!(step(&execution, 17).payload()["label"], "ln-agent-1");
    assert_eq!(step(&execution, 19).payload()["channels"][0]["our_amount_msat"], 10_000);
    assert_eq!([lab.in_channel(1).await, lab.in_channel(2).await], [499_990_000, 10_000]);
    let unconfirmed: Vec<_> =
        execution.verification.iter().filter(|seen| seen.status != VerificationStatus::Confirmed).collect();
    assert!(unconfirmed.is_empty(), "{unconfirmed:?}");
    assert!(execution.verification.iter().any(|seen| seen.step_id.is_some_and(|id| id.0 == 18)));
}

#[tokio::test]
async fn the_golden_path_leaves_out_what_is_there_already() {
    let lab = Lab::open().await;
    lab.call("btc_wallet_ensure", json!({ "wallet_name": "miner" })).await;
    let reward = lab.call("btc_getnewaddress", json!({ "wallet": "miner" })).await;
    lab.call("btc_generatetoaddress", json!({ "blocks": 101, "address": reward })).await;

    let execution = carry_out(&lab, 8).await;

    assert_eq!(execution.error, None);
    let left_out: Vec<u32> =
        execution.results.iter().filter(|result| result.skipped).map(|result| result.step_id.0).collect();
    assert_eq!(left_out, [3, 9], "the node runs, and the wallet has money");
    assert_eq!(lab.in_channel(2).await, 10_000);
}

#[tokio::test]
async fn equal_networks_give_equal_step_results_whatever_the_number_of_workers() {
    let mut told = Vec::new();
    for max_workers in [1, 8] {
        let lab = Lab::open().await;
        let mut execution = carry_out(&lab, max_workers).await;
        assert_eq!(execution.error, None);
        without_places(&mut execution, &lab);
        told.push(serde_json::to_value(&execution.results).unwrap());
    }
    assert_eq!(told[0], told[1]);
}

/// Where the network serves is another place each time.
fn without_places(execution: &mut Execution, lab: &Lab) {
    let place = lab.directory.path().to_str().unwrap();
    for result in &mut execution.results {
        let text = result.raw_result.to_string().replace(place, "<runtime>");
        result.raw_result = serde_json::from_str::<Value>(&text).unwrap();
    }
}
