//! A pause for everybody after too many failures in a row.

use std::time::Duration;

use time::OffsetDateTime;

use super::GuardConfig;
use super::file::Saved;
use crate::llm::{LlmError, LlmErrorKind};
use crate::types::Circuit;

/// Counts failures in a row, and refuses calls for a while when there were too many. Then one call may probe.
///
/// Times are Unix milliseconds, so that other processes can read them.
#[derive(Debug)]
pub(super) struct Breaker {
    after: u32,
    open_ms: u64,
    failures: u32,
    open_until_ms: Option<u64>,
    /// The one call of the half-open circuit is under way.
    probing: bool,
    last_failure: String,
}

impl Breaker {
    /// As it was left, or closed.
    pub(super) fn new(config: &GuardConfig, saved: Option<&Saved>) -> Self {
        Self {
            after: config.circuit_breaker_after,
            open_ms: config.circuit_breaker_open_ms,
            failures: saved.map_or(0, |saved| saved.failures),
            open_until_ms: saved.and_then(|saved| saved.open_until_ms),
            probing: false,
            last_failure: saved.map(|saved| saved.last_failure.clone()).unwrap_or_default(),
        }
    }

    pub(super) fn saved(&self) -> Saved {
        Saved {
            failures: self.failures,
            open_until_ms: self.open_until_ms,
            last_failure: self.last_failure.clone(),
        }
    }

    pub(super) fn circuit(&self, now_ms: u64) -> Circuit {
        match self.open_until_ms {
            None => Circuit::Closed,
            Some(until) if self.remaining_ms(until, now_ms) > 0 => Circuit::Open,
            Some(_) => Circuit::HalfOpen,
        }
    }

    /// Whether a call would pass now.
    ///
    /// # Errors
    ///
    /// The refusal, in the provider's name.
    pub(super) fn check(&mut self, now_ms: u64, provider: &str) -> Result<(), LlmError> {
        let Some(until) = self.open_until_ms else { return Ok(()) };
        let remaining = self.remaining_ms(until, now_ms);
        // A clock that was set back, or a file of another configuration, must not close the door for longer.
        self.open_until_ms = Some(until.min(now_ms.saturating_add(self.open_ms)));
        if remaining > 0 {
            Err(self.open(now_ms, remaining, provider))
        } else if self.probing {
            let message = format!("another call is trying whether it is back; {}", self.story());
            Err(LlmError::new(LlmErrorKind::CircuitOpen, provider, message))
        } else {
            Ok(())
        }
    }

    /// Lets a call pass, and says whether it is the probe, whose outcome decides.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    pub(super) fn admit(&mut self, now_ms: u64, provider: &str) -> Result<bool, LlmError> {
        self.check(now_ms, provider)?;
        self.probing = self.open_until_ms.is_some();
        Ok(self.probing)
    }

    /// A call was answered; `true` if that changed anything. Only the probe closes an open circuit: an answer to a
    /// call sent before it opened is older than the failures.
    pub(super) fn succeeded(&mut self, probe: bool) -> bool {
        if self.open_until_ms.is_some() && !probe {
            return false;
        }
        let changed = self.failures > 0 || self.open_until_ms.is_some();
        self.failures = 0;
        self.open_until_ms = None;
        changed
    }

    /// A call failed in a way that counts. `true` if this opened the circuit.
    pub(super) fn failed(&mut self, now_ms: u64, probe: bool) -> bool {
        self.failures = self.failures.saturating_add(1);
        let opens = probe || (self.open_until_ms.is_none() && self.after > 0 && self.failures >= self.after);
        if opens {
            self.open_until_ms = Some(now_ms.saturating_add(self.open_ms));
        }
        opens
    }

    /// Keeps the words of a failure, counted or not.
    pub(super) fn note(&mut self, failure: String) {
        self.last_failure = failure;
    }

    /// The probe is over, with or without an outcome.
    pub(super) fn end_probe(&mut self) {
        self.probing = false;
    }

    fn remaining_ms(&self, until_ms: u64, now_ms: u64) -> u64 {
        until_ms.saturating_sub(now_ms).min(self.open_ms)
    }

    fn open(&self, now_ms: u64, remaining_ms: u64, provider: &str) -> LlmError {
        let secs = remaining_ms.div_ceil(1_000);
        let until = utc(now_ms.saturating_add(remaining_ms));
        let message = format!("nothing is sent until {until} ({secs} s from now); {}", self.story());
        LlmError::new(LlmErrorKind::CircuitOpen, provider, message)
            .with_retry_after(Duration::from_millis(remaining_ms))
    }

    fn story(&self) -> String {
        let failures = match self.failures {
            1 => "1 failure".to_owned(),
            failures => format!("{failures} failures in a row"),
        };
        match self.last_failure.as_str() {
            "" => failures,
            last => format!("{failures}, the last: {last}"),
        }
    }
}

/// `YYYY-MM-DD HH:MM:SS UTC`, rounded up to the second.
fn utc(unix_ms: u64) -> String {
    let secs = i64::try_from(unix_ms.div_ceil(1_000)).unwrap_or(i64::MAX);
    let Ok(at) = OffsetDateTime::from_unix_timestamp(secs) else { return format!("Unix second {secs}") };
    let (year, month, day) = at.to_calendar_date();
    let (hour, minute, second) = at.to_hms();
    format!("{year:04}-{:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC", u8::from(month))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaker() -> Breaker {
        let config = GuardConfig {
            circuit_breaker_after: 2,
            circuit_breaker_open_ms: 10_000,
            ..GuardConfig::default()
        };
        Breaker::new(&config, None)
    }

    #[test]
    fn it_opens_after_the_failures_then_lets_one_call_probe_then_closes() {
        let mut breaker = breaker();
        assert!(!breaker.failed(0, false));
        assert!(breaker.check(0, "p").is_ok());
        assert!(breaker.failed(500, false));
        assert_eq!(breaker.circuit(10_499), Circuit::Open);
        assert_eq!(breaker.check(10_499, "p").unwrap_err().retry_after, Some(Duration::from_millis(1)));
        assert_eq!(breaker.circuit(10_500), Circuit::HalfOpen);
        assert_eq!(breaker.admit(10_500, "p"), Ok(true));
        assert_eq!(breaker.check(10_501, "p").unwrap_err().kind, LlmErrorKind::CircuitOpen);
        assert!(breaker.succeeded(true));
        breaker.end_probe();
        assert_eq!((breaker.circuit(10_502), breaker.failures), (Circuit::Closed, 0));
        assert_eq!(breaker.admit(10_502, "p"), Ok(false));
    }

    #[test]
    fn a_failing_probe_opens_it_again_for_the_whole_time() {
        let mut breaker = breaker();
        breaker.failed(0, false);
        breaker.failed(0, false);
        assert_eq!(breaker.admit(10_000, "p"), Ok(true));
        assert!(breaker.failed(12_000, true));
        breaker.end_probe();
        assert_eq!(breaker.check(12_000, "p").unwrap_err().retry_after, Some(Duration::from_millis(10_000)));
    }

    #[test]
    fn a_probe_without_outcome_leaves_the_place_to_the_next() {
        let mut breaker = breaker();
        breaker.failed(0, false);
        breaker.failed(0, false);
        assert_eq!(breaker.admit(10_000, "p"), Ok(true));
        breaker.end_probe();
        assert_eq!(breaker.admit(10_000, "p"), Ok(true));
    }

    #[test]
    fn calls_sent_before_it_opened_neither_close_nor_prolong_it() {
        let mut breaker = breaker();
        breaker.failed(0, false);
        breaker.failed(0, false);
        assert!(!breaker.succeeded(false));
        assert!(!breaker.failed(5_000, false));
        assert_eq!(
            breaker.saved(),
            Saved { failures: 3, open_until_ms: Some(10_000), last_failure: String::new() }
        );
    }

    #[test]
    fn a_clock_set_back_does_not_prolong_the_pause() {
        let mut breaker = breaker();
        breaker.failed(1_000_000, false);
        breaker.failed(1_000_000, false);
        assert_eq!(breaker.check(5, "p").unwrap_err().retry_after, Some(Duration::from_millis(10_000)));
        assert_eq!(breaker.check(6, "p").unwrap_err().retry_after, Some(Duration::from_millis(9_999)));
        assert_eq!(breaker.circuit(10_005), Circuit::HalfOpen);
    }

    #[test]
    fn zero_failures_means_it_never_opens() {
        let config = GuardConfig { circuit_breaker_after: 0, ..GuardConfig::default() };
        let mut breaker = Breaker::new(&config, None);
        for _ in 0..1_000 {
            assert!(!breaker.failed(0, false));
        }
        assert_eq!(breaker.circuit(0), Circuit::Closed);
    }

    #[test]
    fn a_refusal_says_until_when_and_why() {
        let mut breaker = breaker();
        breaker.failed(1_700_000_000_000, false);
        breaker.failed(1_700_000_000_400, false);
        breaker.note("p: overloaded".to_owned());

        assert_eq!(
            breaker.check(1_700_000_003_000, "p").unwrap_err().to_string(),
            "p: paused after repeated failures: nothing is sent until 2023-11-14 22:13:31 UTC (8 s from now); \
             2 failures in a row, the last: p: overloaded"
        );
    }
}
