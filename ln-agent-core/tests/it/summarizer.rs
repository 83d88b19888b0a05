//! Verdict and answer of finished runs, with and without a model.

use std::sync::Arc;

use ln_agent_core::llm::{LlmResponse, ScriptedBackend};
use ln_agent_core::observe::Collector;
use ln_agent_core::offline::answer::{compose, unsupported};
use ln_agent_core::offline::dispatch;
use ln_agent_core::stage::summarizer::{Summarizer, SummarizerConfig, SummaryInput, verdict};
use ln_agent_core::{ExecutionPlan, IntentBlock, RunEvent, StepResult, Verdict, Verification};
use serde_json::{Value, json};

use crate::toolbox;

/// A finished run.
struct Run {
    intent: IntentBlock,
    plan: ExecutionPlan,
    results: Vec<StepResult>,
    verification: Vec<Verification>,
}

impl Run {
    /// Steps as `(tool, args, result members)`.
    fn new(intent: Value, steps: Vec<(&str, Value, Value)>) -> Self {
        let intent: IntentBlock = serde_json::from_value(intent).unwrap();
        let mut plan = Vec::new();
        let mut results = Vec::new();
        for (index, (tool, args, result)) in steps.into_iter().enumerate() {
            let step = json!({ "step_id": index + 1, "tool": tool, "args": args });
            plan.push(serde_json::from_value(step.clone()).unwrap());
            if result.is_null() {
                continue;
            }
            let mut full = json!({ "step_id": index + 1, "tool": tool, "args": args, "ok": true });
            let members = full.as_object_mut().unwrap();
            members.extend(result.as_object().unwrap().clone());
            results.push(serde_json::from_value(full).unwrap());
        }
        let plan = ExecutionPlan { steps: plan, plan_rationale: String::new(), intent: intent.clone() };
        Self { intent, plan, results, verification: Vec::new() }
    }

    fn verified(mut self, status: &str, detail: &str) -> Self {
        self.verification.push(
            serde_json::from_value(json!({
                "step_id": 1, "tool": "ln_listfunds", "args": { "node": 2 }, "ok": status == "confirmed",
                "detail": detail, "status": status,
            }))
            .unwrap(),
        );
        self
    }

    fn verdict(&self) -> Verdict {
        verdict(&self.intent, &self.plan, &self.results, &self.verification, &toolbox::registry())
    }

    fn judged(&self) -> (bool, String) {
        let Verdict { ok, reason } = self.verdict();
        (ok, reason)
    }

    fn composed(&self) -> String {
        let text = compose(&self.intent, &self.plan, &self.results, &self.verification, &self.verdict());
        let evidence = [json!([self.intent, self.plan, self.results, self.verification])];
        assert_eq!(unsupported(&text, &evidence), [""; 0], "{text}");
        text
    }

    async fn summarized(&self, model: ScriptedBackend) -> (String, Vec<RunEvent>, Arc<ScriptedBackend>) {
        let (model, seen, verdict) = (Arc::new(model), Collector::default(), self.verdict());
        let input = SummaryInput {
            intent: &self.intent,
            plan: &self.plan,
            results: &self.results,
            verification: &self.verification,
            verdict: &verdict,
        };
        let summary =
            Summarizer::new(model.clone(), SummarizerConfig::default()).summarize(input, &seen).await;
        (summary.text, seen.events(), model)
    }
}

fn payload(value: impl Into<Value>) -> Value {
    let value = value.into();
    json!({ "raw_result": { "id": 1, "result": { "ok": true, "payload": value } } })
}

fn failed(error: &str) -> Value {
    json!({ "ok": false, "error": error })
}

fn payment() -> Run {
    Run::new(
        json!({ "intent_type": "pay_invoice", "goal": "pay", "raw_prompt": "node 1 pays lnbcrt1x" }),
        vec![(
            "ln_pay",
            json!({ "from_node": 1, "bolt11": "lnbcrt1x" }),
            payload(json!({ "amount_msat": 10_000, "amount_sent_msat": 10_001, "status": "complete",
                            "payment_hash": "ab01", "payment_preimage": "cd02" })),
        )],
    )
}

fn height() -> Run {
    let intent = json!({ "goal": "height", "context": { "read_target": "block_height" } });
    let run = Run::new(
        intent,
        vec![("btc_getblockchaininfo", json!({}), payload(json!({ "blocks": 1_234, "chain": "regtest" })))],
    );
    let steps = dispatch(&run.intent).unwrap().steps;
    Run { plan: ExecutionPlan { steps, ..run.plan }, ..run }
}

#[test]
fn the_verdict_follows_from_results_and_checks() {
    assert_eq!(payment().judged(), (true, "1 of 1 steps succeeded".into()));
    assert_eq!(
        payment().verified("confirmed", "seen").judged(),
        (true, "1 of 1 steps succeeded, 1 confirmed on the nodes".into())
    );
    assert_eq!(
        payment().verified("contradicted", "the balance did not change").judged(),
        (false, "the tools succeeded, but the goal was not seen: the balance did not change".into())
    );
    assert!(payment().verified("unavailable", "node 2 is down").judged().0);

    let intent = json!({ "goal": "pay it" });
    let broken = Run::new(
        intent.clone(),
        vec![("ln_pay", json!({}), failed("no route")), ("ln_listpays", json!({}), json!(null))],
    );
    assert_eq!(broken.judged(), (false, "step 1 (ln_pay) failed: no route".into()));
    let cut = Run::new(
        intent.clone(),
        vec![("ln_pay", json!({}), payload(json!({}))), ("ln_listpays", json!({}), json!(null))],
    );
    assert_eq!(cut.judged(), (false, "1 of 2 steps were carried out".into()));
    let flying = Run::new(
        intent,
        vec![("ln_pay", json!({}), json!({ "ok": false, "unknown": true, "error": "timeout" }))],
    );
    assert_eq!(flying.judged(), (false, "the outcome of step 1 (ln_pay) is not known".into()));
}

#[test]
fn a_change_that_was_asked_for_must_have_happened() {
    let read = || ("ln_listfunds", json!({ "node": 1 }), payload(json!({ "outputs": [], "channels": [] })));
    let no_change =
        (false, "something was to be changed, and no step that changes anything succeeded".to_owned());
    let asked = |intent: Value| Run::new(intent, vec![read()]).judged();

    assert_eq!(asked(json!({ "intent_type": "pay_invoice", "goal": "x" })), no_change);
    assert_eq!(asked(json!({ "goal": "Open a channel from node 1 to node 2" })), no_change);
    assert_eq!(asked(json!({ "context": { "action_target": "stop_node" } })), no_change);
    assert!(asked(json!({ "goal": "list open channels" })).0);
    assert!(asked(json!({ "intent_type": "recall", "raw_prompt": "pay" })).0);

    let address = ("btc_getnewaddress", json!({}), payload(json!("bcrt1q")));
    assert_eq!(Run::new(json!({ "goal": "send 1 btc to node 2" }), vec![address]).judged(), no_change);

    let spared = (
        "ln_openchannel",
        json!({}),
        json!({ "ok": false, "skipped": true, "not_needed": "there are 5 channels" }),
    );
    let spared = Run::new(json!({ "intent_type": "open_channel" }), vec![read(), spared]);
    assert_eq!(spared.judged(), (true, "1 of 2 steps succeeded, 1 left out".into()));
}

#[test]
fn composed_answers_carry_the_values_and_what_was_confirmed() {
    assert_eq!(
        payment().verified("confirmed", "it holds 10,000 msat more").composed(),
        "Node 1 paid 10,000 msat (10 sat), 10,001 msat with routing fees. Confirmed on node 2."
    );
}

#[test]
fn failures_skips_and_unknown_outcomes_are_named() {
    let run = Run::new(
        json!({ "goal": "x" }),
        vec![
            (
                "ln_getinfo",
                json!({ "node": 2 }),
                json!({ "ok": false, "skipped": true, "error": "node 2 is down" }),
            ),
            (
                "ln_connect",
                json!({}),
                json!({ "ok": false, "skipped": true, "not_needed": "it is connected" }),
            ),
            ("ln_openchannel", json!({}), failed("Could not afford 500000sat")),
            ("btc_generatetoaddress", json!({}), json!(null)),
        ],
    );
    assert_eq!(
        run.composed(),
        "Opening the channel failed (step 3, ln_openchannel): Could not afford 500000sat. Connecting the node was not \
         needed: it is connected. Asking node 2 failed and was skipped (step 1, ln_getinfo): node 2 is down. Not carried \
         out: mining the blocks."
    );

    let flying = Run::new(
        json!({}),
        vec![("ln_pay", json!({}), json!({ "ok": false, "unknown": true, "error": "no answer" }))],
    );
    assert_eq!(
        flying.composed(),
        "Paying may still be in flight (step 1, ln_pay: no answer); its outcome is unknown, so do not pay again before \
         the node has been asked."
    );
}

/// Node 1 opens a channel to node 2 and pays it, as the offline planner plans it.
fn channel_and_payment(prompt: &str, payment: Value) -> Run {
    let mut run = Run::new(
        json!({ "goal": "Open a 500000 sat channel from node 1 to node 2, then pay the invoice", "raw_prompt": prompt }),
        vec![
            ("ln_getinfo", json!({ "node": 2 }), payload(json!({ "id": "02ab" }))),
            ("ln_connect", json!({ "from_node": 1, "peer_id": "02ab" }), payload(json!({ "id": "02ab" }))),
            (
                "ln_openchannel",
                json!({ "from_node": 1, "peer_id": "02ab", "amount_sat": 500_000 }),
                payload(json!({ "txid": "ed05" })),
            ),
            ("btc_getnewaddress", json!({}), payload(json!("bcrt1q"))),
            ("btc_generatetoaddress", json!({ "address": "bcrt1q" }), payload(json!(["00aa"]))),
            (
                "ln_invoice",
                json!({ "node": 2, "amount_msat": 10_000, "label": "" }),
                payload(json!({ "bolt11": "lnbcrt1x", "label": "auto-1" })),
            ),
            ("ln_pay", json!({ "from_node": 1, "bolt11": "lnbcrt1x" }), payment),
        ],
    );
    for index in 1..run.plan.steps.len() {
        run.plan.steps[index].depends_on = vec![run.plan.steps[index - 1].step_id];
    }
    run
}

#[test]
fn many_steps_are_told_as_one_goal() {
    let paid = payload(json!({ "amount_msat": 10_000, "amount_sent_msat": 10_000, "status": "complete",
                               "payment_hash": "ab01", "payment_preimage": "cd02" }));
    let told = "Node 1 opened a 500,000 sat channel to node 2 and paid node 2's invoice over 10,000 msat (10 sat). The \
                funding transaction is ed05.";
    assert_eq!(channel_and_payment("open and pay", paid.clone()).composed(), told);
    assert_eq!(
        channel_and_payment("open, pay, show the preimage", paid).composed(),
        format!("{told} The preimage is cd02.")
    );
}

#[test]
fn what_stays_after_a_failure_is_told() {
    assert_eq!(
        channel_and_payment("open and pay", failed("no route")).composed(),
        "Paying from node 1 failed (step 7, ln_pay): no route. Done before and still in place: node 1 opened a 500,000 sat \
         channel to node 2, and node 2 made an invoice for 10,000 msat (10 sat) with the label auto-1, not paid. The \
         funding transaction is ed05."
    );
}

#[test]
fn a_condition_that_does_not_hold_is_told_by_what_was_seen() {
    let channel = json!({ "peer_id": "02ab", "state": "CHANNELD_NORMAL" });
    let mut run = Run::new(
        json!({ "raw_prompt": "if node 1 has fewer than 2 channels, mine 1 block" }),
        vec![
            ("ln_listchannels", json!({ "node": 1 }), payload(json!({ "channels": [channel, channel] }))),
            (
                "btc_generatetoaddress",
                json!({}),
                json!({ "ok": false, "skipped": true, "not_needed": "2 is not below 2" }),
            ),
        ],
    );
    run.plan.steps[1].when = serde_json::from_value(
        json!([{ "left": "$step1.result.payload.channels.#", "op": "<", "right": 2 }]),
    )
    .unwrap();
    assert_eq!(run.composed(), "Node 1 has 2 channels, so nothing was done.");
}

#[test]
fn explanations_questions_and_greetings_have_their_own_answers() {
    let explain = |prompt: &str| {
        Run::new(json!({ "intent_type": "informational", "raw_prompt": prompt, "context": { "from_node": 1, "to_node": 2 } }), vec![])
            .composed()
    };
    for (prompt, word) in [
        ("how would I open a channel?", "send a funding transaction"),
        ("walk me through paying an invoice", "release the secret"),
        ("what happens if I close a channel", "mutual close"),
        ("explain gossip", "plan the tool calls"),
    ] {
        let text = explain(prompt);
        assert!(text.starts_with("No action was taken. ") && text.contains(word), "{text}");
    }
    let asked = Run::new(json!({ "clarifications_needed": ["Which node should pay?"] }), vec![]);
    assert_eq!(asked.composed(), "Which node should pay? Nothing was done.");
    let greeted = Run::new(json!({ "intent_type": "noop", "raw_prompt": "hello" }), vec![]);
    assert!(greeted.composed().contains("I can read"));
    assert_eq!(greeted.judged(), (true, "nothing needed to be done".into()));
}

#[tokio::test]
async fn a_dispatched_read_is_answered_without_a_model() {
    let (text, events, model) = height().summarized(ScriptedBackend::replying([""; 0])).await;
    assert_eq!(text, "The block height is 1,234 on regtest.");
    assert_eq!(events, [RunEvent::Token { text }]);
    assert_eq!(model.requests().len(), 0);
}

#[tokio::test]
async fn a_model_words_the_answer_and_is_shown_the_verdict() {
    let (text, _, model) = payment().summarized(ScriptedBackend::replying(["Node 1 paid 10 sat."])).await;
    assert_eq!(text, "Node 1 paid 10 sat.");
    let sent: Value = serde_json::from_str(&model.requests()[0].messages[2].content).unwrap();
    assert_eq!(sent["verdict"], json!({ "goal_reached": true, "reason": "1 of 1 steps succeeded" }));
    assert_eq!(sent["results"][0]["args"]["bolt11"], "lnbcrt1x");
}

#[tokio::test]
async fn a_model_cannot_claim_success_where_there_was_none() {
    let run = payment().verified("contradicted", "nothing arrived");
    let (text, ..) = run.summarized(ScriptedBackend::replying(["All went well."])).await;
    assert_eq!(
        text,
        "The goal was not reached: the tools succeeded, but the goal was not seen: nothing arrived. All went well."
    );
}

#[tokio::test]
async fn a_model_that_fails_is_silent_or_invents_is_replaced() {
    let composed = payment().composed();
    let failing = ScriptedBackend::replying([""; 0]);
    for model in
        [failing, ScriptedBackend::replying(["  "]), ScriptedBackend::replying(["Paid 99 sat, txid 77fe."])]
    {
        let (text, events, _) = payment().summarized(model).await;
        assert_eq!(text, composed);
        assert!(events.iter().any(|event| matches!(event, RunEvent::SummarizerError { .. })), "{events:?}");
    }
}

#[tokio::test]
async fn an_explanation_always_begins_by_saying_that_nothing_was_done() {
    let run = Run::new(json!({ "intent_type": "informational", "raw_prompt": "how to open?" }), vec![]);
    let (text, ..) = run.summarized(ScriptedBackend::replying(["It would cost fees."])).await;
    assert_eq!(text, "No action was taken. It would cost fees.");
}

#[tokio::test]
async fn long_answers_of_tools_are_cut_to_the_budget() {
    let run =
        Run::new(json!({ "goal": "x" }), vec![("ln_raw", json!({}), payload(json!("x".repeat(20_000))))]);
    let (.., model) = run.summarized(ScriptedBackend::scripted([Ok(LlmResponse::text("ok"))])).await;
    let sent = &model.requests()[0].messages[2].content;
    assert!(sent.len() < 9_000 && sent.contains("characters left out)"), "{}", sent.len());
}

/// Payloads of all 47 tools, most of them recorded from real nodes.
const RECORDED: &str = include_str!("data/answers.json");

#[test]
fn every_tool_has_a_sentence_that_invents_nothing() {
    let calls: Vec<Value> = serde_json::from_str(RECORDED).unwrap();
    let mut silent: Vec<String> = toolbox::registry().specs().map(|spec| spec.name.clone()).collect();
    let mut sentences = Vec::new();
    for call in calls {
        let tool = call["tool"].as_str().unwrap();
        let run = Run::new(
            json!({ "goal": "x" }),
            vec![(tool, call["args"].clone(), payload(call["payload"].clone()))],
        );
        silent.retain(|name| name != tool);
        sentences.push(format!("{tool}: {}", run.composed()));
    }
    assert_eq!(silent, [""; 0]);
    insta::assert_snapshot!(sentences.join("\n"));
}
