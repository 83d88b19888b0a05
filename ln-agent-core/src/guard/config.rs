//! How a guard limits, repeats and pauses.

use std::time::Duration;

/// The numbers of a guard; every key has its own counters under the same numbers.
///
/// # Examples
///
/// ```
/// use ln_agent_core::guard::GuardConfig;
///
/// let config = GuardConfig { rpm: 5, ..GuardConfig::default() };
/// assert_eq!((config.rpm, config.tpm, config.max_in_flight), (5, 60_000, 1));
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct GuardConfig {
    /// Least time between two requests, in **milliseconds** (`LLM_MIN_INTERVAL_MS`). Default: 1,000; 0 for none.
    pub min_interval_ms: u64,
    /// Calls at the same time (`LLM_MAX_IN_FLIGHT`). Default: 1; 0 counts as 1.
    pub max_in_flight: u32,
    /// **Requests per minute**, and how many may come at once after a rest (`LLM_RPM`). Default: 30; 0 for no limit.
    pub rpm: u32,
    /// **Tokens per minute**, sent and received, and how many may come at once after a rest (`LLM_TPM`). No single
    /// request may be estimated higher. Default: 60,000; 0 for no limit.
    pub tpm: u32,
    /// Wait before the first retry, in **milliseconds**; it doubles with each (`LLM_BACKOFF_BASE_MS`). Default: 1,000.
    pub backoff_base_ms: u64,
    /// Longest wait that doubling leads to, in **milliseconds** (`LLM_BACKOFF_MAX_MS`). Default: 30,000.
    pub backoff_max_ms: u64,
    /// A wait is longer by less than this, in **milliseconds**, differing by request and attempt
    /// (`LLM_BACKOFF_JITTER_MS`). Default: 250; 0 for none.
    pub backoff_jitter_ms: u64,
    /// Failures in a row that open the circuit (`LLM_CIRCUIT_BREAKER_AFTER`). Default: 6; 0 for never.
    pub circuit_breaker_after: u32,
    /// How long an open circuit refuses calls, in **milliseconds** (`LLM_CIRCUIT_BREAKER_OPEN_MS`). Default: 60,000.
    pub circuit_breaker_open_ms: u64,
    /// How often one call is repeated, at most. Default: 2; 0 for never.
    pub max_retries: u8,
    /// Longest wait that a provider may ask for; a call that is to wait longer gives up. Default: 120 s.
    pub longest_wait: Duration,
}

impl GuardConfig {
    /// No limits, no retries, no breaker: every call passes as it comes.
    ///
    /// # Examples
    ///
    /// ```
    /// # use ln_agent_core::guard::GuardConfig;
    /// assert_eq!(GuardConfig::unlimited().rpm, 0);
    /// ```
    #[must_use]
    pub const fn unlimited() -> Self {
        Self {
            min_interval_ms: 0,
            max_in_flight: u32::MAX,
            rpm: 0,
            tpm: 0,
            backoff_base_ms: 0,
            backoff_max_ms: 0,
            backoff_jitter_ms: 0,
            circuit_breaker_after: 0,
            circuit_breaker_open_ms: 0,
            max_retries: 0,
            longest_wait: Duration::ZERO,
        }
    }
}

impl Default for GuardConfig {
    fn default() -> Self {
        Self {
            min_interval_ms: 1_000,
            max_in_flight: 1,
            rpm: 30,
            tpm: 60_000,
            backoff_base_ms: 1_000,
            backoff_max_ms: 30_000,
            backoff_jitter_ms: 250,
            circuit_breaker_after: 6,
            circuit_breaker_open_ms: 60_000,
            max_retries: 2,
            longest_wait: Duration::from_secs(120),
        }
    }
}
