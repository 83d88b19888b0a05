//! Asking again.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ln_agent_core::clock::ManualClock;
use ln_agent_core::guard::{GuardConfig, Guards};
use ln_agent_core::llm::{LlmBackend, LlmErrorKind, LlmResponse, ScriptedBackend};

use super::model::{Model, calm, failure, guarded, key, request};
use super::step_clock::{StepClock, begin, run};

const RETRYABLE: [LlmErrorKind; 5] = [
    LlmErrorKind::RateLimited,
    LlmErrorKind::Overloaded,
    LlmErrorKind::Server,
    LlmErrorKind::Timeout,
    LlmErrorKind::Network,
];

const FINAL: [LlmErrorKind; 13] = [
    LlmErrorKind::Disabled,
    LlmErrorKind::Auth,
    LlmErrorKind::Quota,
    LlmErrorKind::Endpoint,
    LlmErrorKind::BadRequest,
    LlmErrorKind::NotFound,
    LlmErrorKind::TooLarge,
    LlmErrorKind::Refused,
    LlmErrorKind::Malformed,
    LlmErrorKind::CircuitOpen,
    LlmErrorKind::LimitExceeded,
    LlmErrorKind::Replay,
    LlmErrorKind::Other,
];

#[test]
fn a_passing_failure_is_asked_again_by_the_schedule_and_no_more_than_that() {
    for kind in RETRYABLE {
        let clock = Arc::new(StepClock::default());
        let script = vec![Err(failure(kind)); 4];
        let (backend, model) = guarded(calm(), &clock, Model::new(&clock).scripted(script));

        let error = run(&clock, backend.step(&request("hello"))).unwrap_err();

        assert_eq!(error, failure(kind));
        assert_eq!(model.times(), [0, 1_000, 3_000], "{kind:?}");
        let report = backend.guard().unwrap();
        assert_eq!((report.sent, report.retries, report.refused, report.waited_ms), (3, 2, 0, 3_000));
        assert_eq!((report.consecutive_failures, report.last_failure), (3, error.to_string()));
    }
}

#[test]
fn a_lasting_failure_is_never_asked_again() {
    for kind in FINAL {
        let clock = Arc::new(StepClock::default());
        let error = failure(kind).with_retry_after(Duration::from_secs(1));
        let (backend, model) = guarded(calm(), &clock, Model::new(&clock).scripted([Err(error.clone())]));

        assert_eq!(run(&clock, backend.step(&request("hello"))), Err(error));
        assert_eq!(model.times(), [0], "{kind:?}");
        assert_eq!(backend.guard().unwrap().consecutive_failures, 0);
    }
}

#[test]
fn the_servers_word_on_asking_again_overrides_the_kind() {
    for (kind, word, expected) in [
        (LlmErrorKind::Server, false, vec![0]),
        (LlmErrorKind::Malformed, true, vec![0, 1_000]),
        (LlmErrorKind::BadRequest, true, vec![0]),
        (LlmErrorKind::Quota, true, vec![0]),
    ] {
        let clock = Arc::new(StepClock::default());
        let mut error = failure(kind);
        error.should_retry = Some(word);
        let (backend, model) = guarded(calm(), &clock, Model::new(&clock).scripted([Err(error)]));

        let _ = run(&clock, backend.step(&request("hello")));

        assert_eq!(model.times(), expected, "{kind:?}");
    }
}

#[test]
fn waiting_is_schedule_plus_the_jitter_of_the_request_in_every_process() {
    let model = Arc::new(ScriptedBackend::scripted([
        Err(failure(LlmErrorKind::Overloaded)),
        Err(failure(LlmErrorKind::Overloaded)),
        Ok(LlmResponse::text("hello")),
    ]));
    let clock = Arc::new(ManualClock::at_unix_secs(0));
    let config = GuardConfig { min_interval_ms: 0, ..GuardConfig::default() };
    let backend = Guards::new(config, Arc::<ManualClock>::clone(&clock)).wrap(model, key());
    let hello = request("open a channel");

    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert_eq!(runtime.block_on(backend.step(&hello)).unwrap().content, "hello");

    // 1,000 + 238 and 2,000 + 91: see the unit test of the schedule.
    assert_eq!(backend.guard().unwrap().waited_ms, 1_238 + 2_091);
}

#[test]
fn what_the_provider_asks_for_is_the_least_wait_with_the_jitter_on_top() {
    let clock = Arc::new(StepClock::default());
    let script = [
        Err(failure(LlmErrorKind::RateLimited).with_retry_after(Duration::from_millis(7_000))),
        Err(failure(LlmErrorKind::RateLimited).with_retry_after(Duration::ZERO)),
    ];
    let config = GuardConfig { backoff_jitter_ms: 250, ..calm() };
    let (backend, model) = guarded(config, &clock, Model::new(&clock).scripted(script));

    run(&clock, backend.step(&request("open a channel"))).unwrap();

    assert_eq!(model.times(), [0, 7_238, 7_238 + 2_091]);
}

#[test]
fn a_wait_that_is_too_long_ends_the_call_with_the_providers_error() {
    let clock = Arc::new(StepClock::default());
    let error = failure(LlmErrorKind::RateLimited).with_retry_after(Duration::from_secs(121));
    let (backend, model) = guarded(calm(), &clock, Model::new(&clock).scripted([Err(error.clone())]));

    assert_eq!(run(&clock, backend.step(&request("hello"))), Err(error));
    assert_eq!((model.times(), clock.now()), (vec![0], 0));
}

#[test]
fn what_the_provider_asks_for_binds_all_calls_of_the_key() {
    let clock = Arc::new(StepClock::default());
    let error = failure(LlmErrorKind::RateLimited).with_retry_after(Duration::from_secs(9));
    let config = GuardConfig { max_retries: 0, ..calm() };
    let (backend, model) = guarded(config, &clock, Model::new(&clock).scripted([Err(error.clone())]));

    assert_eq!(run(&clock, backend.step(&request("one"))), Err(error));
    run(&clock, backend.step(&request("two"))).unwrap();

    assert_eq!(model.asked(), [(0, "one".to_owned()), (9_000, "two".to_owned())]);
}

#[test]
fn a_retry_is_counted_by_the_limiter_and_keeps_its_place_at_the_gate() {
    let clock = Arc::new(StepClock::default());
    let config = GuardConfig { rpm: 2, ..calm() };
    let script = [Err(failure(LlmErrorKind::Server)), Err(failure(LlmErrorKind::Server))];
    let (backend, model) = guarded(config, &clock, Model::new(&clock).scripted(script));
    let (one, two) = (request("one"), request("two"));

    let (first, second) = run(&clock, futures_util::future::join(backend.step(&one), backend.step(&two)));

    assert_eq!((first.unwrap().content, second.unwrap().content), ("one".into(), "two".into()));
    // Two in the bucket, then one every 30 s; the second call waits until the first has its answer.
    let expected = [(0, "one"), (1_000, "one"), (30_000, "one"), (60_000, "two")];
    assert_eq!(model.asked(), expected.map(|(at, text)| (at, text.to_owned())));
}

#[test]
fn a_call_dropped_between_two_attempts_frees_the_gate() {
    let clock = Arc::new(StepClock::default());
    let script = [Err(failure(LlmErrorKind::Server))];
    let (backend, model) = guarded(calm(), &clock, Model::new(&clock).scripted(script));
    let (one, two) = (request("one"), request("two"));

    run(&clock, async {
        let mut first = Box::pin(backend.step(&one));
        begin(&mut first).await;
        drop(first);
        backend.step(&two).await.unwrap();
    });

    assert_eq!(model.asked(), [(0, "one".to_owned()), (0, "two".to_owned())]);
}

/// Streams once; what was heard, when it was asked, and what came of it.
fn stream(says: &'static [&'static str]) -> (Vec<String>, Vec<u64>, Result<String, LlmErrorKind>) {
    let clock = Arc::new(StepClock::default());
    let model = Model::new(&clock).saying(says).scripted([Err(failure(LlmErrorKind::Network))]);
    let (backend, model) = guarded(calm(), &clock, model);
    let heard = Mutex::new(Vec::new());
    let hear = |text: &str| heard.lock().unwrap().push(text.to_owned());

    let result = run(&clock, backend.stream(&request("hello"), &hear));

    let result = result.map(|response| response.content).map_err(|error| error.kind);
    (heard.into_inner().unwrap(), model.times(), result)
}

#[test]
fn a_stream_is_repeated_only_while_nobody_has_seen_text_of_it() {
    assert_eq!(stream(&[]), (vec![], vec![0, 1_000], Ok("hello".into())));
    assert_eq!(stream(&[""]), (vec!["".into(), "".into()], vec![0, 1_000], Ok("hello".into())));
    assert_eq!(
        stream(&["one ", "two"]),
        (vec!["one ".into(), "two".into()], vec![0], Err(LlmErrorKind::Network))
    );
}

#[test]
fn the_guard_takes_name_and_nature_of_what_it_guards() {
    let clock = Arc::new(StepClock::default());
    let (backend, _) = guarded(calm(), &clock, Model::new(&clock));
    let offline: Arc<dyn LlmBackend> = Arc::new(ln_agent_core::offline::OfflineBackend);
    let guarded_offline = Guards::new(calm(), clock).wrap(Arc::clone(&offline), key());

    assert_eq!((backend.name(), backend.is_offline()), ("model", false));
    assert_eq!((guarded_offline.name(), guarded_offline.is_offline()), (offline.name(), true));
}
