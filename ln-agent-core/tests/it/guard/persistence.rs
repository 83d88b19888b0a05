//! What one process leaves to the next.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ln_agent_core::clock::{Clock, ManualClock};
use ln_agent_core::guard::{GuardConfig, GuardKey, Guards};
use ln_agent_core::llm::{LlmError, LlmErrorKind, LlmResponse, ScriptedBackend};
use ln_agent_core::types::{Circuit, GuardReport};

use super::model::{calm, failure, key, request};

const NOW: u64 = 1_700_000_000;

/// A process that starts so many seconds later, and what it knows.
fn process(path: &Path, later: u64) -> (Arc<ManualClock>, Guards) {
    let clock = Arc::new(ManualClock::at_unix_secs(NOW + later));
    let config = GuardConfig { max_retries: 1, circuit_breaker_after: 4, ..calm() };
    (Arc::clone(&clock), Guards::new(config, clock).with_file(path))
}

async fn ask(guards: &Guards, script: Vec<Result<LlmResponse, LlmError>>) -> Result<String, LlmError> {
    let backend = guards.wrap(Arc::new(ScriptedBackend::scripted(script)), key());
    backend.step(&request("hello")).await.map(|response| response.content)
}

fn down() -> Vec<Result<LlmResponse, LlmError>> {
    vec![Err(failure(LlmErrorKind::Overloaded)); 9]
}

#[tokio::test]
async fn processes_count_failures_together_and_share_the_open_circuit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("guards.json");

    let (_, first) = process(&path, 0);
    assert_eq!(ask(&first, down()).await.unwrap_err().kind, LlmErrorKind::Overloaded);
    let (_, second) = process(&path, 10);
    assert_eq!(ask(&second, down()).await.unwrap_err().kind, LlmErrorKind::Overloaded);
    let (clock, third) = process(&path, 20);
    let refusal = ask(&third, vec![Ok(LlmResponse::text("fine"))]).await.unwrap_err();

    // The fourth failure came with the retry of the second process, after its back-off of one second.
    assert_eq!(refusal.kind, LlmErrorKind::CircuitOpen);
    assert_eq!(refusal.retry_after, Some(Duration::from_secs(51)));
    clock.advance(Duration::from_secs(51));
    assert_eq!(ask(&third, vec![Ok(LlmResponse::text("fine"))]).await, Ok("fine".to_owned()));
    let (_, fourth) = process(&path, 80);
    assert_eq!(fourth.reports()[0].circuit, Circuit::Closed);
    assert_eq!(fourth.reports()[0].consecutive_failures, 0);
}

#[tokio::test]
async fn reports_know_keys_of_the_file_that_nobody_used_yet() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("guards.json");
    let (_, first) = process(&path, 0);
    let _ = ask(&first, down()).await;
    let _ = ask(&first, down()).await;
    let (_, second) = process(&path, 5);
    let _ = second.wrap(Arc::new(ScriptedBackend::repeating(["x"])), GuardKey::new("ollama", "m", ""));

    let known = GuardReport {
        provider: "openai".into(),
        model: "gpt-x".into(),
        circuit: Circuit::Open,
        open_until_ms: Some((NOW + 2 + 60) * 1_000),
        consecutive_failures: 4,
        last_failure: "model: overloaded: not now; try again later".into(),
        ..GuardReport::default()
    };
    let unused = GuardReport { provider: "ollama".into(), model: "m".into(), ..GuardReport::default() };
    assert_eq!(second.reports(), [unused, known]);
}

#[tokio::test]
async fn the_file_holds_no_secret_and_changes_only_with_the_breaker() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("guards.json");
    let (_, guards) = process(&path, 0);
    assert_eq!(ask(&guards, vec![Ok(LlmResponse::text("fine"))]).await, Ok("fine".to_owned()));
    let _ = ask(&guards, vec![Err(failure(LlmErrorKind::Auth))]).await;
    assert!(!path.exists(), "nothing changed, so nothing was written");

    let leak =
        LlmError::new(LlmErrorKind::Overloaded, "openai", "busy; Authorization: Bearer secret-0123456789");
    let _ = ask(&guards, vec![Err(leak.clone()), Err(leak)]).await;

    let text = std::fs::read_to_string(&path).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        json,
        serde_json::json!({
            "format": "ln-agent guards 1",
            "breakers": [{
                "provider": "openai",
                "model": "gpt-x",
                "key_fingerprint": key().key_fingerprint(),
                "failures": 2,
                "open_until_ms": null,
                "last_failure": "openai: overloaded: busy; Authorization: Bearer [redacted]; try again later",
            }],
        })
    );
}

#[tokio::test]
async fn a_foreign_file_is_no_error_and_a_clock_far_off_does_not_shut_the_door() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("guards.json");
    std::fs::write(&path, "not ours").unwrap();
    let (_, guards) = process(&path, 0);
    assert_eq!(guards.reports(), []);
    assert_eq!(ask(&guards, vec![Ok(LlmResponse::text("fine"))]).await, Ok("fine".to_owned()));
    for _ in 0..2 {
        let _ = ask(&guards, down()).await;
    }

    // The next process runs on a machine whose clock is a day behind.
    let clock = Arc::new(ManualClock::at_unix_secs(NOW - 86_400));
    let config = GuardConfig { circuit_breaker_after: 4, ..calm() };
    let guards = Guards::new(config, Arc::<ManualClock>::clone(&clock)).with_file(&path);
    let refusal = ask(&guards, vec![Ok(LlmResponse::text("fine"))]).await.unwrap_err();
    assert_eq!(refusal.retry_after, Some(Duration::from_secs(60)));
    clock.sleep(Duration::from_secs(60)).await;
    assert_eq!(ask(&guards, vec![Ok(LlmResponse::text("fine"))]).await, Ok("fine".to_owned()));
}
