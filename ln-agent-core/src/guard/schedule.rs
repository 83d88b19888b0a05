//! How long a call waits before it asks again.

use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::GuardConfig;
use crate::llm::{LlmRequest, Role};

/// The waits between the attempts of one call, fixed when the guard is made.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    waits_ms: Arc<[u64]>,
    jitter_ms: u64,
    longest_wait: Duration,
}

impl Schedule {
    /// One wait per retry: the base, doubling, up to the maximum.
    pub(super) fn new(config: &GuardConfig) -> Self {
        let wait = |n: u8| {
            let factor = 1_u64.checked_shl(u32::from(n)).unwrap_or(u64::MAX);
            config.backoff_base_ms.saturating_mul(factor).min(config.backoff_max_ms)
        };
        Self {
            waits_ms: (0..config.max_retries).map(wait).collect(),
            jitter_ms: config.backoff_jitter_ms,
            longest_wait: config.longest_wait,
        }
    }

    /// The wait after this many retries, or nothing when the call has to give up: no retry is left, or the provider
    /// asked for a longer wait than anybody should sit through.
    pub(super) fn wait(
        &self,
        retries: usize,
        asked: Option<Duration>,
        request: &LlmRequest,
    ) -> Option<Duration> {
        let planned = *self.waits_ms.get(retries)?;
        let asked = self.asked(asked)?;
        Some(asked.max(Duration::from_millis(planned)) + self.jitter(request, retries))
    }

    /// What the provider asked for (zero for nothing), or nothing if it is too long.
    pub(super) fn asked(&self, asked: Option<Duration>) -> Option<Duration> {
        let asked = asked.unwrap_or_default();
        (asked <= self.longest_wait).then_some(asked)
    }

    /// The same for the same request and attempt in every process, so that a run can be repeated; different for
    /// others, so that callers who failed together do not come back together.
    fn jitter(&self, request: &LlmRequest, retries: usize) -> Duration {
        let mut hash = Sha256::new();
        for message in &request.messages {
            hash.update([role_byte(message.role)]);
            hash.update((message.content.len() as u64).to_be_bytes());
            hash.update(&message.content);
        }
        hash.update((retries as u64).to_be_bytes());
        let digest = hash.finalize();
        let number = digest[..8].iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        Duration::from_millis(number.checked_rem(self.jitter_ms).unwrap_or(0))
    }
}

const fn role_byte(role: Role) -> u8 {
    match role {
        Role::System => b's',
        Role::User => b'u',
        Role::Assistant => b'a',
        Role::Tool => b't',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{LlmTask, Message};

    fn request(text: &str) -> LlmRequest {
        LlmRequest {
            task: LlmTask::Translate { prompt: String::new(), history: vec![], node_count: 1, own_node: 1 },
            messages: vec![Message::new(Role::User, text)],
            tools: vec![],
            response_schema: None,
            max_output_tokens: 1,
            temperature: 0.0,
        }
    }

    #[test]
    fn waits_double_up_to_the_maximum_and_then_end() {
        let config = GuardConfig { backoff_jitter_ms: 0, max_retries: 200, ..GuardConfig::default() };
        let schedule = Schedule::new(&config);

        let millis = |retries| schedule.wait(retries, None, &request("x")).map(|wait| wait.as_millis());

        assert_eq!([0, 1, 2, 3, 4].map(millis), [1_000, 2_000, 4_000, 8_000, 16_000].map(Some));
        assert_eq!([5, 199, 200].map(millis), [Some(30_000), Some(30_000), None]);
    }

    #[test]
    fn jitter_is_fixed_by_request_and_attempt_and_comes_on_top() {
        let schedule = Schedule::new(&GuardConfig { max_retries: 3, ..GuardConfig::default() });
        let millis = |text: &str| {
            [0, 1, 2].map(|retries| schedule.wait(retries, None, &request(text)).unwrap().as_millis())
        };

        // Computed apart, from role, length, content and attempt.
        assert_eq!(millis("open a channel"), [1_238, 2_091, 4_189]);
        assert_eq!(millis("pay an invoice"), [1_249, 2_123, 4_239]);
    }

    #[test]
    fn what_the_provider_asks_is_the_least_wait_and_too_much_ends_the_call() {
        let schedule = Schedule::new(&GuardConfig { backoff_jitter_ms: 0, ..GuardConfig::default() });
        let wait = |asked| schedule.wait(0, Some(Duration::from_millis(asked)), &request("x"));

        assert_eq!(wait(0), Some(Duration::from_millis(1_000)));
        assert_eq!(wait(1_001), Some(Duration::from_millis(1_001)));
        assert_eq!(wait(120_000), Some(Duration::from_millis(120_000)));
        assert_eq!(wait(120_001), None);
    }

    #[test]
    fn a_thousand_requests_spread_over_the_whole_jitter() {
        let schedule = Schedule::new(&GuardConfig::default());
        let jitters = (0..1_000).map(|n| schedule.jitter(&request(&n.to_string()), 0).as_millis());

        let seen: std::collections::BTreeSet<u128> = jitters.collect();

        assert!(seen.iter().all(|jitter| *jitter < 250), "{seen:?}");
        assert!(seen.len() > 200, "only {} different waits", seen.len());
    }
}
