//! Time as an argument: the wall clock, waiting, and a clock that tests turn by hand.

mod manual;
mod system;

pub use manual::ManualClock;
pub use system::SystemClock;

use std::time::Duration;

/// Where the pipeline reads time and waits.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::clock::{Clock, ManualClock};
/// # use std::time::Duration;
/// let clock = ManualClock::at_unix_secs(1_700_000_000);
/// clock.advance(Duration::from_secs(5));
/// assert_eq!(clock.unix_millis(), 1_700_000_005_000);
/// ```
#[async_trait::async_trait]
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970-01-01 UTC.
    fn unix_millis(&self) -> u64;

    /// Milliseconds since an arbitrary start; never goes back.
    fn monotonic_millis(&self) -> u64;

    /// Waits. Dropping the future ends the wait.
    async fn sleep(&self, duration: Duration);
}

const _OBJECT_SAFE: fn(&dyn Clock) = |_| {};
