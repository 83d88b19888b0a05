//! Turn and limits.

use std::sync::Arc;

use futures_util::future::join_all;
use ln_agent_core::guard::{GuardConfig, GuardKey, Guards};
use ln_agent_core::llm::{LlmBackend, LlmErrorKind};

use super::model::{Model, calm, costing, guarded, key, request, request_of};
use super::step_clock::{StepClock, begin, run};

/// Asks all at once, in this order, and gives the texts of the answers.
fn ask_all(clock: &Arc<StepClock>, backend: &Arc<dyn LlmBackend>, count: usize) -> Vec<String> {
    let calls = (0..count).map(|n| {
        let backend = Arc::clone(backend);
        async move { backend.step(&request(&n.to_string())).await.unwrap().content }
    });
    run(clock, join_all(calls))
}

fn numbers(count: usize) -> Vec<String> {
    (0..count).map(|n| n.to_string()).collect()
}

#[test]
fn a_thousand_calls_pass_one_by_one_in_order_and_exactly_as_fast_as_the_limits_allow() {
    let clock = Arc::new(StepClock::default());
    let (backend, model) = guarded(GuardConfig::default(), &clock, Model::new(&clock).taking(300));

    assert_eq!(ask_all(&clock, &backend, 1_000), numbers(1_000));

    // 30 requests lie in the bucket and one comes every 2 s. At one request per second it is empty after the 60th:
    // the n-th (from 0) may be sent at 2 s · (n − 29), or a second after the one before.
    let expected: Vec<(u64, String)> = (0..1_000_u64)
        .map(|n| ((n * 1_000).max((n * 2_000).saturating_sub(58_000)), n.to_string()))
        .collect();
    assert_eq!(model.asked(), expected);
    assert_eq!(model.most_inside(), 1);
    let report = backend.guard().unwrap();
    assert_eq!((report.sent, report.retries, report.refused), (1_000, 0, 0));
}

#[test]
fn a_thousand_calls_side_by_side_keep_order_and_limits_too() {
    let clock = Arc::new(StepClock::default());
    let config = GuardConfig { max_in_flight: 8, rpm: 300, ..calm() };
    let (backend, model) = guarded(config, &clock, Model::new(&clock).taking(700));

    assert_eq!(ask_all(&clock, &backend, 1_000), numbers(1_000));

    // A request is sent when the one eight before it is answered, and when the bucket, which holds 300 and gains one
    // every 200 ms, has let out those before it: first the places are scarce, then the requests.
    let mut expected: Vec<(u64, String)> = Vec::new();
    for n in 0..1_000_usize {
        let place = n.checked_sub(8).map_or(0, |before| expected[before].0 + 700);
        let bucket = (n as u64).saturating_sub(299) * 200;
        expected.push((place.max(bucket), n.to_string()));
    }
    assert_eq!(model.asked(), expected);
    assert_eq!(model.most_inside(), 8);
}

#[test]
fn tokens_limit_what_requests_do_not() {
    let clock = Arc::new(StepClock::default());
    let config = GuardConfig { tpm: 600, max_in_flight: 4, ..calm() };
    let (backend, model) = guarded(config, &clock, Model::new(&clock));

    ask_all(&clock, &backend, 9);

    // Six of 100 tokens lie in the bucket, and 100 tokens come in every 10 s.
    assert_eq!(model.times(), [0, 0, 0, 0, 0, 0, 10_000, 20_000, 30_000]);
}

#[test]
fn an_answer_that_cost_more_than_estimated_delays_the_next_request() {
    let clock = Arc::new(StepClock::default());
    let config = GuardConfig { tpm: 600, ..calm() };
    let script = [Ok(costing(700)), Ok(costing(2))];
    let (backend, model) = guarded(config, &clock, Model::new(&clock).scripted(script));

    ask_all(&clock, &backend, 4);

    // 600 − 700 = −100: the second waits for 200 tokens. It costs less than estimated, which is not given back.
    assert_eq!(model.times(), [0, 20_000, 30_000, 40_000]);
}

#[test]
fn a_request_larger_than_the_bucket_fails_at_once() {
    let clock = Arc::new(StepClock::default());
    let (backend, model) = guarded(GuardConfig::default(), &clock, Model::new(&clock));

    let error = run(&clock, backend.step(&request_of("big", 60_001))).unwrap_err();

    assert_eq!(error.kind, LlmErrorKind::LimitExceeded);
    assert_eq!(
        error.to_string(),
        "openai: larger than the own limit: the request is estimated at 60001 tokens, and 60000 a minute are \
         allowed; raise LLM_TPM or lower the output tokens of the stage"
    );
    run(&clock, backend.step(&request_of("just fits", 60_000))).unwrap();
    assert_eq!(model.asked(), [(0, "just fits".to_owned())]);
    assert_eq!(backend.guard().unwrap().refused, 1);
}

#[test]
fn zero_means_no_limit_of_that_kind() {
    let clock = Arc::new(StepClock::default());
    let (backend, model) = guarded(GuardConfig::unlimited(), &clock, Model::new(&clock));

    ask_all(&clock, &backend, 500);
    run(&clock, backend.step(&request_of("big", u32::MAX))).unwrap();

    assert_eq!(model.times(), [0; 501]);
}

#[test]
fn equal_keys_share_one_guard_and_others_do_not() {
    let clock = Arc::new(StepClock::default());
    let guards = Guards::new(GuardConfig::default(), Arc::<StepClock>::clone(&clock));
    let model = Arc::new(Model::new(&clock));
    let wrap = |key| guards.wrap(Arc::<Model>::clone(&model) as Arc<dyn LlmBackend>, key);
    let planner = wrap(key());
    let summarizer = wrap(key());
    let other_key = wrap(GuardKey::new("openai", "gpt-x", "another secret"));
    let other_model = wrap(GuardKey::new("openai", "gpt-y", "secret"));

    for backend in [&planner, &summarizer, &other_key, &other_model, &planner] {
        run(&clock, backend.step(&request("hello"))).unwrap();
    }

    assert_eq!(model.times(), [0, 1_000, 1_000, 1_000, 2_000]);
    assert_eq!(planner.guard(), summarizer.guard());
    let sent: Vec<(String, u64)> = guards.reports().into_iter().map(|r| (r.model, r.sent)).collect();
    let mut expected = vec![("gpt-x".to_owned(), 3), ("gpt-x".to_owned(), 1), ("gpt-y".to_owned(), 1)];
    // The two keys of one model stand in the order of their fingerprints.
    if key() > GuardKey::new("openai", "gpt-x", "another secret") {
        expected.swap(0, 1);
    }
    assert_eq!(sent, expected);
}

#[test]
fn a_call_dropped_while_it_waits_counts_nothing_and_leaves_its_turn() {
    let clock = Arc::new(StepClock::default());
    let config = GuardConfig { max_in_flight: 3, ..GuardConfig::default() };
    let (backend, model) = guarded(config, &clock, Model::new(&clock));
    let asks = ["first", "second", "third"].map(request);

    run(&clock, async {
        backend.step(&asks[0]).await.unwrap();
        // The second waits for the gap with the turn in hand, the third waits for the turn.
        let mut second = Box::pin(backend.step(&asks[1]));
        begin(&mut second).await;
        let mut third = Box::pin(backend.step(&asks[2]));
        begin(&mut third).await;
        drop(second);
        third.await.unwrap();
    });

    assert_eq!(model.asked(), [(0, "first".to_owned()), (1_000, "third".to_owned())]);
    assert_eq!(backend.guard().unwrap().sent, 2);
}

#[test]
fn a_call_dropped_while_it_is_answered_gives_its_place_back_but_not_what_it_cost() {
    let clock = Arc::new(StepClock::default());
    let config = GuardConfig { rpm: 2, min_interval_ms: 0, ..GuardConfig::default() };
    let (backend, model) = guarded(config, &clock, Model::new(&clock).taking(500));
    let asks = ["first", "second", "third"].map(request);

    run(&clock, async {
        let mut first = Box::pin(backend.step(&asks[0]));
        begin(&mut first).await;
        let mut second = Box::pin(backend.step(&asks[1]));
        begin(&mut second).await;
        drop(first);
        second.await.unwrap();
        backend.step(&asks[2]).await.unwrap();
    });

    // Two a minute: both were counted, so the third waits for the half minute that makes one.
    let expected = [(0, "first"), (0, "second"), (30_000, "third")].map(|(at, text)| (at, text.to_owned()));
    assert_eq!(model.asked(), expected);
}

#[test]
fn a_call_dropped_in_the_queue_is_skipped() {
    let clock = Arc::new(StepClock::default());
    let (backend, model) = guarded(calm(), &clock, Model::new(&clock).taking(500));
    let asks = ["first", "second", "third"].map(request);

    run(&clock, async {
        let mut first = Box::pin(backend.step(&asks[0]));
        begin(&mut first).await;
        let mut second = Box::pin(backend.step(&asks[1]));
        begin(&mut second).await;
        let mut third = Box::pin(backend.step(&asks[2]));
        begin(&mut third).await;
        drop(second);
        let (first, third) = futures_util::future::join(first, third).await;
        assert_eq!((first.unwrap().content, third.unwrap().content), ("first".into(), "third".into()));
    });

    assert_eq!(model.asked(), [(0, "first".to_owned()), (500, "third".to_owned())]);
    assert_eq!(
        backend.guard().unwrap().waited_ms,
        500,
        "the time in the queue of those who left it counts too"
    );
}
