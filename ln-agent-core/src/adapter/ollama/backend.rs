//! The backend.

use serde_json::Value;

use super::base::{base, is_cloud};
use super::quirks::Quirks;
use super::stream::Stream;
use super::{reply, request};
use crate::adapter::http::{Body, Framing, Remote, RemoteConfig, Wire};
use crate::llm::{LlmBackend, LlmError, LlmErrorKind, LlmRequest, LlmResponse};

/// A model that Ollama runs, on this machine or elsewhere.
///
/// # Examples
///
/// ```
/// use ln_agent_core::adapter::RemoteConfig;
/// use ln_agent_core::adapter::ollama::OllamaBackend;
/// use ln_agent_core::llm::LlmBackend;
///
/// // Without an address it is the server of this machine, which asks for no key.
/// let local = OllamaBackend::new(&RemoteConfig::new("", "qwen3:8b")).unwrap();
/// assert_eq!(local.name(), "ollama");
/// assert!(OllamaBackend::new(&RemoteConfig::new("gpu-box:11434", "qwen3:8b")).is_ok());
/// assert!(OllamaBackend::new(&RemoteConfig::new("", "")).is_err());
/// ```
#[derive(Debug)]
pub struct OllamaBackend {
    remote: Remote<Ollama>,
    model: String,
}

/// The form of requests and answers.
#[derive(Debug)]
pub(super) struct Ollama {
    pub(super) model: String,
    pub(super) quirks: Quirks,
    /// Whether a temperature is sent at all.
    pub(super) temperature: bool,
    /// Whether it is 0 where tools are offered.
    pub(super) exact_tools: bool,
    pub(super) context_tokens: u32,
    pub(super) gpu: bool,
}

impl OllamaBackend {
    /// The model of this configuration. The address is read as Ollama reads `OLLAMA_HOST`: a host, a port or a URL;
    /// none means this machine, port 11434. Nothing is connected.
    ///
    /// # Errors
    ///
    /// [`LlmError`] of kind `Endpoint` for an address that cannot be used, `Auth` for a key that is a placeholder or
    /// malformed, and `NotFound` when no model is named.
    pub fn new(config: &RemoteConfig) -> Result<Self, LlmError> {
        let base = base(&config.base_url);
        let bearer = |key: &str| vec![("authorization", format!("Bearer {key}"))];
        let remote = Remote::new(Ollama::of(config, &base), config, &base, bearer)?;
        Ok(Self { remote, model: config.model.clone() })
    }

    /// The error, with the way to get a model that is not there.
    fn advised(&self, mut error: LlmError) -> LlmError {
        // A path that does not exist is `404 page not found`.
        if error.kind == LlmErrorKind::NotFound && error.message.contains("model") {
            error.message.push_str(&format!("; get it with `ollama pull {}`", self.model.trim()));
        }
        error
    }
}

impl Ollama {
    pub(super) fn of(config: &RemoteConfig, base: &str) -> Self {
        Self {
            model: config.model.clone(),
            quirks: Quirks::new(is_cloud(base, &config.model)),
            temperature: config.send_temperature.unwrap_or(true),
            exact_tools: config.tool_temperature_zero,
            context_tokens: config.context_tokens,
            gpu: config.gpu,
        }
    }
}

#[async_trait::async_trait]
impl LlmBackend for OllamaBackend {
    fn name(&self) -> &str {
        Ollama::PROVIDER
    }

    async fn step(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        self.remote.step(request).await.map_err(|error| self.advised(error))
    }

    async fn stream(
        &self,
        request: &LlmRequest,
        on_text: &(dyn for<'t> Fn(&'t str) + Send + Sync),
    ) -> Result<LlmResponse, LlmError> {
        self.remote.stream(request, on_text).await.map_err(|error| self.advised(error))
    }
}

impl Wire for Ollama {
    const PROVIDER: &'static str = "ollama";
    const FRAMING: Framing = Framing::Lines;
    type Fold = Stream;

    fn path(&self, _stream: bool) -> String {
        "/api/chat".to_owned()
    }

    fn body(&self, request: &LlmRequest, stream: bool) -> Result<Body, LlmError> {
        request::body(self, request, stream)
    }

    fn response(&self, reply: &Value) -> Result<LlmResponse, LlmError> {
        reply::response(reply)
    }

    fn adapt(&self, refusal: &LlmError) -> Option<String> {
        self.quirks.adapt(refusal)
    }

    /// Versions that do not know `truncate` cut a long prompt and say nothing; the count of its tokens shows it.
    fn finish(&self, request: &LlmRequest, response: &mut LlmResponse) {
        let (prompt, kept) = (response.usage.prompt_tokens, request.max_output_tokens);
        if prompt > 0 && prompt >= u64::from(self.context_tokens.saturating_sub(kept)) {
            response.warnings.push(format!(
                "the prompt fills the context: {prompt} of {} tokens, {kept} of them for the answer; its start may \
                 be cut off",
                self.context_tokens
            ));
        }
    }
}
