//! A model that takes its time, and writes down when it was asked what.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ln_agent_core::clock::Clock;
use ln_agent_core::guard::{GuardConfig, GuardKey, Guards};
use ln_agent_core::llm::{
    LlmBackend, LlmError, LlmErrorKind, LlmRequest, LlmResponse, LlmTask, Message, Role,
};
use ln_agent_core::types::TokenUsage;

use super::step_clock::StepClock;

/// Answers each request after a while: from its script while that lasts, then with the request's own text.
pub(super) struct Model {
    clock: Arc<StepClock>,
    takes: Duration,
    /// Handed over before each scripted answer or failure.
    says: &'static [&'static str],
    script: Mutex<VecDeque<Result<LlmResponse, LlmError>>>,
    asked: Mutex<Vec<(u64, String)>>,
    inside: Mutex<(usize, usize)>,
}

impl Model {
    pub(super) fn new(clock: &Arc<StepClock>) -> Self {
        Self {
            clock: Arc::clone(clock),
            takes: Duration::ZERO,
            says: &[],
            script: Mutex::default(),
            asked: Mutex::default(),
            inside: Mutex::default(),
        }
    }

    pub(super) fn taking(mut self, millis: u64) -> Self {
        self.takes = Duration::from_millis(millis);
        self
    }

    pub(super) fn saying(mut self, pieces: &'static [&'static str]) -> Self {
        self.says = pieces;
        self
    }

    pub(super) fn scripted(
        mut self,
        script: impl IntoIterator<Item = Result<LlmResponse, LlmError>>,
    ) -> Self {
        self.script = Mutex::new(script.into_iter().collect());
        self
    }

    /// When it was asked what, in milliseconds since the start.
    pub(super) fn asked(&self) -> Vec<(u64, String)> {
        self.asked.lock().unwrap().clone()
    }

    /// When it was asked.
    pub(super) fn times(&self) -> Vec<u64> {
        self.asked().into_iter().map(|(at, _)| at).collect()
    }

    /// The most requests that were inside at the same time.
    pub(super) fn most_inside(&self) -> usize {
        self.inside.lock().unwrap().1
    }
}

#[async_trait::async_trait]
impl LlmBackend for Model {
    fn name(&self) -> &str {
        "model"
    }

    async fn step(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        let text = request.messages[0].content.clone();
        self.asked.lock().unwrap().push((self.clock.now(), text.clone()));
        let _inside = Inside::enter(&self.inside);
        if !self.takes.is_zero() {
            self.clock.sleep(self.takes).await;
        }
        self.script.lock().unwrap().pop_front().unwrap_or_else(|| Ok(LlmResponse::text(text)))
    }

    async fn stream(
        &self,
        request: &LlmRequest,
        on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync),
    ) -> Result<LlmResponse, LlmError> {
        self.says.iter().for_each(|piece| on_text(piece));
        self.step(request).await
    }
}

struct Inside<'m>(&'m Mutex<(usize, usize)>);

impl<'m> Inside<'m> {
    fn enter(count: &'m Mutex<(usize, usize)>) -> Self {
        let (now, most) = &mut *count.lock().unwrap();
        *now += 1;
        *most = (*most).max(*now);
        Self(count)
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.lock().unwrap().0 -= 1;
    }
}

/// A request of this text that is estimated at exactly so many tokens.
pub(super) fn request_of(text: &str, tokens: u32) -> LlmRequest {
    let prompt_tokens = ("user".len() + text.chars().count()) / 4 + 60;
    LlmRequest {
        task: LlmTask::Translate { prompt: text.into(), history: vec![], node_count: 1, own_node: 1 },
        messages: vec![Message::new(Role::User, text)],
        tools: vec![],
        response_schema: None,
        max_output_tokens: tokens - u32::try_from(prompt_tokens).unwrap(),
        temperature: 0.0,
    }
}

/// A request of 100 tokens.
pub(super) fn request(text: &str) -> LlmRequest {
    request_of(text, 100)
}

pub(super) fn failure(kind: LlmErrorKind) -> LlmError {
    LlmError::new(kind, "model", "not now")
}

/// An answer that cost so many tokens.
pub(super) fn costing(tokens: u64) -> LlmResponse {
    LlmResponse {
        usage: TokenUsage { calls: 1, prompt_tokens: tokens - 1, output_tokens: 1, cached_tokens: 0 },
        ..LlmResponse::text("dear")
    }
}

pub(super) fn key() -> GuardKey {
    GuardKey::new("openai", "gpt-x", "secret")
}

/// Guards without any limit, jitter or gap, on this clock: what a test is about it adds.
pub(super) fn calm() -> GuardConfig {
    GuardConfig { min_interval_ms: 0, rpm: 0, tpm: 0, backoff_jitter_ms: 0, ..GuardConfig::default() }
}

/// A model behind a guard of its own.
pub(super) fn guarded(
    config: GuardConfig,
    clock: &Arc<StepClock>,
    model: Model,
) -> (Arc<dyn LlmBackend>, Arc<Model>) {
    let model = Arc::new(model);
    let backend: Arc<dyn LlmBackend> = Arc::<Model>::clone(&model);
    (Guards::new(config, Arc::<StepClock>::clone(clock)).wrap(backend, key()), model)
}
