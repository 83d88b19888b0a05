//! What a prompt becomes: entities, kinds of wish, tags, and the replies of a model that are not taken as they are.

use std::sync::Arc;

use ln_agent_core::llm::ScriptedBackend;
use ln_agent_core::observe::{Collector, Discard};
use ln_agent_core::offline::{dispatch, plan, translate};
use ln_agent_core::stage::translator::{Translator, TranslatorConfig, TranslatorInput};
use ln_agent_core::types::Exchange;
use ln_agent_core::{IntentBlock, IntentType};
use serde_json::{Value, json};

const OFFER: &str = "lno1qgsqvgnwgcg35z6ee2h3yczraddm72xrfua9uve2rlrm9deu7xyfzrc";
const INVOICE: &str = "lnbcrt1m1p5q0z7fpp5abcdefgh";

fn read(prompt: &str) -> IntentBlock {
    translate(prompt, &[], 2, 1)
}

#[test]
fn entities_of_a_prompt_reach_the_context() {
    let cases = [
        (
            "pay node 2 5000 msat from node 1".to_owned(),
            json!({ "from_node": 1, "to_node": 2, "amount_msat": 5000 }),
        ),
        ("pay node 2 50 sat from node 1".to_owned(), json!({ "amount_msat": 50_000 })),
        ("pay node 2 0.0001 btc from node 1".to_owned(), json!({ "amount_msat": 10_000_000 })),
        ("open a 200,000 sat channel from node 1 to node 2".to_owned(), json!({ "amount_sat": 200_000 })),
        (
            "send 0.5 btc from the shared-wallet to bcrt1q3z3wr3xgz8xjqg4wqvq9kgnmqjsgqvv9t4mgke".to_owned(),
            json!({ "amount_btc": "0.5", "wallet": "shared-wallet", "address": "bcrt1q3z3wr3xgz8xjqg4wqvq9kgnmqjsgqvv9t4mgke" }),
        ),
        (format!("pay {INVOICE} from node 1"), json!({ "from_node": 1, "bolt11": INVOICE })),
        (format!("node 1 pays {OFFER}"), json!({ "from_node": 1, "offer": OFFER })),
        (
            r#"create an invoice for 5000 msat on node 2 with label "tea-7" and description "green tea""#
                .to_owned(),
            json!({ "node": 2, "amount_msat": 5000, "label": "tea-7", "description": "green tea" }),
        ),
    ];
    for (prompt, expected) in cases {
        let context = read(&prompt).context;
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(context.get(name), Some(value), "{prompt}: {name}");
        }
    }
}

#[test]
fn every_kind_of_wish_is_told_apart() {
    for (prompt, kind) in [
        ("pay node 2 5000 msat from node 1", IntentType::PayInvoice),
        ("open a 200000 sat channel from node 1 to node 2", IntentType::OpenChannel),
        ("rebalance 10000 sat from node 1 to node 2", IntentType::Rebalance),
        ("set the fee of node 1's channel to node 2 to 250 ppm", IntentType::SetFee),
        ("what did I run recently?", IntentType::Recall),
        ("how would I open a channel from node 1 to node 2?", IntentType::Informational),
        ("hello", IntentType::Noop),
        ("stop node 2", IntentType::Freeform),
    ] {
        assert_eq!(read(prompt).intent_type, kind, "{prompt}");
    }
}

#[test]
fn a_plain_question_carries_its_tag_and_is_dispatched_to_its_own_tool() {
    for (prompt, tag, tool) in [
        ("are all nodes healthy?", "network_health", "network_health"),
        ("what is the block height?", "block_height", "btc_getblockchaininfo"),
        ("show node 1's info", "node_info", "ln_getinfo"),
        ("how many channels does node 1 have?", "channel_count", "ln_listchannels"),
        ("who are node 1's peers?", "peer_list", "ln_listpeers"),
        ("funds of node 1", "fund_list", "ln_listfunds"),
        ("payments node 1 sent", "payment_list", "ln_listpays"),
        ("list invoices of node 2", "invoice_list", "ln_listinvoices"),
        ("shared-wallet balance", "wallet_balance", "btc_getbalance"),
        ("what fee for the next 6 blocks?", "fee_estimate", "btc_estimatefee"),
        ("mempool size", "mempool_info", "btc_getmempoolinfo"),
        ("lightning fee rates of node 1", "ln_fee_rates", "ln_feerates"),
        ("new address for node 1", "ln_address", "ln_newaddr"),
        ("transactions of the shared-wallet", "btc_tx_list", "btc_listtransactions"),
        ("lightning transactions of node 1", "ln_tx_list", "ln_listtransactions"),
        ("list offers of node 2", "offer_list", "ln_listoffers"),
        ("what did I run recently?", "recall", "memory_lookup"),
    ] {
        let intent = read(prompt);
        assert_eq!(intent.context["read_target"], tag, "{prompt}");
        let tools: Vec<String> = dispatch(&intent).unwrap().steps.into_iter().map(|step| step.tool).collect();
        assert_eq!(tools, [tool], "{prompt}");
    }
}

#[test]
fn stop_and_start_are_never_swapped() {
    let verbs = [
        (
            "stop_node",
            "ln_node_stop",
            &["stop node 2", "shut down node 2", "halt node 2", "take node 2 offline"],
        ),
        ("start_node", "ln_node_start", &["start node 2", "boot node 2", "launch node 2", "bring up node 2"]),
    ];
    for (tag, tool, prompts) in verbs {
        for prompt in prompts {
            let intent = read(prompt);
            assert_eq!(intent.context["action_target"], tag, "{prompt}");
            let last = plan(&intent, 2).unwrap().steps.pop().unwrap();
            assert_eq!((last.tool.as_str(), &last.args["node"]), (tool, &json!(2)), "{prompt}");
        }
    }
    assert_eq!(read("restart node 2").context["action_target"], "restart_node");
}

#[test]
fn several_wishes_and_conditions_carry_no_tag() {
    for prompt in [
        "mine 3 blocks and tell me the height",
        "stop node 2 and list the peers of node 1",
        "how many channels does node 1 have? If fewer than 5, open a 100000 sat channel from node 1 to node 2",
        "start node 2 unless it runs",
        "stop every node",
        "list forwarded payments of node 1",
    ] {
        let context = read(prompt).context;
        let tagged = context.contains_key("read_target") || context.contains_key("action_target");
        assert!(!tagged, "{prompt}: {context:?}");
    }
}

#[test]
fn that_invoice_is_the_one_of_the_last_answer() {
    let artefacts = json!({ "node": 2, "bolt11": INVOICE, "amount_msat": 5000 });
    let history = [Exchange {
        prompt: "node 2 invoices 5000 msat".into(),
        answer: "Done.".into(),
        artefacts: artefacts.as_object().unwrap().clone(),
    }];

    let intent = translate("now pay that invoice from node 1", &history, 2, 1);

    assert_eq!(intent.intent_type, IntentType::PayInvoice);
    assert_eq!((&intent.context["bolt11"], &intent.context["from_node"]), (&json!(INVOICE), &json!(1)));
}

async fn of_model(reply: Value) -> IntentBlock {
    let translator = Translator::new(
        Arc::new(ScriptedBackend::replying([reply.to_string()])),
        TranslatorConfig::default(),
    );
    let ask = TranslatorInput { prompt: "do it", history: &[], node_count: 2, own_node: 1 };
    translator.translate(ask, &Discard).await.unwrap().intent
}

#[tokio::test]
async fn a_tag_that_a_model_made_up_is_dispatched_nowhere() {
    for context in [
        json!({ "read_target": "fee_rates", "node": 1 }),
        json!({ "read_target": "forward_list", "node": 1 }),
        json!({ "action_target": "create_deposit_address", "node": 1 }),
    ] {
        let intent = of_model(json!({ "goal": "g", "context": context })).await;

        assert!(dispatch(&intent).is_none(), "{context}");
    }
}

#[tokio::test]
async fn a_node_that_is_not_there_is_asked_for_and_no_other_taken() {
    let intent =
        of_model(json!({ "goal": "stop it", "context": { "action_target": "stop_node", "node": 9 } })).await;

    assert_eq!(intent.clarifications_needed.len(), 1);
    assert!(!intent.context.contains_key("node") && dispatch(&intent).is_none());
}

#[tokio::test]
async fn the_defaults_are_two_more_attempts_at_a_tenth() {
    assert_eq!(
        TranslatorConfig::default(),
        TranslatorConfig { max_retries: 2, temperature: 0.1, max_output_tokens: 512, falls_back: false }
    );
    let model = Arc::new(ScriptedBackend::replying(["no", "no", "no", "no"]));
    let once = TranslatorConfig { max_retries: 0, ..TranslatorConfig::default() };
    let ask = TranslatorInput { prompt: "do it", history: &[], node_count: 2, own_node: 1 };

    assert!(Translator::new(model.clone(), once).translate(ask, &Discard).await.is_err());

    assert_eq!(model.requests().len(), 1);
}

/// What comes of a model's replies to a prompt, and the names of the events.
async fn translated(
    prompt: &str,
    replies: &[Value],
    falls_back: bool,
) -> (Result<IntentBlock, String>, Vec<String>) {
    let seen = Collector::default();
    let model = Arc::new(ScriptedBackend::replying(replies.iter().map(Value::to_string)));
    let translator = Translator::new(model, TranslatorConfig { falls_back, ..TranslatorConfig::default() });
    let ask = TranslatorInput { prompt, history: &[], node_count: 3, own_node: 1 };
    let done = translator.translate(ask, &seen).await;
    let names =
        seen.events().iter().map(|event| json!(event)["event"].as_str().unwrap().to_owned()).collect();
    (done.map(|translation| translation.intent).map_err(|error| error.to_string()), names)
}

fn tasks(tasks: Value) -> Value {
    json!({ "goal": "as the model read it", "context": { "tasks": tasks } })
}

#[tokio::test]
async fn the_offline_reading_steps_in_for_a_model_that_reads_otherwise_and_says_so() {
    let wrong = tasks(json!([{"task": "start_node", "node": 2}]));

    let (intent, events) = translated("stop node 2", &[wrong], true).await;

    assert_eq!(
        intent.unwrap().context,
        json!({"node": 2, "action_target": "stop_node"}).as_object().unwrap().clone()
    );
    assert!(events.contains(&"llm_fallback".to_owned()), "{events:?}");
}

#[tokio::test]
async fn without_it_a_difference_about_a_change_is_a_question_and_one_about_a_read_is_the_models() {
    let (intent, _) =
        translated("stop node 2", &[tasks(json!([{"task": "start_node", "node": 2}]))], false).await;
    assert!(intent.unwrap().clarifications_needed[0].contains("two ways"));

    let (intent, events) = translated(
        "show the peers of node 2",
        &[tasks(json!([{"task": "channel_count", "node": 2}]))],
        false,
    )
    .await;
    assert_eq!(intent.unwrap().context["read_target"], "channel_count");
    assert!(!events.contains(&"llm_fallback".to_owned()));
}

#[tokio::test]
async fn a_model_that_is_never_usable_is_replaced_where_it_may_be() {
    let nonsense = [json!("no"), json!([]), json!({"goal": ""})];

    let (intent, events) = translated("what is the block height?", &nonsense, true).await;
    assert_eq!(intent.unwrap().context["read_target"], "block_height");
    assert_eq!(events.iter().filter(|name| *name == "llm_fallback").count(), 1);

    assert!(translated("what is the block height?", &nonsense, false).await.0.is_err());
}

#[tokio::test]
async fn a_plain_wish_that_a_model_would_explain_is_asked_about_once_more() {
    let explains = json!({ "goal": "explain", "intent_type": "informational", "context": { "tasks": [] } });
    let reads = tasks(json!([{"task": "network_health"}]));

    let (intent, events) = translated("check the health of the network", &[explains, reads], false).await;

    assert_eq!(intent.unwrap().context["read_target"], "network_health");
    assert_eq!(events.iter().filter(|name| *name == "parse_failed").count(), 1);
}

#[tokio::test]
async fn an_intent_that_does_not_say_what_is_asked_about_once_more() {
    let nothing = json!({ "goal": "pay node 2", "intent_type": "pay_invoice", "context": { "tasks": [] } });
    let pays = tasks(json!([{"task": "pay", "from_node": 1, "to_node": 2, "amount": "20000 sats"}]));

    let (intent, events) = translated("Send 20000 sats from node 1 to node 2", &[nothing, pays], false).await;

    assert_eq!(intent.unwrap().context["amount_msat"], 20_000_000);
    assert_eq!(events.iter().filter(|name| *name == "parse_failed").count(), 1);
}
