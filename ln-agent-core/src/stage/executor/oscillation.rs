//! Repeated reads are blocked once many reads in a row have changed nothing.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::types::Object;

/// Reads since the last change.
#[derive(Debug, Default)]
pub(super) struct Oscillation {
    seen: BTreeSet<String>,
    consecutive: u32,
}

impl Oscillation {
    /// Whether this read may be made; notes it if so.
    pub(super) fn admits(&mut self, tool: &str, args: &Object, limit: u32) -> bool {
        let signature = format!("{tool} {}", canonical(args));
        if self.consecutive >= limit && self.seen.contains(&signature) {
            return false;
        }
        self.seen.insert(signature);
        self.consecutive += 1;
        true
    }

    /// Something changed: every read is new again.
    pub(super) fn reset(&mut self) {
        self.seen.clear();
        self.consecutive = 0;
    }
}

/// Equal arguments have equal texts, whatever the order of their names.
fn canonical(args: &Object) -> String {
    let mut members: Vec<(&String, &Value)> = args.iter().collect();
    members.sort_by_key(|(name, _)| *name);
    members.iter().map(|(name, value)| format!("{name}={value};")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_repeated_read_is_blocked_only_after_the_limit_and_until_a_change() {
        let mut oscillation = Oscillation::default();
        let args = |node: u32| json!({ "node": node }).as_object().unwrap().clone();

        assert!(oscillation.admits("look", &args(1), 2));
        assert!(oscillation.admits("look", &args(1), 2), "one read in a row is below the limit");
        assert!(!oscillation.admits("look", &args(1), 2));
        assert!(oscillation.admits("look", &args(2), 2), "another read is no repetition");
        oscillation.reset();
        assert!(oscillation.admits("look", &args(1), 2));
    }
}
