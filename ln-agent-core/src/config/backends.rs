//! A backend for each role, as the configuration names it, behind guards that equal models share.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{Backend, Config, Model, Role, Settings};
use crate::adapter::RemoteConfig;
use crate::adapter::anthropic::AnthropicBackend;
use crate::adapter::gemini::GeminiBackend;
use crate::adapter::ollama::OllamaBackend;
use crate::adapter::openai::OpenAiBackend;
use crate::clock::{Clock, SystemClock};
use crate::guard::{GuardConfig, GuardKey, Guards};
use crate::llm::{LlmBackend, LlmError, LlmRequest, LlmResponse};
use crate::offline::OfflineBackend;

/// Makes backends. Those of the same provider, model and key share one guard.
#[derive(Debug)]
pub struct Backends<'a> {
    config: &'a Config,
    guards: Guards,
}

impl<'a> Backends<'a> {
    /// Backends of this configuration. `breakers` is a file in which other processes find that a provider is down.
    #[must_use]
    pub fn new(config: &'a Config, clock: Arc<dyn Clock>, breakers: Option<PathBuf>) -> Self {
        let guards = Guards::new(guard_config(config), clock);
        let guards = match breakers {
            Some(path) => guards.with_file(path),
            None => guards,
        };
        Self { config, guards }
    }

    /// The backend of a role: `{ROLE}_LLM_BACKEND` or `LLM_BACKEND`, with `{ROLE}_{BACKEND}_MODEL` or
    /// `{BACKEND}_MODEL`. With `ALLOW_LLM=0` a remote one answers nothing but
    /// [`LlmErrorKind::Disabled`](crate::llm::LlmErrorKind::Disabled).
    ///
    /// Nothing is connected, so this can be done at start.
    ///
    /// # Errors
    ///
    /// [`LlmError`] for a key that is missing, a placeholder or malformed, and for an address that cannot be used.
    pub fn for_role(&self, role: Role) -> Result<Arc<dyn LlmBackend>, LlmError> {
        let model = self.config.model(role);
        if model.backend == Backend::Offline {
            return Ok(Arc::new(OfflineBackend));
        }
        if !Settings::allows_llm(self.config) {
            return Ok(Arc::new(SwitchedOff(model.backend)));
        }
        let remote = remote(&model, self.config);
        let backend: Arc<dyn LlmBackend> = match model.backend {
            Backend::Offline => Arc::new(OfflineBackend),
            Backend::OpenAi => Arc::new(OpenAiBackend::new(&remote)?),
            Backend::Claude => Arc::new(AnthropicBackend::new(&remote)?),
            Backend::Gemini => Arc::new(GeminiBackend::new(&remote)?),
            Backend::Ollama => Arc::new(OllamaBackend::new(&remote)?),
        };
        let secret = model.backend.key_var().and_then(|var| self.config.text(var)).unwrap_or_default();
        // Two servers behind one name are two providers.
        let provider = [model.backend.name(), model.base_url.as_str()].join(" ").trim_end().to_owned();
        Ok(self.guards.wrap(backend, GuardKey::new(provider, model.name, secret)))
    }

    /// The guards of all models that were asked, by this process or, where breakers are kept in a file, by others.
    #[must_use]
    pub fn guards(&self) -> &Guards {
        &self.guards
    }
}

/// The backend of a role with guards of its own; see [`Backends::for_role`].
///
/// # Errors
///
/// As [`Backends::for_role`].
///
/// # Examples
///
/// ```
/// use ln_agent_core::config::{Config, Role, Sources, create_backend_for_role};
///
/// let config = Config::load(&Sources::default()).unwrap();
/// let backend = create_backend_for_role(Role::Planner, &config).unwrap();
/// assert!(backend.is_offline());
/// ```
pub fn create_backend_for_role(role: Role, config: &Config) -> Result<Arc<dyn LlmBackend>, LlmError> {
    Backends::new(config, Arc::new(SystemClock::default()), None).for_role(role)
}

fn remote(model: &Model, config: &Config) -> RemoteConfig {
    let mut remote = RemoteConfig::new(model.base_url.clone(), model.name.clone());
    if let Some(key) = model.backend.key_var().and_then(|var| config.text(var)) {
        remote = remote.with_key(key);
    }
    remote.idle_timeout = model.idle_timeout;
    remote.send_temperature = model.temperature_given.then_some(true);
    remote.tool_temperature_zero = config.switch("OLLAMA_TOOL_TEMP_ZERO");
    remote.context_tokens = config.whole("OLLAMA_NUM_CTX");
    remote.gpu = config.text("COMPUTE_DEVICE").is_some_and(|device| device.eq_ignore_ascii_case("gpu"));
    remote
}

fn guard_config(config: &Config) -> GuardConfig {
    GuardConfig {
        min_interval_ms: config.whole("LLM_MIN_INTERVAL_MS"),
        max_in_flight: config.whole("LLM_MAX_IN_FLIGHT"),
        rpm: config.whole("LLM_RPM"),
        tpm: config.whole("LLM_TPM"),
        backoff_base_ms: config.whole("LLM_BACKOFF_BASE_MS"),
        backoff_max_ms: config.whole("LLM_BACKOFF_MAX_MS"),
        backoff_jitter_ms: config.whole("LLM_BACKOFF_JITTER_MS"),
        circuit_breaker_after: config.whole("LLM_CIRCUIT_BREAKER_AFTER"),
        circuit_breaker_open_ms: config.whole("LLM_CIRCUIT_BREAKER_OPEN_MS"),
        max_retries: config.whole("LLM_MAX_RETRIES"),
        longest_wait: Duration::from_secs(120),
    }
}

/// A remote model that must not be asked.
struct SwitchedOff(Backend);

#[async_trait::async_trait]
impl LlmBackend for SwitchedOff {
    fn name(&self) -> &str {
        self.0.name()
    }

    async fn step(&self, _request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        Err(LlmError::disabled())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::Sources;
    use super::*;
    use crate::llm::{LlmErrorKind, LlmTask};
    use crate::types::IntentBlock;

    fn config(pairs: &[(&str, &str)]) -> Config {
        let environment: BTreeMap<_, _> =
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Config::load(&Sources { environment, ..Sources::default() }).unwrap()
    }

    fn made(pairs: &[(&str, &str)]) -> Result<String, String> {
        create_backend_for_role(Role::Planner, &config(pairs))
            .map(|backend| backend.name().to_owned())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn every_name_makes_its_backend_and_a_missing_key_is_named() {
        for (name, key, made_name) in [
            ("openai", "OPENAI_API_KEY", "openai"),
            ("claude", "ANTHROPIC_API_KEY", "claude"),
            ("anthropic", "ANTHROPIC_API_KEY", "claude"),
            ("gemini", "GEMINI_API_KEY", "gemini"),
        ] {
            assert_eq!(made(&[("LLM_BACKEND", name), (key, "k")]), Ok(made_name.to_owned()));
            let missing = made(&[("LLM_BACKEND", name)]).unwrap_err();
            assert!(missing.contains(key), "{missing}");
        }
        assert_eq!(made(&[("LLM_BACKEND", "ollama")]), Ok("ollama".to_owned()));
        assert_eq!(made(&[]), Ok("offline".to_owned()));
    }

    #[tokio::test]
    async fn a_switched_off_model_is_not_asked() {
        let config = config(&[("LLM_BACKEND", "openai"), ("ALLOW_LLM", "0")]);
        let request = LlmRequest {
            task: LlmTask::Plan { intent: IntentBlock::default(), node_count: 1 },
            messages: Vec::new(),
            tools: Vec::new(),
            response_schema: None,
            max_output_tokens: 1,
            temperature: 0.0,
        };

        let error =
            create_backend_for_role(Role::Planner, &config).unwrap().step(&request).await.unwrap_err();

        assert_eq!((error.kind, error.to_string().as_str()), (LlmErrorKind::Disabled, "ALLOW_LLM!=1"));
    }
}
