//! Pausing.

use std::sync::Arc;
use std::time::Duration;

use ln_agent_core::clock::Clock;
use ln_agent_core::guard::GuardConfig;
use ln_agent_core::llm::{LlmBackend, LlmErrorKind};
use ln_agent_core::types::{Circuit, GuardReport};

use super::model::{Model, calm, failure, guarded, request};
use super::step_clock::{START, StepClock, begin, run};

/// Opens after three failures, for ten seconds; one call fails once only.
fn config() -> GuardConfig {
    GuardConfig {
        circuit_breaker_after: 3,
        circuit_breaker_open_ms: 10_000,
        max_retries: 0,
        max_in_flight: 4,
        ..calm()
    }
}

fn failures(
    kinds: &[LlmErrorKind],
) -> Vec<Result<ln_agent_core::llm::LlmResponse, ln_agent_core::llm::LlmError>> {
    kinds.iter().map(|kind| Err(failure(*kind))).collect()
}

fn ask(clock: &StepClock, backend: &Arc<dyn LlmBackend>) -> Result<String, LlmErrorKind> {
    let answer = run(clock, backend.step(&request("hello")));
    answer.map(|response| response.content).map_err(|error| error.kind)
}

fn sleep(clock: &StepClock, millis: u64) {
    run(clock, clock.sleep(Duration::from_millis(millis)));
}

const SERVER: LlmErrorKind = LlmErrorKind::Server;
const OPEN: LlmErrorKind = LlmErrorKind::CircuitOpen;

#[test]
fn it_opens_refuses_probes_reopens_probes_and_closes() {
    let clock = Arc::new(StepClock::default());
    let (backend, model) = guarded(config(), &clock, Model::new(&clock).scripted(failures(&[SERVER; 4])));
    let circuit = || backend.guard().unwrap().circuit;

    for _ in 0..3 {
        assert_eq!(circuit(), Circuit::Closed);
        assert_eq!(ask(&clock, &backend), Err(SERVER));
    }
    assert_eq!(ask(&clock, &backend), Err(OPEN));
    let open = GuardReport {
        provider: "openai".into(),
        model: "gpt-x".into(),
        circuit: Circuit::Open,
        open_until_ms: Some(START + 10_000),
        consecutive_failures: 3,
        sent: 3,
        retries: 0,
        refused: 1,
        waited_ms: 0,
        last_failure: "model: server fault: not now".into(),
    };
    assert_eq!(backend.guard(), Some(open));
    sleep(&clock, 9_999);
    assert_eq!(ask(&clock, &backend), Err(OPEN));
    sleep(&clock, 1);
    assert_eq!(circuit(), Circuit::HalfOpen);
    assert_eq!(ask(&clock, &backend), Err(SERVER), "the probe is sent");
    assert_eq!((ask(&clock, &backend), circuit()), (Err(OPEN), Circuit::Open));
    sleep(&clock, 10_000);
    assert_eq!((ask(&clock, &backend), circuit()), (Ok("hello".into()), Circuit::Closed));
    assert_eq!(backend.guard().unwrap().consecutive_failures, 0);
    assert_eq!(model.times(), [0, 0, 0, 10_000, 20_000]);
}

#[test]
fn a_refusal_says_until_when_in_utc_and_seconds() {
    let clock = Arc::new(StepClock::default());
    let (backend, _) = guarded(config(), &clock, Model::new(&clock).scripted(failures(&[SERVER; 3])));
    for _ in 0..3 {
        assert_eq!(ask(&clock, &backend), Err(SERVER));
    }
    sleep(&clock, 2_500);

    let error = run(&clock, backend.step(&request("hello"))).unwrap_err();

    assert_eq!(error.retry_after, Some(Duration::from_millis(7_500)));
    assert_eq!(
        error.to_string(),
        "openai: paused after repeated failures: nothing is sent until 2023-11-14 22:13:30 UTC (8 s from now); \
         3 failures in a row, the last: model: server fault: not now"
    );
}

#[test]
fn a_success_in_between_starts_the_count_anew_and_other_failures_do_not_touch_it() {
    let clock = Arc::new(StepClock::default());
    let mut script = failures(&[SERVER, SERVER]);
    script.push(Ok(ln_agent_core::llm::LlmResponse::text("fine")));
    script.extend(failures(&[
        SERVER,
        LlmErrorKind::Quota,
        SERVER,
        LlmErrorKind::Auth,
        LlmErrorKind::BadRequest,
    ]));
    script.extend(failures(&[SERVER]));
    let (backend, _) = guarded(config(), &clock, Model::new(&clock).scripted(script));

    let seen: Vec<(u32, Circuit)> = (0..9)
        .map(|_| {
            let _ = ask(&clock, &backend);
            let report = backend.guard().unwrap();
            (report.consecutive_failures, report.circuit)
        })
        .collect();

    let counts = [1, 2, 0, 1, 1, 2, 2, 2];
    let mut expected: Vec<(u32, Circuit)> = counts.map(|count| (count, Circuit::Closed)).to_vec();
    expected.push((3, Circuit::Open));
    assert_eq!(seen, expected);
}

#[test]
fn quota_alone_never_opens_it() {
    let clock = Arc::new(StepClock::default());
    let script = failures(&[LlmErrorKind::Quota; 50]);
    let (backend, model) = guarded(config(), &clock, Model::new(&clock).scripted(script));

    for _ in 0..50 {
        assert_eq!(ask(&clock, &backend), Err(LlmErrorKind::Quota));
    }

    assert_eq!(model.times().len(), 50);
}

#[test]
fn half_open_lets_one_call_through_and_the_others_fail_at_once() {
    let clock = Arc::new(StepClock::default());
    let model = Model::new(&clock).taking(100).scripted(failures(&[SERVER; 3]));
    let (backend, model) = guarded(config(), &clock, model);
    for _ in 0..3 {
        assert_eq!(ask(&clock, &backend), Err(SERVER));
    }
    sleep(&clock, 10_000);

    let calls = (0..4).map(|_| {
        let backend = Arc::clone(&backend);
        async move { backend.step(&request("hello")).await.map_err(|error| (error.kind, error.retry_after)) }
    });
    let mut results = run(&clock, futures_util::future::join_all(calls));

    assert_eq!(results.remove(0).unwrap().content, "hello");
    assert_eq!(results, vec![Err((OPEN, None)); 3]);
    assert_eq!(model.times(), [0, 100, 200, 10_300]);
}

#[test]
fn a_dropped_probe_and_one_that_proves_nothing_leave_it_half_open() {
    let clock = Arc::new(StepClock::default());
    let script = failures(&[SERVER, SERVER, SERVER, LlmErrorKind::Auth]);
    let (backend, _) = guarded(config(), &clock, Model::new(&clock).taking(100).scripted(script));
    for _ in 0..3 {
        assert_eq!(ask(&clock, &backend), Err(SERVER));
    }
    sleep(&clock, 10_000);
    let hello = request("hello");

    run(&clock, async {
        let mut probe = Box::pin(backend.step(&hello));
        begin(&mut probe).await;
        assert_eq!(backend.step(&hello).await.unwrap_err().kind, OPEN);
    });
    assert_eq!(backend.guard().unwrap().circuit, Circuit::HalfOpen);
    assert_eq!(ask(&clock, &backend), Err(LlmErrorKind::Auth));
    assert_eq!(backend.guard().unwrap().circuit, Circuit::HalfOpen);
    assert_eq!(ask(&clock, &backend), Ok("hello".into()));
    assert_eq!(backend.guard().unwrap().circuit, Circuit::Closed);
}

#[test]
fn the_failure_that_opens_it_ends_the_retries_and_frees_those_who_wait() {
    let clock = Arc::new(StepClock::default());
    let config = GuardConfig { max_retries: 5, max_in_flight: 1, ..config() };
    let model = Model::new(&clock).taking(100).scripted(failures(&[SERVER; 9]));
    let (backend, model) = guarded(config, &clock, model);

    let calls = (0..3).map(|_| {
        let backend = Arc::clone(&backend);
        let clock = Arc::clone(&clock);
        async move { (backend.step(&request("hello")).await.unwrap_err().kind, clock.now()) }
    });
    let results = run(&clock, futures_util::future::join_all(calls));

    // Sent at 0, 1,100 and 3,200; the third failure opens the circuit.
    assert_eq!(model.times(), [0, 1_100, 3_200]);
    assert_eq!(results, [(SERVER, 3_300), (OPEN, 3_300), (OPEN, 3_300)]);
    let report = backend.guard().unwrap();
    assert_eq!((report.sent, report.retries, report.refused), (3, 2, 2));
}
