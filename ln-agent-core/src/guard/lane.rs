//! What all calls of one key share: gate, limiter, breaker and counts.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};

use super::breaker::Breaker;
use super::file::BreakerFile;
use super::limiter::Limiter;
use super::schedule::Schedule;
use super::{GuardConfig, GuardKey};
use crate::clock::Clock;
use crate::llm::{LlmError, LlmErrorKind, LlmResponse, redact};
use crate::types::{Circuit, GuardReport};

/// What every lane goes by.
#[derive(Clone)]
pub(super) struct Rules {
    pub(super) config: GuardConfig,
    pub(super) schedule: Schedule,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) file: Option<Arc<BreakerFile>>,
}

/// The state of one key. Every lock but the turn is held for a few instructions only.
pub(super) struct Lane {
    key: GuardKey,
    pub(super) rules: Rules,
    gate: Semaphore,
    /// Whoever holds it is the next to be sent. Tokio hands it on in order of arrival.
    turn: tokio::sync::Mutex<()>,
    limiter: Mutex<Limiter>,
    breaker: Mutex<Breaker>,
    sent: AtomicU64,
    retries: AtomicU64,
    refused: AtomicU64,
    waited_ms: AtomicU64,
}

impl Lane {
    pub(super) fn new(key: GuardKey, rules: Rules) -> Self {
        let saved = rules.file.as_ref().and_then(|file| file.known().remove(&key));
        let places = usize::try_from(rules.config.max_in_flight.max(1)).unwrap_or(usize::MAX);
        Self {
            gate: Semaphore::new(places.min(Semaphore::MAX_PERMITS)),
            turn: tokio::sync::Mutex::new(()),
            limiter: Mutex::new(Limiter::new(&rules.config, rules.clock.monotonic_millis())),
            breaker: Mutex::new(Breaker::new(&rules.config, saved.as_ref())),
            sent: AtomicU64::new(0),
            retries: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            waited_ms: AtomicU64::new(0),
            key,
            rules,
        }
    }

    /// Takes a place at the gate for a request of this size, given back on drop.
    ///
    /// # Errors
    ///
    /// [`LlmErrorKind::LimitExceeded`] if no wait would make room for it, [`LlmErrorKind::CircuitOpen`] while the
    /// circuit is open.
    pub(super) async fn enter(&self, tokens: u64) -> Result<SemaphorePermit<'_>, LlmError> {
        let tpm = self.rules.config.tpm;
        if tpm > 0 && tokens > u64::from(tpm) {
            let message =
                format!("the request is estimated at {tokens} tokens, and {tpm} a minute are allowed");
            return Err(LlmError::new(LlmErrorKind::LimitExceeded, self.key.provider(), message));
        }
        self.check()?;
        let _waiting = self.waiting();
        Ok(self.gate.acquire().await.expect("the gate is never closed"))
    }

    /// Waits until a request of this size may be sent, and counts it as sent. Dropping the wait counts nothing.
    ///
    /// # Errors
    ///
    /// [`LlmErrorKind::CircuitOpen`] as soon as it is known that it may not be sent.
    pub(super) async fn pass(&self, tokens: u64) -> Result<Ticket<'_>, LlmError> {
        let _waiting = self.waiting();
        let _turn = self.turn.lock().await;
        loop {
            match self.try_pass(tokens)? {
                Ok(ticket) => return Ok(ticket),
                Err(wait) => self.rules.clock.sleep(wait).await,
            }
        }
    }

    /// Waits out a failure.
    pub(super) async fn sleep(&self, wait: Duration) {
        let _waiting = self.waiting();
        self.rules.clock.sleep(wait).await;
    }

    pub(super) fn count_retry(&self) {
        self.retries.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_refusal(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn is_closed(&self) -> bool {
        lock(&self.breaker).circuit(self.rules.clock.unix_millis()) == Circuit::Closed
    }

    pub(super) fn report(&self) -> GuardReport {
        let now = self.rules.clock.unix_millis();
        GuardReport {
            sent: self.sent.load(Ordering::Relaxed),
            retries: self.retries.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
            waited_ms: self.waited_ms.load(Ordering::Relaxed),
            ..report_of(&self.key, &lock(&self.breaker), now)
        }
    }

    /// A ticket, or how long to wait for one.
    fn try_pass(&self, tokens: u64) -> Result<Result<Ticket<'_>, Duration>, LlmError> {
        let now = self.rules.clock.monotonic_millis();
        let mut limiter = lock(&self.limiter);
        let wait = limiter.wait_ms(now, tokens);
        if wait > 0 {
            self.check()?;
            return Ok(Err(Duration::from_millis(wait)));
        }
        let probe = lock(&self.breaker).admit(self.rules.clock.unix_millis(), self.key.provider())?;
        limiter.take(now, tokens);
        self.sent.fetch_add(1, Ordering::Relaxed);
        Ok(Ok(Ticket { lane: self, tokens, probe }))
    }

    fn check(&self) -> Result<(), LlmError> {
        lock(&self.breaker).check(self.rules.clock.unix_millis(), self.key.provider())
    }

    fn answered(&self, response: &LlmResponse, tokens: u64, probe: bool) {
        let actual = response.usage.prompt_tokens.saturating_add(response.usage.output_tokens);
        if actual > tokens {
            lock(&self.limiter).reconcile(self.rules.clock.monotonic_millis(), tokens, actual);
        }
        if lock(&self.breaker).succeeded(probe) {
            self.save();
        }
    }

    fn failed(&self, error: &LlmError, probe: bool) {
        let counts = error.is_retryable();
        if counts && let Some(asked) = self.rules.schedule.asked(error.retry_after) {
            let asked = u64::try_from(asked.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX);
            let until = self.rules.clock.monotonic_millis().saturating_add(asked);
            lock(&self.limiter).hold_until(until);
        }
        let words: String = redact(&error.to_string()).chars().take(MOST_WORDS).collect();
        let now = self.rules.clock.unix_millis();
        let mut breaker = lock(&self.breaker);
        breaker.note(words);
        let opened = counts && breaker.failed(now, probe);
        drop(breaker);
        if opened {
            tracing::warn!(provider = self.key.provider(), model = self.key.model(), %error, "model calls are paused");
        }
        if counts {
            self.save();
        }
    }

    fn save(&self) {
        if let Some(file) = &self.rules.file {
            file.save(&self.key, || lock(&self.breaker).saved());
        }
    }

    fn waiting(&self) -> Waiting<'_> {
        Waiting { lane: self, since_ms: self.rules.clock.monotonic_millis() }
    }
}

/// The right to send one request now. What came back goes to [`settle`](Self::settle); without it nothing is learnt.
pub(super) struct Ticket<'l> {
    lane: &'l Lane,
    tokens: u64,
    probe: bool,
}

impl Ticket<'_> {
    pub(super) fn settle(self, result: &Result<LlmResponse, LlmError>) {
        match result {
            Ok(response) => self.lane.answered(response, self.tokens, self.probe),
            Err(error) => self.lane.failed(error, self.probe),
        }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        if self.probe {
            lock(&self.lane.breaker).end_probe();
        }
    }
}

/// Adds the time until its end to the lane's waiting time, also when the waiting call is dropped.
struct Waiting<'l> {
    lane: &'l Lane,
    since_ms: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let waited = self.lane.rules.clock.monotonic_millis().saturating_sub(self.since_ms);
        self.lane.waited_ms.fetch_add(waited, Ordering::Relaxed);
    }
}

/// What is known of a key from its breaker alone.
pub(super) fn report_of(key: &GuardKey, breaker: &Breaker, now_ms: u64) -> GuardReport {
    let circuit = breaker.circuit(now_ms);
    let saved = breaker.saved();
    GuardReport {
        provider: key.provider().to_owned(),
        model: key.model().to_owned(),
        circuit,
        open_until_ms: saved.open_until_ms.filter(|_| circuit == Circuit::Open),
        consecutive_failures: saved.failures,
        last_failure: saved.last_failure,
        ..GuardReport::default()
    }
}

/// No code under these locks panics halfway through a change, so a poisoned state is a whole one.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Characters of a failure that are kept.
const MOST_WORDS: usize = 400;
