//! Labels for invoices that nobody named.

use std::sync::atomic::{AtomicU64, Ordering};

/// Makes labels that differ from one another, and from those of other processes.
#[derive(Debug)]
pub(super) struct Labels {
    begun_millis: u64,
    next: AtomicU64,
}

impl Labels {
    /// For a process that began at this Unix time, in milliseconds.
    pub(super) const fn begun_at(begun_millis: u64) -> Self {
        Self { begun_millis, next: AtomicU64::new(1) }
    }

    /// A label not given before.
    pub(super) fn next(&self) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        format!("ln-agent-{}-{}-{number}", self.begun_millis, std::process::id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_label_is_given_twice() {
        let labels = Labels::begun_at(1_700_000_000_000);

        let (first, second) = (labels.next(), labels.next());

        assert!(first.starts_with("ln-agent-1700000000000-") && first.ends_with("-1"), "{first}");
        assert_ne!(first, second);
    }
}
