//! Observers that everybody needs.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::Observer;
use crate::types::RunEvent;

/// Forgets every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discard;

/// Keeps every event, for tests and traces.
#[derive(Debug, Default)]
pub struct Collector {
    events: Mutex<Vec<RunEvent>>,
}

/// Hands every event to several observers, in order.
#[derive(Default)]
pub struct Tee(pub Vec<Arc<dyn Observer>>);

impl Collector {
    /// What was seen so far.
    #[must_use]
    pub fn events(&self) -> Vec<RunEvent> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Observer for Discard {
    fn observe(&self, _event: &RunEvent) {}
}

impl Observer for Collector {
    fn observe(&self, event: &RunEvent) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push(event.clone());
    }
}

impl Observer for Tee {
    fn observe(&self, event: &RunEvent) {
        for observer in &self.0 {
            observer.observe(event);
        }
    }
}

impl fmt::Debug for Tee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tee").field(&self.0.len()).finish()
    }
}
