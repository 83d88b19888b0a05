//! A backend whose calls are seen.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tracing::Instrument as _;

use super::metrics::Metrics;
use super::{chat, names};
use crate::clock::{Clock, SystemClock};
use crate::llm::{LlmBackend, LlmError, LlmRequest, LlmResponse};
use crate::types::GuardReport;

/// A backend with a `chat` span around each call, and its tokens and durations in the global meter.
///
/// Put it inside the guard to see every attempt, outside to see what the pipeline sees. Meter and tracer providers
/// are looked up at the first call: install them before.
///
/// # Examples
///
/// ```
/// # use std::sync::Arc;
/// use ln_agent_core::llm::{LlmBackend, ScriptedBackend};
/// use ln_agent_core::telemetry::Traced;
///
/// let backend = Traced::new(Arc::new(ScriptedBackend::replying(["hi"])), "some-model");
/// assert_eq!(backend.name(), "scripted");
/// ```
pub struct Traced {
    inner: Arc<dyn LlmBackend>,
    endpoint: Endpoint,
    clock: Arc<dyn Clock>,
    metrics: OnceLock<Metrics>,
}

/// What is the same for every call.
pub(super) struct Endpoint {
    pub(super) provider: String,
    pub(super) model: String,
    pub(super) server: Option<(String, u16)>,
    pub(super) conversation: Option<String>,
    pub(super) content: bool,
}

impl Traced {
    /// The backend, seen as this model of its provider.
    pub fn new(inner: Arc<dyn LlmBackend>, model: impl Into<String>) -> Self {
        let endpoint = Endpoint {
            provider: provider(inner.name()).to_owned(),
            model: model.into(),
            server: None,
            conversation: None,
            content: false,
        };
        Self { inner, endpoint, clock: Arc::new(SystemClock::default()), metrics: OnceLock::new() }
    }

    /// Host and port of the provider. Default: not said.
    #[must_use]
    pub fn with_server(mut self, address: impl Into<String>, port: u16) -> Self {
        self.endpoint.server = Some((address.into(), port));
        self
    }

    /// The session that the calls belong to. Default: not said.
    #[must_use]
    pub fn with_conversation(mut self, id: impl Into<String>) -> Self {
        self.endpoint.conversation = Some(id.into());
        self
    }

    /// Whether prompts, answers and tool definitions go into spans, secrets and invoices taken out. Default: no.
    #[must_use]
    pub const fn with_content(mut self, content: bool) -> Self {
        self.endpoint.content = content;
        self
    }

    /// Whose time is measured. Default: the system's.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    fn seconds_since(&self, start_millis: u64) -> f64 {
        Duration::from_millis(self.clock.monotonic_millis().saturating_sub(start_millis)).as_secs_f64()
    }

    fn measure(&self, seconds: f64, outcome: &Result<LlmResponse, LlmError>) {
        let metrics = self.metrics.get_or_init(Metrics::installed);
        let attributes = chat::attributes(&self.endpoint, outcome);
        metrics.duration(seconds, &attributes);
        if let Ok(response) = outcome {
            metrics.tokens(response.usage.prompt_tokens, "input", &attributes);
            metrics.tokens(response.usage.output_tokens, "output", &attributes);
        }
    }
}

#[async_trait::async_trait]
impl LlmBackend for Traced {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn step(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        let span = chat::open(&self.endpoint, request, false);
        let start = self.clock.monotonic_millis();
        let outcome = self.inner.step(request).instrument(span.clone()).await;
        self.measure(self.seconds_since(start), &outcome);
        chat::close(&span, &self.endpoint, &outcome);
        outcome
    }

    async fn stream(
        &self,
        request: &LlmRequest,
        on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync),
    ) -> Result<LlmResponse, LlmError> {
        let span = chat::open(&self.endpoint, request, true);
        let start = self.clock.monotonic_millis();
        let first = OnceLock::new();
        let on_text = |text: &str| {
            first.get_or_init(|| self.seconds_since(start));
            on_text(text);
        };
        let outcome = self.inner.stream(request, &on_text).instrument(span.clone()).await;
        self.measure(self.seconds_since(start), &outcome);
        if let Some(seconds) = first.get() {
            span.record(names::RESPONSE_TIME_TO_FIRST_CHUNK, *seconds);
        }
        chat::close(&span, &self.endpoint, &outcome);
        outcome
    }

    fn guard(&self) -> Option<GuardReport> {
        self.inner.guard()
    }

    fn is_offline(&self) -> bool {
        self.inner.is_offline()
    }
}

impl fmt::Debug for Traced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Traced")
            .field("provider", &self.endpoint.provider)
            .field("model", &self.endpoint.model)
            .finish_non_exhaustive()
    }
}

/// The provider as the conventions name it; unknown ones keep their own name.
fn provider(backend: &str) -> &str {
    match backend {
        "claude" => "anthropic",
        "gemini" => "gcp.gemini",
        "mistral" => "mistral_ai",
        "xai" => "x_ai",
        "azure" => "azure.ai.openai",
        own => own,
    }
}
