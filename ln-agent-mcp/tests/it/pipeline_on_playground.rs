//! Sentences over real tools and a served playground, with no model anywhere.

use std::sync::Arc;

use ln_agent_core::agent::{Agent, Question, RuntimeDir};
use ln_agent_core::clock::{Clock, ManualClock};
use ln_agent_core::observe::Discard;
use ln_agent_core::offline::OfflineBackend;
use ln_agent_core::pipeline::{Ask, Network, Pipeline};
use ln_agent_core::types::VerificationStatus;
use ln_agent_core::{Msat, Outcome, PipelineResult};
use serde_json::json;

use crate::served::Lab;

const HEIGHT: &str = "what is the block height?";
const OPEN_AND_PAY: &str =
    "open a 500000 sat channel from node 1 to node 2, then node 2 invoices 10000 msat and node 1 pays it";

fn pipeline(lab: &Lab) -> Pipeline {
    Pipeline::builder(Arc::new(OfflineBackend), lab.tools.clone())
        .network(Network::Playground)
        .clock(clock())
        .build()
        .unwrap()
}

fn clock() -> Arc<dyn Clock> {
    Arc::new(ManualClock::at_unix_secs(1_700_000_000))
}

async fn ask(lab: &Lab, prompt: &str) -> PipelineResult {
    pipeline(lab).run(Ask::new(prompt)).await.unwrap()
}

fn tools_of(result: &PipelineResult) -> Vec<&str> {
    result.step_results.iter().map(|step| step.tool.as_str()).collect()
}

#[tokio::test]
async fn a_question_is_answered_with_the_value_the_node_gave() {
    let lab = Lab::open().await;

    let result = ask(&lab, HEIGHT).await;

    assert_eq!((result.outcome, tools_of(&result)), (Outcome::Ok, vec!["btc_getblockchaininfo"]));
    let blocks = result.step_results[0].payload()["blocks"].to_string();
    assert!(result.content.contains(&blocks), "{}", result.content);
    assert!(result.verification.is_empty(), "a read needs no confirmation");
}

#[tokio::test]
async fn one_sentence_opens_a_channel_and_pays_over_it_and_both_nodes_know() {
    let lab = Lab::open().await;

    let result = ask(&lab, OPEN_AND_PAY).await;

    assert_eq!((result.outcome, &result.error), (Outcome::Ok, &None));
    assert_eq!([lab.in_channel(1).await, lab.in_channel(2).await], [499_990_000, 10_000]);
    let invoices = lab.network.lightning(2, "listinvoices", json!({})).await.unwrap();
    assert_eq!(invoices["invoices"][0]["status"], "paid");
    for tool in ["ln_openchannel", "btc_generatetoaddress", "ln_invoice", "ln_pay"] {
        let step = result.step_results.iter().find(|step| step.tool == tool).unwrap();
        let seen = result.verification.iter().find(|seen| seen.step_id == Some(step.step_id)).unwrap();
        assert_eq!(seen.status, VerificationStatus::Confirmed, "{tool}: {}", seen.detail);
    }
    let payee = result.verification.iter().find(|seen| seen.step_id.is_none() && seen.args["node"] == 2);
    assert!(payee.is_some_and(|seen| seen.ok && seen.tool == "ln_listfunds"), "{:?}", result.verification);
    let worst = result.certificate.unwrap().worst_case_spend_msat;
    assert_eq!(worst, Some(Msat(500_000_000 + 10_000 + 5_000)));
}

#[tokio::test]
async fn a_payment_is_looked_at_from_the_payee_as_well() {
    let lab = Lab::open().await;
    lab.channel().await;

    let result = ask(&lab, "node 1 pays node 2 10000 msat").await;

    assert!(result.success, "{:?}", result.error);
    let looks: Vec<_> = result.verification.iter().filter(|seen| seen.step_id.is_none()).collect();
    assert!(
        looks.iter().any(|seen| seen.tool == "ln_listfunds" && seen.args["node"] == 2 && seen.ok),
        "{looks:?}"
    );
}

#[tokio::test]
async fn equal_networks_give_equal_runs_to_the_last_byte() {
    let mut runs = Vec::new();
    for _ in 0..2 {
        let lab = Lab::open().await;
        let mut told = Vec::new();
        for prompt in [HEIGHT, OPEN_AND_PAY, "node 2 invoices 7000 msat", "show node 2's invoices"] {
            told.push(serde_json::to_string(&ask(&lab, prompt).await).unwrap());
        }
        runs.push(told);
    }
    assert_eq!(runs[0], runs[1]);
}

#[tokio::test]
async fn a_follow_up_finds_what_the_last_answer_left() {
    let lab = Lab::open().await;
    lab.channel().await;
    let runtime = RuntimeDir::new(lab.directory.path());
    let agent = Agent::new(Arc::new(pipeline(&lab)), runtime.clone(), clock(), 4);
    let question = |prompt| Question { prompt, session: "default", plan_only: false, observer: &Discard };

    let invoiced = agent.ask(question("node 2 invoices 7000 msat")).await.unwrap();
    let paid = agent.ask(question("pay that invoice from node 1")).await.unwrap();

    assert!(invoiced.success && paid.success, "{:?} {:?}", invoiced.error, paid.error);
    let bolt11 = &invoiced.step_results[0].payload()["bolt11"];
    assert_eq!((tools_of(&paid), &paid.step_results[0].args["bolt11"]), (vec!["ln_pay"], bolt11));
    assert_eq!(lab.in_channel(2).await, 7_000);
    let history = std::fs::read_to_string(runtime.history("default")).unwrap();
    assert_eq!((history.lines().count(), history.contains(bolt11.as_str().unwrap())), (4, true));
}

#[tokio::test]
async fn what_would_happen_is_told_and_does_not_happen() {
    let lab = Lab::open().await;
    let before = lab.network.commands_sent();

    for prompt in [
        "how would I open a channel from node 1 to node 2?",
        "what would happen if node 1 paid node 2 5000 msat?",
        "explain how to close a channel",
    ] {
        let result = ask(&lab, prompt).await;

        assert_eq!((result.outcome, tools_of(&result)), (Outcome::Ok, vec![]), "{prompt}");
    }
    assert_eq!(lab.network.commands_sent(), before);
}

#[tokio::test]
async fn a_payment_without_a_channel_fails_and_says_why() {
    let lab = Lab::open().await;

    let result = ask(&lab, "node 2 invoices 10000 msat and node 1 pays it").await;

    assert_eq!((result.success, result.outcome), (false, Outcome::Partial));
    assert_eq!(tools_of(&result), ["ln_invoice", "ln_pay"]);
    let why = result.step_results[1].error.as_deref().unwrap();
    assert!(result.content.contains(why), "{}", result.content);
}

#[tokio::test]
async fn a_channel_is_opened_again_after_it_was_closed() {
    let lab = Lab::open().await;

    for round in 1..=2 {
        let opened = ask(&lab, "open a 200000 sat channel from node 1 to node 2").await;
        assert!(opened.success, "round {round}: {:?}", opened.error);
        assert_eq!(
            lab.network.lightning(1, "listfunds", json!({})).await.unwrap()["channels"][0]["amount_msat"],
            200_000_000
        );
        let closed = ask(&lab, "close the channel from node 1 to node 2").await;
        assert!(closed.success, "round {round}: {:?}", closed.error);
    }
}
