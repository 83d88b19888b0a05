//! What a battery found.

use serde::Serialize;

/// What a battery found.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Its name.
    pub battery: String,
    /// Backend that was measured.
    pub backend: String,
    /// How often the whole battery ran.
    pub repeats: u32,
    /// The cases, in order.
    pub cases: Vec<CaseReport>,
}

/// What one case did in all repeats.
#[derive(Clone, Debug, Serialize)]
pub struct CaseReport {
    /// Its id.
    pub id: String,
    /// In how many repeats it passed.
    pub passed: u32,
    /// In how many it ran or was skipped.
    pub runs: u32,
    /// Wall time of each run, in milliseconds.
    pub latency_ms: Vec<u64>,
    /// Model calls in all runs.
    pub model_calls: u64,
    /// Tokens in all runs.
    pub tokens: u64,
    /// What was wrong, by repeat: the first faults of each.
    pub faults: Vec<String>,
}

impl Report {
    /// Whether every case passed every time.
    #[must_use]
    pub fn all_passed(&self) -> bool {
        self.cases.iter().all(CaseReport::always_passed)
    }

    /// Cases that passed every time: pass^K.
    #[must_use]
    pub fn always_passed(&self) -> usize {
        self.cases.iter().filter(|case| case.always_passed()).count()
    }

    /// Runs that passed, of all runs: pass^1.
    #[must_use]
    pub fn passed_runs(&self) -> (u32, u32) {
        self.cases.iter().fold((0, 0), |(passed, runs), case| (passed + case.passed, runs + case.runs))
    }
}

impl CaseReport {
    /// Whether it passed every time it was to run.
    #[must_use]
    pub const fn always_passed(&self) -> bool {
        self.runs > 0 && self.passed == self.runs
    }

    /// The middle of its latencies, in milliseconds.
    #[must_use]
    pub fn median_ms(&self) -> u64 {
        self.percentile_ms(50)
    }

    /// The latency that so many percent of the runs do not exceed, in milliseconds; 0 without runs.
    #[must_use]
    pub fn percentile_ms(&self, percent: usize) -> u64 {
        let mut sorted = self.latency_ms.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent).div_ceil(100).max(1);
        sorted.get(rank - 1).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let case = CaseReport {
            id: "a".into(),
            passed: 4,
            runs: 4,
            latency_ms: vec![40, 10, 30, 20],
            model_calls: 0,
            tokens: 0,
            faults: vec![],
        };
        assert_eq!((case.median_ms(), case.percentile_ms(95)), (20, 40));
    }
}
