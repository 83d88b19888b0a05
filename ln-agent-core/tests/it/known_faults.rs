//! Faults that agents of this kind were seen to have, each with the test that keeps it away: one of this chapter, or one
//! that is named. The chapter on the acceptance list checks that every named test exists.
//!
//! What small models do:
//!
//! 1. They write placeholders of template languages:
//!    `ln-agent-core/tests/it/planner.rs::template_placeholders_are_rewritten_before_they_are_judged`,
//!    `ln-agent-core/tests/it/plan_mutation.rs::every_broken_plan_is_refused`.
//! 2. Every question becomes a health check:
//!    `ln-agent-core/tests/it/known_faults.rs::no_other_question_becomes_a_health_check_or_a_block_height`,
//!    `ln-agent-core/tests/it/translator.rs::a_plain_question_carries_its_tag_and_is_dispatched_to_its_own_tool`.
//! 3. No steps pass for success: `ln-agent-core/tests/it/planner.rs::no_steps_and_foreign_nodes_are_no_plan`,
//!    `ln-agent-core/tests/it/known_faults.rs::a_plan_without_steps_is_no_success_where_something_was_wanted`.
//! 4. A hypothetical is carried out:
//!    `ln-agent-mcp/tests/it/pipeline_on_playground.rs::what_would_happen_is_told_and_does_not_happen`,
//!    `ln-agent-core/tests/it/pipeline.rs::explanations_and_greetings_skip_planner_and_executor`.
//! 5. The network interface is looked up for nodes of the same machine:
//!    `ln-agent-core/tests/it/known_faults.rs::only_words_about_other_machines_look_up_the_network_interface`.
//! 7. Start and stop are swapped: `ln-agent-core/tests/it/translator.rs::stop_and_start_are_never_swapped`.
//! 8. A summary claims what did not happen:
//!    `ln-agent-core/tests/it/pipeline.rs::a_wish_for_a_change_is_not_fulfilled_by_looking`,
//!    `ln-agent-core/tests/it/summarizer.rs::a_model_cannot_claim_success_where_there_was_none`.
//! 9. Forwards are asked for with a state that nobody named:
//!    `ln-agent-core/tests/it/known_faults.rs::forwards_are_listed_in_the_state_that_was_named_or_in_all`.
//! 10. Sent and received are confused: `ln-agent-core/tests/it/known_faults.rs::sent_is_read_at_the_payer_and_received_at_the_payee`.
//! 12. A channel cannot be opened a second time for want of a few satoshis:
//!     `ln-agent-mcp/tests/it/pipeline_on_playground.rs::a_channel_is_opened_again_after_it_was_closed`,
//!     `ln-agent-mcp/src/tools/actions/openchannel.rs::too_little_money_is_a_final_failure_with_a_remedy`.
//! 13. Several wishes in one prompt are read as one:
//!     `ln-agent-core/tests/it/translator.rs::several_wishes_and_conditions_carry_no_tag`,
//!     `ln-agent-core/tests/it/offline.rs::every_sentence_of_the_corpus_is_read_and_planned_as_written`.
//!
//! What was wrong in the code of one:
//!
//! 2. An answer that came too late is taken for that of the next call:
//!    `ln-agent-core/tests/it/mcp_client.rs::a_late_reply_is_dropped_and_the_next_call_gets_its_own`,
//!    `ln-agent-core/tests/it/mcp_client.rs::a_server_that_was_killed_between_two_calls_is_started_again`,
//!    `ln-agent-mcp/src/node/lightningd.rs::the_reply_is_found_behind_notifications_and_strangers_replies`.
//! 3. The repair of JSON changes what stands in strings:
//!    `ln-agent-core/tests/it/known_faults.rs::repair_leaves_strings_alone`,
//!    `ln-agent-core/src/llm/reply/find.rs::strict_json_is_returned_unchanged`.
//! 4. A refusal of the gate goes back to the model, and nested texts are not read:
//!    `ln-agent-core/tests/it/pipeline.rs::the_gate_ends_the_run_before_the_planner_and_without_a_second_try`,
//!    `ln-agent-core/src/policy/gate.rs::nested_values_and_names_are_read`,
//!    `ln-agent-core/src/policy/gate.rs::commands_are_refused_as_whole_words_of_any_case`.
//! 5. Any answer confirms: `ln-agent-core/tests/it/verify.rs::an_answer_that_means_absent_contradicts`,
//!    `ln-agent-core/tests/it/pipeline.rs::a_success_that_the_node_contradicts_is_none`.
//! 6. Nothing stops a plan that reads in circles:
//!    `ln-agent-core/tests/it/executor.rs::a_repeated_read_is_blocked_after_the_limit_whatever_the_number_of_workers`.
//! 7. A trace that a crash left is filed again at every start:
//!    `ln-agent-core/tests/it/history.rs::a_run_that_was_cut_off_keeps_its_own_trace_and_is_filed_by_no_later_run`.
//! 10. Any error that mentions RPC means that the node is stopped:
//!     `ln-agent-mcp/src/node/lifecycle.rs::a_node_that_refuses_to_stop_is_not_reported_as_stopped`.
//! 11. BOLT 12 invoices are no invoices:
//!     `ln-agent-mcp/src/tools/args/invoice.rs::invoices_of_every_network_and_of_bolt_12_are_accepted_in_any_dress`,
//!     `ln-agent-mcp/tests/it/lightning_tools.rs::money_goes_by_invoice_offer_and_keysend_and_an_invoice_is_paid_once`.
//! 12. `0` switches on: `ln-agent-core/src/config/settings.rs::a_switch_that_says_0_is_off`.
//! 14. A repeated exchange is not archived:
//!     `ln-agent-core/tests/it/history.rs::a_repeated_exchange_is_archived_each_time_and_remembered_once`.
//! 17. A tool that waits loses to the deadline of its caller:
//!     `ln-agent-mcp/tests/it/tool_catalogue.rs::whatever_may_take_longer_than_an_ordinary_call_says_so`,
//!     `ln-agent-core/tests/it/executor.rs::a_tool_with_a_budget_gets_it_and_five_seconds_more`,
//!     `ln-agent-mcp/src/node/status.rs::a_node_that_takes_commands_and_never_answers_is_told_soon`.
//! 18. Channels are read where newer nodes no longer have them:
//!     `ln-agent-mcp/src/tools/lightning/listchannels.rs::channels_come_from_listpeerchannels_with_our_share_added`,
//!     `ln-agent-mcp/src/tools/actions/closechannel.rs::the_single_txid_of_an_older_node_becomes_a_list`.
//! 21. A file with a password is readable for a moment, and never renewed:
//!     `ln-agent-mcp/src/tools/lifecycle/create.rs::the_files_are_private_and_hold_the_password`.

use std::sync::Arc;

use ln_agent_core::llm::{ScriptedBackend, reply};
use ln_agent_core::offline::{dispatch, plan, translate};
use ln_agent_core::pipeline::{Ask, Network, Pipeline};
use ln_agent_core::{ExecutionPlan, IntentBlock};
use serde_json::{Value, json};

use crate::actors::Cast;

/// The plan for a prompt, each step as its tool and its arguments.
fn steps(prompt: &str) -> Vec<(String, Value)> {
    let plan = plan(&translate(prompt, &[], 2, 1), 2).unwrap();
    plan.steps.into_iter().map(|step| (step.tool, Value::Object(step.args))).collect()
}

fn tools(prompt: &str) -> Vec<String> {
    steps(prompt).into_iter().map(|(tool, _)| tool).collect()
}

#[test]
fn no_other_question_becomes_a_health_check_or_a_block_height() {
    let tags = "node_info channel_count peer_list fund_list payment_list invoice_list wallet_balance fee_estimate \
                mempool_info ln_fee_rates ln_address btc_tx_list ln_tx_list offer_list recall";
    for tag in tags.split_whitespace() {
        let context = json!({ "read_target": tag, "node": 1 }).as_object().unwrap().clone();
        let found = dispatch(&IntentBlock { context, ..IntentBlock::default() }).unwrap();
        assert_eq!(found.steps.len(), 1, "{tag}");
        assert!(
            !["network_health", "btc_getblockchaininfo"].contains(&found.steps[0].tool.as_str()),
            "{tag}"
        );
    }
    for prompt in
        ["what fee for the next 6 blocks?", "who are node 1's peers?", "is the invoice of node 2 paid?"]
    {
        assert!(!tools(prompt).contains(&"network_health".to_owned()), "{prompt}");
    }
}

#[tokio::test]
async fn a_plan_without_steps_is_no_success_where_something_was_wanted() {
    for kind in ["open_channel", "set_fee", "rebalance", "pay_invoice"] {
        let (tools, _) = Cast::default().reading("look", json!({})).finish();
        let model = Arc::new(ScriptedBackend::replying(["All done."]));
        let pipeline = Pipeline::builder(model, tools).network(Network::Playground).build().unwrap();
        let plan = json!({ "steps": [], "intent": { "goal": "do it", "intent_type": kind } });
        let plan: ExecutionPlan = serde_json::from_value(plan).unwrap();

        let result = pipeline.run_plan(plan, Ask::new("")).await;

        assert!(!result.success && result.content.contains("not reached"), "{kind}: {}", result.content);
    }
}

#[test]
fn only_words_about_other_machines_look_up_the_network_interface() {
    for prompt in [
        "connect node 1 to node 2",
        "open a 100000 sat channel from node 1 to node 2",
        "start node 2",
        "what is the address of node 1?",
        "are all nodes healthy?",
    ] {
        assert!(!tools(prompt).contains(&"sys_netinfo".to_owned()), "{prompt}");
    }
    let reachable = tools("Make node 1 reachable from other machines on the LAN");
    assert_eq!(reachable, ["sys_netinfo", "ln_node_stop", "ln_node_start", "ln_getinfo"]);
}

#[test]
fn forwards_are_listed_in_the_state_that_was_named_or_in_all() {
    let listed = |args: Value| vec![("ln_listforwards".to_owned(), args)];
    assert_eq!(steps("List forwarded HTLCs on node 1"), listed(json!({ "node": 1 })));
    assert_eq!(steps("show settled forwards of node 2"), listed(json!({ "node": 2, "status": "settled" })));
}

#[test]
fn sent_is_read_at_the_payer_and_received_at_the_payee() {
    for (prompt, tool, node) in [
        ("Show node 1's recent payments", "ln_listpays", 1),
        ("payments node 1 sent", "ln_listpays", 1),
        ("Which payments has node 2 received?", "ln_listinvoices", 2),
        ("List the invoices on node 2", "ln_listinvoices", 2),
    ] {
        let (found, args) = steps(prompt).remove(0);
        assert_eq!((found.as_str(), &args["node"]), (tool, &json!(node)), "{prompt}");
    }
}

#[test]
fn repair_leaves_strings_alone() {
    // Single quotes, a comment and a trailing comma make it no JSON; what its strings hold must come through.
    let broken = r#"{'url': 'https://example.org/a//b', "date": "2-3 of 2024-11-14", // a comment
        "sum": "10 * 1000", "list": ["a /* b */ c", 'x, }'],}"#;

    let repaired = reply::object(broken).unwrap();

    let expected = json!({ "url": "https://example.org/a//b", "date": "2-3 of 2024-11-14", "sum": "10 * 1000",
        "list": ["a /* b */ c", "x, }"] });
    assert_eq!(Value::Object(repaired), expected);
}
