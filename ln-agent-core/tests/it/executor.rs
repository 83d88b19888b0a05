//! The executor: order, placeholders, conditions, repetition, retries, deadlines, and what a failure means.

use std::sync::Arc;
use std::time::Duration;

use ln_agent_core::clock::{Clock, ManualClock};
use ln_agent_core::observe::{Collector, Discard};
use ln_agent_core::stage::executor::{Execution, Executor, ExecutorConfig};
use ln_agent_core::tool::{Effect, ToolErrorKind, ToolSpec};
use ln_agent_core::types::{Object, VerificationStatus};
use ln_agent_core::{ExecutionPlan, RunEvent, StepResult};
use serde_json::{Value, json};

use super::actors::{Cast, Record, Reply};

/// A run with everything that can be seen of it.
struct Ran {
    execution: Execution,
    record: Record,
    events: Vec<RunEvent>,
    clock: Arc<ManualClock>,
}

fn plan(steps: Value) -> ExecutionPlan {
    let intent = json!({ "context": { "node": 2, "text": "hello" } });
    serde_json::from_value(json!({ "steps": steps, "intent": intent })).unwrap()
}

async fn run(cast: Cast, config: ExecutorConfig, steps: Value) -> Ran {
    let (tools, record) = cast.finish();
    let clock = Arc::new(ManualClock::at_unix_secs(0));
    let executor = Executor::new(tools, Arc::clone(&clock) as Arc<dyn Clock>, config);
    let seen = Collector::default();
    let execution = executor.execute(&plan(steps), 2, &seen).await;
    Ran { execution, record, events: seen.events(), clock }
}

async fn run_default(cast: Cast, steps: Value) -> Ran {
    run(cast, ExecutorConfig::default(), steps).await
}

fn workers(max_workers: usize) -> ExecutorConfig {
    ExecutorConfig { max_workers, ..ExecutorConfig::default() }
}

impl Ran {
    fn step(&self, id: u32) -> &StepResult {
        self.execution.results.iter().find(|result| result.step_id.0 == id).unwrap()
    }

    fn ids(&self) -> Vec<u32> {
        self.execution.results.iter().map(|result| result.step_id.0).collect()
    }

    fn error(&self) -> &str {
        self.execution.error.as_deref().unwrap_or_default()
    }
}

/// `echo` reads and answers its arguments, `write` and `spend` change something, `broken` fails finally.
fn cast() -> Cast {
    let echo = |_: usize, args: &Object| Reply::Answer(json!({ "args": args }));
    let mut spec = ToolSpec::new("echo", "Answers its arguments.", Effect::Read);
    spec.input_schema = json!({ "type": "object" });
    Cast::default()
        .spec(spec, echo)
        .tool("write", Effect::Write, echo)
        .tool("spend", Effect::Spend, echo)
        .tool("broken", Effect::Read, |_, _| Reply::Fail(ToolErrorKind::Failed, "it broke"))
        .reading(
            "list",
            json!({ "channels": [{ "id": "a", "n": 1 }, { "id": "b", "n": 5 }, { "id": "c" }], "count": 3 }),
        )
        .reading("text", json!("bcrt1qaddress"))
}

// Order

#[tokio::test]
async fn dependencies_run_first_and_ties_go_by_number() {
    let ran = run_default(
        cast(),
        json!([
            { "step_id": 1, "tool": "write", "args": { "n": 1 }, "depends_on": [3] },
            { "step_id": 2, "tool": "write", "args": { "n": 2 } },
            { "step_id": 3, "tool": "write", "args": { "n": 3 } },
        ]),
    )
    .await;
    let sent: Vec<Value> = ran.record.calls().into_iter().map(|(_, args)| args["n"].clone()).collect();
    assert_eq!(sent, [2, 3, 1]);
    assert_eq!(ran.execution.error, None);
}

#[tokio::test]
async fn a_plan_without_an_order_calls_nothing() {
    for (steps, part) in [
        (
            json!([{ "step_id": 1, "tool": "echo", "depends_on": [2] }, { "step_id": 2, "tool": "echo", "depends_on": [1] }]),
            "waits for itself",
        ),
        (
            json!([{ "step_id": 1, "tool": "echo" }, { "step_id": 2, "tool": "echo", "depends_on": [9] }]),
            "step 9",
        ),
        (json!([{ "step_id": 1, "tool": "echo" }, { "step_id": 1, "tool": "echo" }]), "twice"),
    ] {
        let ran = run_default(cast(), steps).await;
        assert!(ran.error().contains(part), "{}", ran.error());
        assert!(ran.record.calls().is_empty() && ran.execution.results.is_empty() && ran.events.is_empty());
    }
}

// Answers and placeholders

#[tokio::test]
async fn an_answer_is_kept_under_its_step_number() {
    let ran = run_default(cast(), json!([{ "step_id": 7, "tool": "text" }])).await;
    assert_eq!(
        ran.step(7).raw_result,
        json!({ "id": 7, "result": { "ok": true, "payload": "bcrt1qaddress" } })
    );
    assert!(ran.step(7).ok && ran.step(7).error.is_none());
}

#[tokio::test]
async fn placeholders_are_resolved_however_deep_and_keep_their_type() {
    let ran = run_default(cast(), json!([
        { "step_id": 1, "tool": "list" },
        { "step_id": 2, "tool": "text" },
        { "step_id": 3, "tool": "echo", "args": {
            "canonical": "$step1.result.payload.channels[1].n", "short": "$step1.payload.count", "bare": "$step2.result.payload.address",
            "context": "$context.node", "length": "$step1.payload.channels.#", "deep": [{ "whole": "$step1.payload.channels[0]" }], "plain": "$-free",
        } },
    ]))
    .await;
    assert_eq!(
        ran.execution.error.as_deref(),
        Some(
            "step 3 (echo) failed: `$-free` is not a placeholder: expected $stepN.result.payload.path, $context.field or $item.path"
        )
    );

    let ran = run_default(cast(), json!([
        { "step_id": 1, "tool": "list" },
        { "step_id": 2, "tool": "text" },
        { "step_id": 3, "tool": "echo", "args": {
            "canonical": "$step1.result.payload.channels[1].n", "short": "$step1.payload.count", "bare": "$step2.result.payload.address",
            "context": "$context.node", "length": "$step1.payload.channels.#", "deep": [{ "whole": "$step1.payload.channels[0]" }], "plain": "costs $5",
        } },
    ]))
    .await;
    assert_eq!(
        Value::Object(ran.step(3).args.clone()),
        json!({ "canonical": 5, "short": 3, "bare": "bcrt1qaddress", "context": 2, "length": 3, "deep": [{ "whole": { "id": "a", "n": 1 } }], "plain": "costs $5" })
    );
}

#[tokio::test]
async fn a_placeholder_that_leads_nowhere_stops_the_plan_or_is_waived() {
    for (on_error, reached, stopped) in [("abort", vec![1, 2], true), ("skip", vec![1, 2, 3], false)] {
        let ran = run_default(cast(), json!([
            { "step_id": 1, "tool": "list" },
            { "step_id": 2, "tool": "write", "args": { "n": "$step1.payload.nope" }, "on_error": on_error },
            { "step_id": 3, "tool": "text" },
        ]))
        .await;
        assert_eq!(ran.ids(), reached);
        assert_eq!(ran.execution.error.is_some(), stopped);
        assert_eq!(ran.step(2).skipped, !stopped);
        assert!(!ran.record.names().contains(&"write".to_owned()));
        assert!(ran.events.iter().any(|event| matches!(event, RunEvent::StepPlaceholderError { .. })));
    }
}

#[tokio::test]
async fn what_reads_a_failed_step_fails_by_itself() {
    let ran = run_default(
        cast(),
        json!([
            { "step_id": 1, "tool": "broken", "on_error": "skip" },
            { "step_id": 2, "tool": "echo", "args": { "x": "$step1.result.payload.y" } },
        ]),
    )
    .await;
    assert!(ran.step(1).skipped && ran.step(1).error.as_deref() == Some("it broke"));
    assert_eq!(ran.error(), "step 2 (echo) failed: `$step1.result.payload.y`: step 1 did not succeed");
}

// Arguments

#[tokio::test]
async fn arguments_are_brought_into_form_before_they_are_sent() {
    let ran = run_default(
        cast(),
        json!([{ "step_id": 1, "tool": "write", "args": { "tool": "write", "args": { "node": "2" } } }]),
    )
    .await;
    assert_eq!(ran.record.calls(), [("write".to_owned(), json!({ "node": 2 }))]);
    assert!(ran.events.iter().any(|event| matches!(event, RunEvent::ArgsNormalized { .. })));
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_refused_before_any_call() {
    for node in [0, 3] {
        let ran =
            run_default(cast(), json!([{ "step_id": 1, "tool": "write", "args": { "node": node } }])).await;
        assert_eq!(
            ran.error(),
            format!("step 1 (write) failed: argument `node` was {node}: expected a node from 1 to 2")
        );
        assert!(ran.record.calls().is_empty());
        assert!(ran.events.iter().any(|event| matches!(event, RunEvent::ToolArgsInvalid { .. })));
    }
}

#[tokio::test]
async fn a_node_that_was_created_exists_for_later_steps() {
    let echo = |_: usize, args: &Object| Reply::Answer(json!(args));
    let cast = cast()
        .tool("ln_node_create", Effect::Write, echo)
        .reading("ln_listnodes", json!({ "nodes": [{ "node": 3 }] }));
    let ran = run_default(
        cast,
        json!([
            { "step_id": 1, "tool": "ln_node_create", "args": { "node": 3 } },
            { "step_id": 2, "tool": "write", "args": { "node": 3 } },
        ]),
    )
    .await;
    assert_eq!(ran.execution.error, None);
}

// Failures

#[tokio::test]
async fn abort_stops_the_plan_and_lists_only_what_was_reached() {
    let ran = run(cast(), workers(1), json!([
        { "step_id": 1, "tool": "text" }, { "step_id": 2, "tool": "broken" }, { "step_id": 3, "tool": "list" },
    ]))
    .await;
    assert_eq!(ran.ids(), [1, 2]);
    assert_eq!(ran.error(), "step 2 (broken) failed: it broke");
    assert_eq!(
        ran.step(2).raw_result,
        json!({ "id": 2, "result": { "ok": false, "error": "it broke", "payload": null } })
    );
    assert_eq!(ran.record.names(), ["text", "broken"]);
}

#[tokio::test]
async fn retry_waits_and_tries_again_then_aborts() {
    let flaky = |good: usize| {
        Cast::default().tool("flaky", Effect::Spend, move |before, _| {
            if before < good {
                Reply::Fail(ToolErrorKind::Unreachable, "not yet")
            } else {
                Reply::Answer(json!(1))
            }
        })
    };
    let steps = json!([{ "step_id": 1, "tool": "flaky", "on_error": "retry", "max_retries": 2 }]);
    for (good, ok, calls) in [(0, true, 1), (2, true, 3), (3, false, 3)] {
        let ran = run_default(flaky(good), steps.clone()).await;
        assert_eq!(
            (ran.step(1).ok, ran.record.calls().len(), ran.step(1).retries_used),
            (ok, calls, u32::try_from(calls).unwrap() - 1)
        );
        assert_eq!(ran.clock.monotonic_millis(), 1_500 * (u64::try_from(calls).unwrap() - 1));
        assert_eq!(ran.execution.error.is_none(), ok);
        assert!(!ran.step(1).skipped, "a retry that is used up aborts");
    }
}

#[tokio::test]
async fn only_retry_tries_again() {
    for on_error in ["abort", "skip"] {
        let ran = run_default(
            cast(),
            json!([{ "step_id": 1, "tool": "broken", "on_error": on_error, "max_retries": 5 }]),
        )
        .await;
        assert_eq!(ran.record.calls().len(), 1);
    }
}

#[tokio::test]
async fn refused_arguments_are_not_sent_again() {
    let cast = Cast::default()
        .tool("picky", Effect::Read, |_, _| Reply::Fail(ToolErrorKind::InvalidArguments, "no such thing"));
    let ran =
        run_default(cast, json!([{ "step_id": 1, "tool": "picky", "on_error": "retry", "max_retries": 5 }]))
            .await;
    assert_eq!(ran.record.calls().len(), 1);
}

// Deadlines and unknown outcomes

#[tokio::test(start_paused = true)]
async fn a_read_that_does_not_answer_has_failed_and_may_be_asked_again() {
    let cast = Cast::default().tool("slow", Effect::Read, |before, _| {
        if before == 0 { Reply::Hang } else { Reply::Answer(json!(1)) }
    });
    let ran =
        run_default(cast, json!([{ "step_id": 1, "tool": "slow", "on_error": "retry", "max_retries": 1 }]))
            .await;
    assert!(ran.step(1).ok && !ran.step(1).unknown);
    assert!(ran.events.iter().any(|event| matches!(event, RunEvent::ToolTimeout { seconds: 30, .. })));
}

#[tokio::test(start_paused = true)]
async fn a_change_that_does_not_answer_is_unknown_is_never_repeated_and_stops_the_plan() {
    for effect in [Effect::Write, Effect::Spend] {
        for on_error in ["abort", "retry", "skip"] {
            let cast = cast().tool("stuck", effect, |_, _| Reply::Hang);
            let ran = run_default(
                cast,
                json!([
                    { "step_id": 1, "tool": "stuck", "on_error": on_error, "max_retries": 3 },
                    { "step_id": 2, "tool": "text" },
                ]),
            )
            .await;
            assert_eq!((ran.ids(), ran.record.names()), (vec![1], vec!["stuck".to_owned()]));
            assert!(ran.step(1).unknown && !ran.step(1).ok && !ran.step(1).skipped);
            assert!(ran.error().starts_with("step 1 (stuck)"), "{}", ran.error());
        }
    }
}

#[tokio::test]
async fn only_a_change_can_be_unknown() {
    for (effect, unknown) in [(Effect::Read, false), (Effect::Write, true), (Effect::Spend, true)] {
        let cast = Cast::default()
            .tool("lost", effect, |_, _| Reply::Fail(ToolErrorKind::Unknown, "connection lost"));
        let ran = run_default(
            cast,
            json!([{ "step_id": 1, "tool": "lost", "on_error": "retry", "max_retries": 1 }]),
        )
        .await;
        assert_eq!(ran.step(1).unknown, unknown);
        assert_eq!(ran.record.calls().len(), if unknown { 1 } else { 2 });
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_with_a_budget_gets_it_and_five_seconds_more() {
    for (budget, answer_after, ok) in [
        (Some(60), 64, true),
        (Some(60), 66, false),
        (None, 29, true),
        (None, 31, false),
        (Some(10), 29, true),
    ] {
        let mut spec = ToolSpec::new("wait", "Waits.", Effect::Read);
        spec.budget = budget.map(Duration::from_secs);
        let cast =
            Cast::default().spec(spec, move |_, _| Reply::After(Duration::from_secs(answer_after), json!(1)));
        let ran = run_default(cast, json!([{ "step_id": 1, "tool": "wait" }])).await;
        assert_eq!(ran.step(1).ok, ok, "budget {budget:?}, answer after {answer_after} s");
    }
}

#[tokio::test(start_paused = true)]
async fn dropping_the_run_gives_up_its_calls() {
    let (tools, record) = Cast::default().tool("stuck", Effect::Read, |_, _| Reply::Hang).finish();
    let executor = Executor::new(tools, Arc::new(ManualClock::at_unix_secs(0)), ExecutorConfig::default());
    let plan = plan(
        json!([{ "step_id": 1, "tool": "stuck" }, { "step_id": 2, "tool": "stuck" }, { "step_id": 3, "tool": "stuck", "depends_on": [1] }]),
    );
    let run = executor.execute(&plan, 2, &Discard);
    assert!(tokio::time::timeout(Duration::from_secs(1), run).await.is_err());
    assert_eq!((record.calls().len(), record.running()), (2, 0));
}

#[test]
fn a_run_can_be_spawned() {
    fn send<T: Send>(_: T) {}
    let (tools, _) = cast().finish();
    let executor = Executor::new(tools, Arc::new(ManualClock::at_unix_secs(0)), ExecutorConfig::default());
    let plan = plan(json!([]));
    send(executor.execute(&plan, 2, &Discard));
}

// Side by side

fn slow(effect: Effect) -> impl Fn(Cast) -> Cast {
    // The first to be asked is the last to answer.
    move |cast| {
        cast.tool(effect.name(), effect, |before, args| {
            let wait = 10_u64.saturating_sub(u64::try_from(before).unwrap());
            Reply::After(Duration::from_secs(wait), json!({ "n": args.get("n") }))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn neighbouring_reads_run_together_up_to_the_limit_and_are_listed_in_plan_order() {
    let steps: Vec<Value> =
        (1..=6).map(|n| json!({ "step_id": n, "tool": "read", "args": { "n": n } })).collect();
    let mut seen = Vec::new();
    for (workers_count, at_once) in [(1, 1), (2, 2), (4, 4), (8, 6)] {
        let ran = run(slow(Effect::Read)(Cast::default()), workers(workers_count), json!(steps)).await;
        assert_eq!(ran.record.most_at_once(), at_once, "{workers_count} workers");
        assert_eq!(ran.ids(), [1, 2, 3, 4, 5, 6]);
        seen.push(ran.execution);
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "the same results for every number of workers");
}

#[tokio::test(start_paused = true)]
async fn changes_run_alone_and_in_plan_order() {
    let ran = run_default(slow(Effect::Spend)(slow(Effect::Write)(slow(Effect::Read)(Cast::default()))), json!([
        { "step_id": 1, "tool": "read", "args": { "n": 1 } },
        { "step_id": 2, "tool": "read", "args": { "n": 2 } },
        { "step_id": 3, "tool": "write" }, { "step_id": 4, "tool": "spend" }, { "step_id": 5, "tool": "write" },
        { "step_id": 6, "tool": "read", "args": { "n": 6 } },
    ]))
    .await;
    assert_eq!(ran.record.names(), ["read", "read", "write", "spend", "write", "read"]);
    assert_eq!(ran.record.most_at_once(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_read_waits_for_what_it_reads() {
    let ran = run_default(
        slow(Effect::Read)(Cast::default()),
        json!([
            { "step_id": 1, "tool": "read", "args": { "n": 1 } },
            { "step_id": 2, "tool": "read", "args": { "n": "$step1.payload.n" } },
            { "step_id": 3, "tool": "read", "args": { "n": 3 }, "depends_on": [2] },
        ]),
    )
    .await;
    assert_eq!((ran.execution.error.clone(), ran.record.most_at_once()), (None, 1));
    assert_eq!(ran.step(2).args["n"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_changes_something_by_its_arguments_runs_alone() {
    let mut spec = ToolSpec::new("fetch", "Reads unless it posts.", Effect::Spend);
    spec.input_schema = json!({ "type": "object", "properties": { "method": { "type": "string" } } });
    spec.classify = Some(|args| {
        if args.get("method").is_some_and(|method| method == "POST") { Effect::Spend } else { Effect::Read }
    });
    for (first, at_once) in [
        (json!({ "method": "GET" }), 2),
        (json!({ "args": { "method": "POST" } }), 1),
        (json!({ "method": "$context.text" }), 1),
    ] {
        let cast = Cast::default().spec(spec.clone(), |_, _| Reply::After(Duration::from_secs(1), json!(1)));
        let ran = run_default(cast, json!([{ "step_id": 1, "tool": "fetch", "args": first }, { "step_id": 2, "tool": "fetch", "args": {} }])).await;
        assert_eq!((ran.execution.error.clone(), ran.record.most_at_once()), (None, at_once), "{first}");
    }
}

#[tokio::test(start_paused = true)]
async fn results_after_the_first_failure_are_not_listed_for_any_number_of_workers() {
    let mut seen = Vec::new();
    for count in [1, 2, 8] {
        let ran = run(slow(Effect::Read)(cast()), workers(count), json!([
            { "step_id": 1, "tool": "read" }, { "step_id": 2, "tool": "broken" }, { "step_id": 3, "tool": "text" },
        ]))
        .await;
        assert_eq!(ran.record.running(), 0);
        seen.push(ran.execution);
    }
    assert_eq!(seen[0].results.len(), 2);
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
}

// Oscillation

fn reads(count: u32, tool: &str) -> Vec<Value> {
    (1..=count).map(|id| json!({ "step_id": id, "tool": tool, "args": { "node": 1 } })).collect()
}

#[tokio::test]
async fn a_repeated_read_is_blocked_after_the_limit_whatever_the_number_of_workers() {
    for count in [1, 8] {
        let mut steps = reads(8, "text");
        steps.push(json!({ "step_id": 9, "tool": "list", "args": { "node": 1 } }));
        steps.push(json!({ "step_id": 10, "tool": "text", "args": { "node": 1 }, "on_error": "retry", "max_retries": 3 }));
        let ran = run(cast(), workers(count), json!(steps)).await;
        assert_eq!(ran.record.calls().len(), 9, "the new read is made, the repeated one is not");
        assert!(ran.step(10).error.as_deref().unwrap().starts_with("blocked: repeated read-only call"));
        assert_eq!((ran.step(10).ok, ran.step(10).retries_used), (false, 0));
        assert!(ran.events.iter().any(|event| matches!(event, RunEvent::ToolCallBlockedOscillation { .. })));
        assert!(ran.error().starts_with("step 10"));
    }
}

#[tokio::test]
async fn a_change_makes_every_read_new_and_a_repeatable_tool_is_left_alone() {
    let mut steps = reads(8, "text");
    steps.push(json!({ "step_id": 9, "tool": "write" }));
    steps.push(json!({ "step_id": 10, "tool": "text", "args": { "node": 1 } }));
    assert_eq!(run_default(cast(), json!(steps)).await.execution.error, None);

    let mut failed = reads(8, "text");
    failed.push(json!({ "step_id": 9, "tool": "stuck", "on_error": "skip" }));
    failed.push(json!({ "step_id": 10, "tool": "text", "args": { "node": 1 } }));
    let cast_with_stuck =
        cast().tool("stuck", Effect::Write, |_, _| Reply::Fail(ToolErrorKind::Failed, "no"));
    assert!(
        run_default(cast_with_stuck, json!(failed)).await.error().contains("blocked"),
        "a failed change changes nothing"
    );

    let mut spec = ToolSpec::new("address", "A fresh one each time.", Effect::Read);
    spec.repeatable = true;
    spec.input_schema = json!({ "type": "object" });
    let fresh = Cast::default().spec(spec, |_, _| Reply::Answer(json!(1)));
    assert_eq!(run_default(fresh, json!(reads(20, "address"))).await.execution.error, None);
}

// Conditions and repetition

#[tokio::test]
async fn a_step_whose_condition_does_not_hold_is_not_needed_and_neither_are_its_dependants() {
    let ran = run_default(cast(), json!([
        { "step_id": 1, "tool": "list" },
        { "step_id": 2, "tool": "spend", "when": [{ "left": "$step1.result.payload.channels.#", "op": "<", "right": 3 }] },
        { "step_id": 3, "tool": "write", "depends_on": [2] },
        { "step_id": 4, "tool": "write", "args": { "n": "$step3.payload.n" } },
        { "step_id": 5, "tool": "spend", "when": [{ "left": "$step1.payload.count", "op": "==", "right": "$step1.payload.channels.#" }] },
    ]))
    .await;
    assert_eq!(ran.execution.error, None);
    assert_eq!(ran.record.names(), ["list", "spend"]);
    assert_eq!(ran.step(2).not_needed.as_deref(), Some("3 is not below 3"));
    assert_eq!(ran.step(3).not_needed.as_deref(), Some("step 2 was not needed"));
    assert_eq!(ran.step(4).not_needed.as_deref(), Some("step 3 was not needed"));
    for id in [2, 3, 4] {
        let result = ran.step(id);
        assert!(result.skipped && !result.ok && result.error.is_none() && result.raw_result.is_null());
    }
    assert!(ran.step(5).ok);
    assert_eq!(ran.events.iter().filter(|event| matches!(event, RunEvent::StepSkipped { .. })).count(), 3);
}

#[tokio::test]
async fn a_condition_that_cannot_be_decided_fails_the_step() {
    for left in ["$step1.payload.nope", "$step1.payload.channels"] {
        let ran = run_default(
            cast(),
            json!([
                { "step_id": 1, "tool": "list" },
                { "step_id": 2, "tool": "spend", "when": [{ "left": left, "op": "<", "right": 3 }] },
            ]),
        )
        .await;
        assert!(ran.error().contains("cannot be decided"), "{}", ran.error());
        assert_eq!(ran.record.names(), ["list"]);
    }
    let ran = run_default(
        cast(),
        json!([
            { "step_id": 1, "tool": "list" },
            { "step_id": 2, "tool": "spend", "when": [{ "left": "$step1.payload.nope", "op": "absent" }] },
        ]),
    )
    .await;
    assert!(ran.step(2).ok, "absence can be asked about");
}

fn for_each(step: Value) -> Value {
    json!([{ "step_id": 1, "tool": "list" }, step])
}

#[tokio::test]
async fn a_step_runs_once_per_element_that_passes_in_list_order() {
    let ran = run_default(cast(), for_each(json!({
        "step_id": 2, "tool": "echo", "args": { "id": "$item.id", "node": "$context.node" },
        "for_each": { "in": "$step1.result.payload.channels", "where": [{ "left": "$item.n", "op": "<", "right": 9 }], "max": 2 },
    })))
    .await;
    let sent: Vec<Value> =
        ran.step(2).iterations.iter().map(|call| Value::Object(call.args.clone())).collect();
    assert_eq!(
        sent,
        [json!({ "id": "a", "node": 2 }), json!({ "id": "b", "node": 2 })],
        "c has no n, so it does not pass"
    );
    assert_eq!(ran.step(2).payload().as_array().unwrap().len(), 2);
    assert!(ran.step(2).ok);
}

#[tokio::test]
async fn more_elements_than_allowed_fail_the_step_before_anything_runs() {
    let ran = run_default(
        cast(),
        for_each(json!({
            "step_id": 2, "tool": "write", "for_each": { "in": "$step1.payload.channels", "max": 2 },
        })),
    )
    .await;
    assert_eq!(ran.record.names(), ["list"]);
    assert!(ran.error().contains("at most 2"), "{}", ran.error());
}

#[tokio::test]
async fn no_element_is_no_failure() {
    let ran = run_default(cast(), for_each(json!({
        "step_id": 2, "tool": "write", "for_each": { "in": "$step1.payload.channels", "where": [{ "left": "$item.id", "op": "==", "right": "z" }], "max": 2 },
    })))
    .await;
    assert_eq!((ran.step(2).ok, ran.step(2).payload()), (true, &json!([])));
}

#[tokio::test]
async fn a_bad_element_is_found_before_the_first_is_acted_on() {
    let ran = run_default(cast(), for_each(json!({
        "step_id": 2, "tool": "write", "args": { "n": "$item.n" }, "for_each": { "in": "$step1.payload.channels", "max": 3 },
    })))
    .await;
    assert_eq!(ran.record.names(), ["list"], "c has no n: {}", ran.error());
}

#[tokio::test]
async fn a_failure_ends_the_row_unless_it_is_waived() {
    for (on_error, calls) in [("abort", 2), ("skip", 3)] {
        let cast = cast().tool("pay", Effect::Spend, |before, _| {
            if before == 1 {
                Reply::Fail(ToolErrorKind::Failed, "no route")
            } else {
                Reply::Answer(json!(before))
            }
        });
        let ran = run_default(cast, for_each(json!({
            "step_id": 2, "tool": "pay", "on_error": on_error, "for_each": { "in": "$step1.payload.channels", "max": 3 },
        })))
        .await;
        let oks: Vec<bool> = ran.step(2).iterations.iter().map(|call| call.ok).collect();
        assert_eq!(oks, [true, false, true][..calls], "{on_error}");
        assert_eq!((ran.step(2).ok, ran.step(2).error.as_deref()), (false, Some("no route")));
        assert_eq!(ran.step(2).skipped, on_error == "skip");
    }
}

// Confirmation

#[tokio::test]
async fn a_change_is_confirmed_beside_the_plan() {
    for running in [true, false] {
        let cast = cast()
            .tool("ln_node_start", Effect::Write, |_, _| Reply::Answer(json!({})))
            .reading("ln_node_status", json!({ "running": running }));
        let ran = run_default(
            cast,
            json!([
                { "step_id": 1, "tool": "ln_node_start", "args": { "node": 1 } },
                { "step_id": 2, "tool": "echo", "args": { "before": "$step1.result.ok" } },
            ]),
        )
        .await;
        assert_eq!(ran.record.names(), ["ln_node_start", "ln_node_status", "echo"]);
        assert_eq!(ran.ids(), [1, 2], "the confirmation is no step");
        let status = if running { VerificationStatus::Confirmed } else { VerificationStatus::Contradicted };
        assert_eq!(ran.execution.verification[0].status, status);
        assert!(ran.step(1).ok && ran.execution.error.is_none(), "the verdict is not the executor's");
        assert!(
            ran.events.iter().any(|event| matches!(event, RunEvent::GoalVerify { ok, .. } if *ok == running))
        );
    }
}

#[tokio::test]
async fn the_funds_are_read_before_and_after_a_payment() {
    let cast = Cast::default()
        .tool("ln_pay", Effect::Spend, |_, _| Reply::Answer(json!({ "amount_msat": 1_000, "payment_hash": "aa" })))
        .tool("ln_listfunds", Effect::Read, |before, _| {
            Reply::Answer(json!({ "outputs": [], "channels": [{ "our_amount_msat": if before == 0 { 5_000 } else { 3_999 } }] }))
        });
    let ran = run_default(
        cast,
        json!([{ "step_id": 1, "tool": "ln_pay", "args": { "from_node": 1, "bolt11": "lnbcrt1" } }]),
    )
    .await;
    assert_eq!(ran.record.names(), ["ln_listfunds", "ln_pay", "ln_listfunds"]);
    assert_eq!(
        ran.execution.verification[0].detail,
        "the payer's channels hold 3999 msat, 1001 msat less than before"
    );
}

#[tokio::test]
async fn the_events_of_a_step_come_in_order() {
    let ran = run_default(cast(), json!([{ "step_id": 1, "tool": "text" }])).await;
    let names: Vec<Value> =
        ran.events.iter().map(|event| serde_json::to_value(event).unwrap()["event"].clone()).collect();
    assert_eq!(names, ["step_start", "tool_call", "tool_result"]);
}
