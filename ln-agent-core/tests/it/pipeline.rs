//! Whole runs with a scripted model and small tools: who is asked when, and what ends a run.

use std::sync::Arc;
use std::time::Duration;

use ln_agent_core::approve::{Approval, ApprovalRequest, ApproveAll, ApproveHash, Approver};
use ln_agent_core::clock::ManualClock;
use ln_agent_core::llm::{LlmError, LlmErrorKind, LlmResponse, LlmTask, ScriptedBackend};
use ln_agent_core::observe::Collector;
use ln_agent_core::pipeline::{Ask, BuildError, Network, Pipeline, PipelineBuilder};
use ln_agent_core::stage::executor::ExecutorConfig;
use ln_agent_core::stage::planner::PlannerConfig;
use ln_agent_core::tool::{Effect, ToolErrorKind, ToolSpec};
use ln_agent_core::types::{Failure, VerificationStatus};
use ln_agent_core::{ExecutionPlan, Msat, Outcome, PipelineResult, Stage};
use serde_json::{Value, json};

use crate::actors::{Cast, Record, Reply};

const LOOK: &str = r#"{"goal": "look around", "context": {"node": 1}}"#;
const CHANGE: &str = r#"{"goal": "set the dial", "context": {"node": 1}}"#;
const LOOK_PLAN: &str =
    r#"{"plan_rationale": "look", "steps": [{"step_id": 1, "tool": "look", "args": {"node": 1}}]}"#;
const CHANGE_PLAN: &str = r#"{"plan_rationale": "change", "steps": [{"step_id": 1, "tool": "look", "args": {"node": 1}},
    {"step_id": 2, "tool": "change", "args": {"n": "$step1.result.payload.seen"}, "depends_on": [1]}]}"#;
const KEYSEND_PLAN: &str =
    r#"{"steps": [{"step_id": 1, "tool": "ln_keysend", "args": {"node": 1, "amount_msat": 10000}}]}"#;

fn cast() -> Cast {
    let mut keysend = ToolSpec::new("ln_keysend", "Sends money.", Effect::Spend);
    keysend.input_schema = json!({ "type": "object", "properties": {
        "node": { "type": "integer" }, "amount_msat": { "type": "integer" } } });
    Cast::default()
        .reading("look", json!({ "seen": 3 }))
        .reading("btc_getblockchaininfo", json!({ "blocks": 101, "chain": "regtest" }))
        .tool("change", Effect::Write, |_, args| Reply::Answer(json!({ "was": args.get("n") })))
        .tool("broken", Effect::Read, |_, _| Reply::Fail(ToolErrorKind::Failed, "it broke"))
        .tool("lost", Effect::Spend, |_, _| Reply::Fail(ToolErrorKind::Unknown, "no answer came"))
        .tool("ln_node_stop", Effect::Write, |_, _| Reply::Answer(json!({ "stopped": true })))
        .reading("ln_node_status", json!({ "running": true }))
        .spec(keysend, |_, _| Reply::Answer(json!({ "status": "complete" })))
}

struct Ran {
    result: PipelineResult,
    model: Arc<ScriptedBackend>,
    record: Record,
    events: Vec<Value>,
}

impl Ran {
    /// The stages that asked the model, in order.
    fn asked(&self) -> Vec<&'static str> {
        self.model.requests().iter().map(|request| stage_of(&request.task)).collect()
    }

    fn event_names(&self) -> Vec<&str> {
        self.events.iter().map(|event| event["event"].as_str().unwrap()).collect()
    }

    /// How it ended: outcome, the kind of failure, the stage.
    fn end(&self) -> (Outcome, Option<Failure>, Option<Stage>) {
        (self.result.outcome, self.result.failure, self.result.stage_failed)
    }
}

fn stage_of(task: &LlmTask) -> &'static str {
    match task {
        LlmTask::Translate { .. } => "translator",
        LlmTask::Plan { .. } => "planner",
        LlmTask::Summarize { .. } => "summarizer",
        other => unreachable!("{other:?} is no stage"),
    }
}

fn scripted<const N: usize>(replies: [&str; N]) -> ScriptedBackend {
    ScriptedBackend::replying(replies)
}

async fn run_on(
    script: ScriptedBackend,
    settings: impl FnOnce(PipelineBuilder) -> PipelineBuilder,
    plan: Option<&str>,
) -> Ran {
    let (tools, record) = cast().finish();
    let model = Arc::new(script);
    let seen = Arc::new(Collector::default());
    let builder = Pipeline::builder(model.clone(), tools)
        .planner(own_tools())
        .observer(seen.clone())
        .clock(Arc::new(ManualClock::at_unix_secs(1_700_000_000)))
        .network(Network::Playground);
    let pipeline = settings(builder).build().unwrap();
    let result = match plan {
        None => pipeline.run(Ask::new("do it")).await.unwrap(),
        Some(plan) => pipeline.run_plan(serde_json::from_str(plan).unwrap(), Ask::new("")).await,
    };
    let events = seen.events().iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    Ran { result, model, record, events }
}

async fn run<const N: usize>(replies: [&str; N]) -> Ran {
    run_on(scripted(replies), |builder| builder, None).await
}

// Who is asked

#[tokio::test]
async fn a_full_run_makes_exactly_three_model_calls() {
    let ran = run([CHANGE, CHANGE_PLAN, "The dial was set to 3."]).await;

    assert_eq!(ran.asked(), ["translator", "planner", "summarizer"]);
    assert_eq!(ran.record.names(), ["look", "change"]);
    assert_eq!((ran.result.content.as_str(), ran.result.success), ("The dial was set to 3.", true));
    let usage = ran.result.usage;
    assert_eq!([usage.translator.calls, usage.planner.calls, usage.summarizer.calls], [1, 1, 1]);
}

#[tokio::test]
async fn an_execution_makes_no_model_call() {
    let ran = run_on(scripted(["The dial was set."]), |builder| builder, Some(CHANGE_PLAN)).await;

    assert_eq!(ran.asked(), ["summarizer"]);
    assert_eq!(ran.record.calls()[1], ("change".to_owned(), json!({ "n": 3 })));
}

#[tokio::test]
async fn where_nothing_is_to_be_done_the_model_is_asked_once() {
    let ran = run([r#"{"goal": "nothing to do", "intent_type": "noop", "human_summary": "Hello."}"#]).await;

    assert_eq!(ran.asked(), ["translator"]);
    assert!(ran.result.success && !ran.result.content.is_empty(), "{}", ran.result.content);
}

#[tokio::test]
async fn a_dispatched_read_asks_the_model_once_and_a_template_answers() {
    let ran = run([r#"{"goal": "height", "context": {"read_target": "block_height"}}"#]).await;

    assert_eq!(ran.asked(), ["translator"]);
    assert_eq!(ran.record.names(), ["btc_getblockchaininfo"]);
    assert!(ran.result.success && ran.result.content.contains("101"), "{}", ran.result.content);
    assert!(ran.event_names().contains(&"deterministic_dispatch_hit"));
    assert!(!ran.event_names().contains(&"planner_llm_dispatch"));
}

#[tokio::test]
async fn explanations_and_greetings_skip_planner_and_executor() {
    for kind in ["informational", "noop"] {
        let intent = json!({ "goal": "open a channel", "intent_type": kind }).to_string();

        let ran = run([&intent, "No action was taken. It would open a channel."]).await;

        assert!(!ran.asked().contains(&"planner") && ran.record.calls().is_empty(), "{kind}");
        assert_eq!(ran.end(), (Outcome::Ok, None, None));
        assert!(ran.result.plan.unwrap().steps.is_empty() && ran.result.certificate.is_none());
    }
}

#[tokio::test]
async fn each_stage_may_have_a_backend_of_its_own() {
    let own = |reply| Arc::new(scripted([reply]));
    let (planner, summarizer) = (own(LOOK_PLAN), own("Seen: 3."));
    let backends = |builder: PipelineBuilder| {
        builder.planner_backend(planner.clone()).summarizer_backend(summarizer.clone())
    };

    let ran = run_on(scripted([LOOK]), backends, None).await;

    assert!(ran.result.success, "{:?}", ran.result.error);
    let counts = [&ran.model, &planner, &summarizer].map(|model| model.requests().len());
    assert_eq!(counts, [1, 1, 1]);
}

// Replies that are no use

#[tokio::test]
async fn a_malformed_reply_is_asked_for_again_with_the_error_fed_back() {
    let ran = run(["I cannot say", LOOK, "[1, 2", LOOK_PLAN, "Seen: 3."]).await;

    assert!(ran.result.success, "{:?}", ran.result.error);
    assert_eq!(ran.asked(), ["translator", "translator", "planner", "planner", "summarizer"]);
    for second in [1, 3] {
        let messages = &ran.model.requests()[second].messages;
        let correction = &messages.last().unwrap().content;
        assert!(
            correction.contains("could not be used") || correction.contains("not a valid plan"),
            "{correction}"
        );
        let previous = if second == 1 { "I cannot say" } else { "[1, 2" };
        assert_eq!(messages[messages.len() - 2].content, previous);
    }
    assert_eq!(ran.event_names().iter().filter(|name| **name == "parse_failed").count(), 2);
}

#[tokio::test]
async fn a_translator_or_planner_that_never_answers_right_ends_the_run() {
    for (replies, stage) in [
        (vec!["no", "no", "no", LOOK], Stage::Translator),
        (vec![LOOK, "no", "no", "no", LOOK_PLAN], Stage::Planner),
    ] {
        let ran = run_on(ScriptedBackend::replying(replies), |builder| builder, None).await;

        assert_eq!(ran.end(), (Outcome::Failed, Some(Failure::Malformed), Some(stage)));
        assert!(ran.record.calls().is_empty());
        assert!(ran.result.content.starts_with("Nothing was done: no "), "{}", ran.result.content);
    }
}

#[tokio::test]
async fn with_models_switched_off_the_run_ends_at_its_first_question() {
    let ran = run_on(ScriptedBackend::scripted([Err(LlmError::disabled())]), |builder| builder, None).await;

    assert_eq!(ran.end(), (Outcome::Failed, Some(Failure::Unreachable), Some(Stage::Translator)));
    assert_eq!(ran.result.error.as_deref(), Some("ALLOW_LLM!=1"));
    assert_eq!(
        ran.event_names(),
        ["prompt_start", "llm_call", "llm_disabled", "stage_failed", "stage_timing"]
    );
}

#[tokio::test]
async fn a_summarizer_that_fails_costs_only_its_sentence() {
    let down = LlmError::new(LlmErrorKind::Overloaded, "p", "busy");
    for last in [Err(down), Ok(LlmResponse::text("  ")), Ok(LlmResponse::text("The dial was set to 77."))] {
        let text = |reply: &str| Ok(LlmResponse::text(reply));
        let script = ScriptedBackend::scripted([text(CHANGE), text(CHANGE_PLAN), last]);

        let ran = run_on(script, |builder| builder, None).await;

        assert_eq!(ran.end(), (Outcome::Ok, None, None));
        assert!(ran.event_names().contains(&"summarizer_error"));
        assert!(
            !ran.result.content.is_empty() && !ran.result.content.contains("77"),
            "{}",
            ran.result.content
        );
    }
}

// Who may say no

#[tokio::test]
async fn the_gate_ends_the_run_before_the_planner_and_without_a_second_try() {
    for label in ["a; rm -rf x", "../../etc/passwd", "sudo reboot", "http://198.51.100.1/x"] {
        let intent = json!({ "goal": "g", "context": { "label": label } }).to_string();

        let ran = run([&intent, LOOK_PLAN, "done"]).await;

        assert_eq!(ran.asked(), ["translator"], "{label}");
        assert_eq!(ran.end(), (Outcome::Refused, Some(Failure::Gate), Some(Stage::Translator)));
        assert!(ran.result.error.unwrap().contains("`label`"));
        assert!(ran.result.plan.is_none() && ran.record.calls().is_empty());
    }
}

#[tokio::test]
async fn an_open_question_stops_a_change_but_not_a_read() {
    let question = "Which node is meant?";
    let change = json!({ "goal": "open a channel", "intent_type": "open_channel", "clarifications_needed": [question] });
    let read = json!({ "goal": "height", "context": { "read_target": "block_height" }, "clarifications_needed": [question] });

    let stopped = run([&change.to_string(), CHANGE_PLAN, "done"]).await;
    let went_on = run([&read.to_string()]).await;

    assert_eq!(stopped.asked(), ["translator"]);
    assert_eq!(stopped.end(), (Outcome::Refused, Some(Failure::Clarification), None));
    assert_eq!(stopped.result.content, "Which node is meant? Nothing was done.");
    assert!(stopped.record.calls().is_empty());
    assert_eq!(
        (went_on.result.success, went_on.record.names()),
        (true, vec!["btc_getblockchaininfo".into()])
    );
}

/// Says what it was told to say, and keeps nothing.
struct Says(Approval);

#[async_trait::async_trait]
impl Approver for Says {
    async fn approve(&self, _request: ApprovalRequest<'_>) -> Approval {
        self.0.clone()
    }
}

#[tokio::test]
async fn on_a_real_network_a_change_needs_a_yes_to_its_hash() {
    let hash = run([CHANGE, CHANGE_PLAN, "done"]).await.result.certificate.unwrap().hash;
    let asks = |approver: Arc<dyn Approver>| Some(approver);
    for (approver, failure) in [
        (None, Some(Failure::AwaitingApproval)),
        (asks(Arc::new(Says(Approval::Denied("too dear".into())))), Some(Failure::Denied)),
        (asks(Arc::new(ApproveHash("00".repeat(32)))), Some(Failure::Denied)),
        (asks(Arc::new(ApproveHash(hash.clone()))), None),
        (asks(Arc::new(ApproveAll)), None),
    ] {
        let settings = |builder: PipelineBuilder| match approver {
            Some(approver) => builder.network(Network::Real).approver(approver),
            None => builder.network(Network::Real),
        };

        let ran = run_on(scripted([CHANGE, CHANGE_PLAN, "The dial was set."]), settings, None).await;

        assert_eq!(ran.result.failure, failure);
        assert_eq!(ran.record.calls().len(), if failure.is_some() { 0 } else { 2 });
        let answered = ran.events.iter().find(|event| event["event"] == "approval_answered").unwrap();
        assert_eq!(answered["approved"], failure.is_none());
        assert_eq!(answered["hash"], hash);
        if failure == Some(Failure::AwaitingApproval) {
            assert!(ran.result.content.contains(&format!("--approve {hash}")), "{}", ran.result.content);
        }
    }
}

#[tokio::test]
async fn on_a_real_network_a_read_asks_nobody() {
    let real = |builder: PipelineBuilder| builder.network(Network::Real);

    let ran = run_on(scripted([LOOK, LOOK_PLAN, "Seen: 3."]), real, None).await;

    assert!(ran.result.success && !ran.event_names().contains(&"approval_requested"));
}

#[tokio::test]
async fn a_plan_above_the_effect_ceiling_is_refused_whole() {
    for (ceiling, plan, allowed) in [
        (Effect::Read, LOOK_PLAN, true),
        (Effect::Read, CHANGE_PLAN, false),
        (Effect::Write, CHANGE_PLAN, true),
        (Effect::Write, KEYSEND_PLAN, false),
        (Effect::Spend, KEYSEND_PLAN, true),
    ] {
        let ran = run_on(scripted(["done"]), |builder| builder.ceiling(ceiling), Some(plan)).await;

        assert_eq!(ran.result.failure == Some(Failure::Policy), !allowed, "{ceiling:?} {plan}");
        assert_eq!(ran.record.calls().is_empty(), !allowed);
    }
}

#[tokio::test]
async fn a_plan_above_the_spending_cap_is_refused_and_one_at_it_is_not() {
    // 10,000 msat and the routing fee that may be paid at most.
    for (cap, allowed) in [(None, true), (Some(14_999), false), (Some(15_000), true)] {
        let ran = run_on(scripted(["sent"]), |b| b.max_spend(cap.map(Msat)), Some(KEYSEND_PLAN)).await;

        assert_eq!(ran.result.failure == Some(Failure::Policy), !allowed, "{cap:?}");
        assert_eq!(ran.record.names().contains(&"ln_keysend".to_owned()), allowed);
        let certificate = ran.result.certificate.unwrap();
        assert_eq!(certificate.worst_case_spend_msat, Some(Msat(15_000)));
    }
}

// What a run comes to

#[tokio::test]
async fn a_success_that_the_node_contradicts_is_none() {
    let plan = r#"{"steps": [{"step_id": 1, "tool": "ln_node_stop", "args": {"node": 2}}]}"#;

    let ran = run([CHANGE, plan, "Node 2 was stopped."]).await;

    assert_eq!(ran.end(), (Outcome::Partial, Some(Failure::Unconfirmed), None));
    assert!(ran.result.step_results[0].ok && !ran.result.success);
    assert_eq!(ran.result.verification[0].status, VerificationStatus::Contradicted);
    assert_eq!(
        ran.result.content,
        "The goal was not reached: the tools succeeded, but the goal was not seen: node 2 is running. \
         Node 2 was stopped."
    );
}

#[tokio::test]
async fn a_wish_for_a_change_is_not_fulfilled_by_looking() {
    let ran = run([CHANGE, LOOK_PLAN, "The dial was set."]).await;

    assert!(!ran.result.success && ran.result.step_results[0].ok);
    assert!(ran.result.content.starts_with("The goal was not reached: "), "{}", ran.result.content);
    let told = &ran.model.requests()[2].messages[1].content;
    assert!(told.contains("Do not claim success"), "{told}");
}

#[tokio::test]
async fn a_failed_step_leaves_its_partial_results_and_is_put_into_words() {
    let plan = r#"{"steps": [{"step_id": 1, "tool": "look"}, {"step_id": 2, "tool": "broken"}, {"step_id": 3, "tool": "look"}]}"#;

    let ran = run([LOOK, plan, "It broke."]).await;

    assert_eq!(ran.end(), (Outcome::Partial, Some(Failure::Tool), Some(Stage::Executor)));
    let ok: Vec<bool> = ran.result.step_results.iter().map(|step| step.ok).collect();
    assert_eq!(ok, [true, false]);
    assert_eq!(ran.asked(), ["translator", "planner", "summarizer"]);
    assert!(ran.result.content.starts_with("The goal was not reached: "), "{}", ran.result.content);
}

#[tokio::test]
async fn money_without_an_answer_is_neither_sent_nor_failed() {
    let plan = r#"{"steps": [{"step_id": 1, "tool": "lost", "on_error": "retry", "max_retries": 3}]}"#;

    let ran = run([CHANGE, plan, "Unclear."]).await;

    assert_eq!(ran.end(), (Outcome::Unknown, Some(Failure::Unknown), Some(Stage::Executor)));
    assert_eq!(ran.record.names(), ["lost"], "it is not sent twice");
}

#[tokio::test]
async fn every_kind_of_result_survives_the_wire() {
    let unknown = r#"{"steps": [{"step_id": 1, "tool": "lost"}]}"#;
    let gate = r#"{"goal": "g", "context": {"label": "a|b"}}"#;
    for script in [
        vec![CHANGE, CHANGE_PLAN, "The dial was set to 3."],
        vec![LOOK, LOOK_PLAN, "Seen: 3."],
        vec![gate],
        vec!["no", "no", "no"],
        vec![CHANGE, unknown, "Unclear."],
    ] {
        let result = run_on(ScriptedBackend::replying(script), |builder| builder, None).await.result;

        let wire = serde_json::to_string(&result).unwrap();

        assert_eq!(serde_json::from_str::<PipelineResult>(&wire).unwrap(), result);
        assert!(!wire.contains('\n'));
        let wire: Value = serde_json::from_str(&wire).unwrap();
        assert_eq!((&wire["type"], &wire["content"]), (&json!("pipeline_report"), &wire["human_summary"]));
    }
}

#[tokio::test]
async fn equal_runs_give_equal_results() {
    let one = run([CHANGE, CHANGE_PLAN, "The dial was set to 3."]).await;
    let other = run([CHANGE, CHANGE_PLAN, "The dial was set to 3."]).await;

    assert_eq!(one.result, other.result);
    assert_eq!(one.events, other.events);
}

// Seen from outside

#[tokio::test]
async fn observers_see_the_events_of_a_run_in_order() {
    let ran = run([CHANGE, CHANGE_PLAN, "The dial was set to 3."]).await;

    let step = ["step_start", "tool_call", "tool_result"];
    let expected = [
        &["prompt_start", "llm_call", "llm_response", "intent_parsed"][..],
        &["planner_llm_dispatch", "llm_call", "llm_response", "plan_parsed"],
        &step,
        &step,
        &["llm_call", "token", "llm_response", "token", "stage_timing"],
    ]
    .concat();
    assert_eq!(ran.event_names(), expected);
}

#[tokio::test]
async fn a_plan_is_there_to_be_read_before_anything_runs() {
    let (tools, record) = cast().finish();
    let model = Arc::new(scripted([CHANGE, CHANGE_PLAN]));
    let pipeline = Pipeline::builder(model, tools).planner(own_tools()).build().unwrap();

    let result = pipeline.plan_only(Ask::new("set the dial")).await.unwrap();

    assert!(record.calls().is_empty() && result.step_results.is_empty());
    let plan = result.plan.unwrap();
    assert_eq!((plan.steps.len(), plan.plan_rationale.as_str()), (2, "change"));
    assert_eq!(plan.intent, result.intent.unwrap());
    assert_eq!(result.certificate.unwrap().hash.len(), 64);
    let read_back: ExecutionPlan = serde_json::from_value(serde_json::to_value(&plan).unwrap()).unwrap();
    assert_eq!(read_back, plan);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_run_makes_no_further_call() {
    let (tools, record) = Cast::default()
        .tool("stuck", Effect::Read, |_, _| Reply::Hang)
        .reading("look", json!({ "seen": 3 }))
        .finish();
    let plan =
        r#"{"steps": [{"step_id": 1, "tool": "stuck"}, {"step_id": 2, "tool": "look", "depends_on": [1]}]}"#;
    let model = Arc::new(scripted([LOOK, plan, "done"]));
    let pipeline = Pipeline::builder(model.clone(), tools).planner(own_tools()).build().unwrap();

    let given_up = tokio::time::timeout(Duration::from_secs(1), pipeline.run(Ask::new("look"))).await;
    tokio::time::sleep(Duration::from_secs(600)).await;

    assert!(given_up.is_err());
    assert_eq!((record.names(), record.running()), (vec!["stuck".to_owned()], 0));
    assert_eq!(model.requests().len(), 2);
}

#[test]
fn a_pipeline_that_could_do_nothing_is_not_built() {
    let model = || Arc::new(scripted([]));
    let (none, _) = Cast::default().finish();
    assert_eq!(
        Pipeline::builder(model(), none).planner(own_tools()).build().err(),
        Some(BuildError::NoTools)
    );
    let (tools, _) = cast().finish();
    let config = ExecutorConfig { max_workers: 0, ..ExecutorConfig::default() };
    assert_eq!(
        Pipeline::builder(model(), tools).planner(own_tools()).executor(config).build().err(),
        Some(BuildError::NoWorkers)
    );
}

#[tokio::test]
async fn the_artefacts_have_their_documented_members() {
    let plan = r#"{"steps": [{"step_id": 1, "tool": "broken", "on_error": "skip"}]}"#;

    let ran = run([LOOK, plan, "It broke, which was allowed."]).await;

    let wire = serde_json::to_value(&ran.result).unwrap();
    let members = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(
        members(&wire["intent"]),
        "goal intent_type context success_criteria clarifications_needed human_summary raw_prompt"
    );
    assert_eq!(members(&wire["plan"]), "steps plan_rationale intent");
    assert_eq!(
        members(&wire["plan"]["steps"][0]),
        "step_id tool args depends_on on_error max_retries expected_outcome"
    );
    assert_eq!(
        members(&wire["step_results"][0]),
        "step_id tool args ok error raw_result retries_used skipped"
    );
    assert_eq!(wire["step_results"][0]["skipped"], true);
    assert_eq!(
        members(&wire),
        "type request_id run_id ts pipeline_build success outcome stage_failed error failure intent plan certificate \
         step_results verification verdict content human_summary usage timings_ms"
    );
}

/// The tools here are none that the words of a prompt could ask for.
fn own_tools() -> PlannerConfig {
    PlannerConfig { checks_words: false, ..PlannerConfig::default() }
}
