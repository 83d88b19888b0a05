//! Watching a run: every [`RunEvent`] goes to one [`Observer`].

mod observers;

pub use observers::{Collector, Discard, Tee};

use crate::types::RunEvent;

/// Receives the events of a run in order, on the task that runs it: it must return quickly.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::observe::{Collector, Observer};
/// # use ln_agent_core::{RunEvent, Stage};
/// let seen = Collector::default();
/// seen.observe(&RunEvent::LlmDisabled { stage: Stage::Translator });
/// assert_eq!(seen.events().len(), 1);
/// ```
pub trait Observer: Send + Sync {
    /// Takes note of one event.
    fn observe(&self, event: &RunEvent);
}

const _OBJECT_SAFE: fn(&dyn Observer) = |_| {};
