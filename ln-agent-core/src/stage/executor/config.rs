//! How long to wait and how often to try.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Settings of the executor.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ExecutorConfig {
    /// Deadline of an ordinary call. A tool with a longer budget of its own gets that, and 5 s more. Default 30 s.
    pub call_timeout: Duration,
    /// Pause before a retry. Default 1.5 s.
    pub retry_delay: Duration,
    /// Consecutive reads after which a repeated one is blocked. Default 8.
    pub max_consecutive_reads: u32,
    /// Reads at once; 1 is strictly in order. Default 8.
    pub max_workers: usize,
}

impl Default for ExecutorConfig {
    fn default() -> Self {
        Self {
            call_timeout: Duration::from_secs(30),
            retry_delay: Duration::from_millis(1_500),
            max_consecutive_reads: 8,
            max_workers: 8,
        }
    }
}
