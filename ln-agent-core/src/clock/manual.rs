//! A clock that moves only when told.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::Clock;

/// Stands still until [`advance`](Self::advance); a sleep ends at once and moves the clock by its length.
#[derive(Debug)]
pub struct ManualClock {
    start_millis: u64,
    elapsed_millis: AtomicU64,
}

impl ManualClock {
    /// A clock that shows this Unix time, in seconds.
    #[must_use]
    pub const fn at_unix_secs(secs: u64) -> Self {
        Self { start_millis: secs * 1_000, elapsed_millis: AtomicU64::new(0) }
    }

    /// Moves it on.
    pub fn advance(&self, duration: Duration) {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        self.elapsed_millis.fetch_add(millis, Ordering::SeqCst);
    }
}

#[async_trait::async_trait]
impl Clock for ManualClock {
    fn unix_millis(&self) -> u64 {
        self.start_millis + self.monotonic_millis()
    }

    fn monotonic_millis(&self) -> u64 {
        self.elapsed_millis.load(Ordering::SeqCst)
    }

    async fn sleep(&self, duration: Duration) {
        self.advance(duration);
    }
}
