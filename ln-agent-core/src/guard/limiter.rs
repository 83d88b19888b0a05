//! Requests a minute, tokens a minute, and the gap between two requests, in whole numbers.

use super::GuardConfig;

/// Two token buckets, a least gap, and a pause that a provider asked for. Times are milliseconds of
/// [`Clock::monotonic_millis`](crate::clock::Clock::monotonic_millis).
#[derive(Debug)]
pub(super) struct Limiter {
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
    min_interval_ms: u64,
    /// Nothing is sent before.
    free_from_ms: u64,
}

impl Limiter {
    pub(super) fn new(config: &GuardConfig, now_ms: u64) -> Self {
        Self {
            requests: Bucket::new(config.rpm, now_ms),
            tokens: Bucket::new(config.tpm, now_ms),
            min_interval_ms: config.min_interval_ms,
            free_from_ms: now_ms,
        }
    }

    /// How long a request of this size has to wait from now, in milliseconds; 0 if it may be sent. The size is at
    /// most that of the bucket.
    pub(super) fn wait_ms(&mut self, now_ms: u64, tokens: u64) -> u64 {
        let gap = self.free_from_ms.saturating_sub(now_ms);
        let requests = self.requests.as_mut().map_or(0, |bucket| bucket.wait_ms(now_ms, 1));
        let tokens = self.tokens.as_mut().map_or(0, |bucket| bucket.wait_ms(now_ms, tokens));
        gap.max(requests).max(tokens)
    }

    /// Counts a request that is sent now.
    pub(super) fn take(&mut self, now_ms: u64, tokens: u64) {
        if let Some(bucket) = &mut self.requests {
            bucket.take(now_ms, 1);
        }
        if let Some(bucket) = &mut self.tokens {
            bucket.take(now_ms, tokens);
        }
        self.free_from_ms = self.free_from_ms.max(now_ms.saturating_add(self.min_interval_ms));
    }

    /// Counts what the answer cost beyond the estimate. An estimate that was too high is not given back: the
    /// provider may have counted it.
    pub(super) fn reconcile(&mut self, now_ms: u64, estimated: u64, actual: u64) {
        if let Some(bucket) = &mut self.tokens {
            bucket.take(now_ms, actual.saturating_sub(estimated));
        }
    }

    /// Sends nothing before this time, for anybody: the provider said so.
    pub(super) fn hold_until(&mut self, until_ms: u64) {
        self.free_from_ms = self.free_from_ms.max(until_ms);
    }
}

/// A bucket that starts full, holds the amount of one minute, and refills evenly.
///
/// The level is counted in 60,000ths, so that a millisecond refills exactly `per_minute` of them and no division
/// ever rounds anything away.
#[derive(Debug)]
struct Bucket {
    per_minute: i64,
    /// Below zero when answers cost more than was estimated; at most one minute's amount.
    level: i64,
    seen_ms: u64,
}

impl Bucket {
    fn new(per_minute: u32, now_ms: u64) -> Option<Self> {
        let per_minute = i64::from(per_minute);
        (per_minute > 0).then_some(Self { per_minute, level: per_minute * PARTS, seen_ms: now_ms })
    }

    fn wait_ms(&mut self, now_ms: u64, amount: u64) -> u64 {
        self.refill(now_ms);
        let missing = self.parts(amount) - self.level;
        if missing <= 0 { 0 } else { missing.unsigned_abs().div_ceil(self.per_minute.unsigned_abs()) }
    }

    fn take(&mut self, now_ms: u64, amount: u64) {
        self.refill(now_ms);
        self.level = (self.level - self.parts(amount)).max(-self.full());
    }

    fn refill(&mut self, now_ms: u64) {
        // From the deepest debt to full takes two minutes; more need not be multiplied.
        let elapsed = now_ms.saturating_sub(self.seen_ms).min(120_000);
        let elapsed = i64::try_from(elapsed).expect("at most 120,000");
        self.level = (self.level + elapsed * self.per_minute).min(self.full());
        self.seen_ms = self.seen_ms.max(now_ms);
    }

    /// In parts, and no more than would take a full bucket to the deepest debt.
    fn parts(&self, amount: u64) -> i64 {
        i64::try_from(amount).unwrap_or(i64::MAX).min(2 * self.per_minute) * PARTS
    }

    const fn full(&self) -> i64 {
        self.per_minute * PARTS
    }
}

/// Parts of one request or token: the milliseconds of a minute.
const PARTS: i64 = 60_000;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn limiter(min_interval_ms: u64, rpm: u32, tpm: u32) -> Limiter {
        Limiter::new(&GuardConfig { min_interval_ms, rpm, tpm, ..GuardConfig::default() }, 0)
    }

    #[test]
    fn a_full_bucket_lets_its_burst_through_and_then_one_per_share_of_a_minute() {
        let mut limiter = limiter(0, 7, 0);
        for _ in 0..7 {
            assert_eq!(limiter.wait_ms(0, 1), 0);
            limiter.take(0, 1);
        }

        // 60,000 / 7 = 8,571.4…: rounded up once, and nothing is lost for the following ones.
        assert_eq!(limiter.wait_ms(0, 1), 8_572);
        assert_eq!(limiter.wait_ms(8_571, 1), 1);
        limiter.take(8_572, 1);
        assert_eq!(limiter.wait_ms(8_572, 1), 8_571);
    }

    #[test]
    fn the_gap_counts_from_the_last_request_sent() {
        let mut limiter = limiter(1_000, 0, 0);
        assert_eq!(limiter.wait_ms(0, 5), 0);
        limiter.take(10, 5);
        assert_eq!(limiter.wait_ms(300, 5), 710);
        assert_eq!(limiter.wait_ms(1_010, 5), 0);
    }

    #[test]
    fn underestimates_are_drained_and_overestimates_are_not_given_back() {
        let mut limiter = limiter(0, 0, 600);
        limiter.take(0, 100);
        limiter.reconcile(0, 100, 5);
        assert_eq!(limiter.wait_ms(0, 500), 0);
        assert_eq!(limiter.wait_ms(0, 501), 100);
        limiter.reconcile(0, 100, 300);
        assert_eq!(limiter.wait_ms(0, 300), 0);
        assert_eq!(limiter.wait_ms(0, 301), 100);
    }

    #[test]
    fn a_debt_is_at_most_one_minute() {
        let mut limiter = limiter(0, 0, 600);
        limiter.reconcile(0, 0, u64::MAX);
        assert_eq!(limiter.wait_ms(0, 600), 120_000);
        assert_eq!(limiter.wait_ms(u64::MAX, 600), 0);
    }

    #[test]
    fn a_pause_holds_everybody_and_is_never_shortened() {
        let mut limiter = limiter(100, 0, 0);
        limiter.hold_until(5_000);
        limiter.hold_until(2_000);
        assert_eq!(limiter.wait_ms(1_000, 1), 4_000);
        limiter.take(1_000, 1);
        assert_eq!(limiter.wait_ms(1_000, 1), 4_000);
    }

    proptest! {
        /// In no window does more pass than the bucket and what refilled meanwhile, and nobody waits a millisecond
        /// longer than that takes.
        #[test]
        fn no_window_lets_more_through_than_the_limits(
            rpm in 1_u32..200, tpm in 100_u32..100_000,
            asks in prop::collection::vec((0_u64..5_000, 1_u64..100), 1..200),
        ) {
            let mut limiter = limiter(0, rpm, tpm);
            let mut now = 0;
            let mut sent: Vec<(u64, u64)> = Vec::new();
            for (pause, tokens) in asks {
                now += pause;
                let wait = limiter.wait_ms(now, tokens);
                if wait > 0 {
                    prop_assert!(limiter.wait_ms(now + wait - 1, tokens) > 0);
                }
                now += wait;
                prop_assert_eq!(limiter.wait_ms(now, tokens), 0);
                limiter.take(now, tokens);
                sent.push((now, tokens));
            }
            for (from, (start, _)) in sent.iter().enumerate() {
                let mut total = 0;
                for (index, (end, tokens)) in sent.iter().enumerate().skip(from) {
                    total += tokens;
                    let window = end - start;
                    let count = (index - from + 1) as u64;
                    prop_assert!(count * 60_000 <= u64::from(rpm) * (60_000 + window));
                    prop_assert!(total * 60_000 <= u64::from(tpm) * (60_000 + window));
                }
            }
        }
    }
}
