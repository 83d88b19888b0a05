//! A backend for each role, as the configuration names it.

use std::sync::Arc;

use super::{Backend, Config, Model, Role, Settings};
use crate::adapter::RemoteConfig;
use crate::adapter::openai::OpenAiBackend;
use crate::llm::{LlmBackend, LlmError, LlmErrorKind, LlmRequest, LlmResponse};
use crate::offline::OfflineBackend;

/// The backend of a role: `{ROLE}_LLM_BACKEND` or `LLM_BACKEND`, with `{ROLE}_{BACKEND}_MODEL` or `{BACKEND}_MODEL`.
/// With `ALLOW_LLM=0` a remote one answers nothing but [`LlmErrorKind::Disabled`](crate::llm::LlmErrorKind::Disabled).
///
/// Nothing is connected, so this can be done at start.
///
/// # Errors
///
/// [`LlmError`] for a key that is missing, a placeholder or malformed, and for an address that cannot be used.
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
    let model = config.model(role);
    if model.backend == Backend::Offline {
        return Ok(Arc::new(OfflineBackend));
    }
    if !Settings::allows_llm(config) {
        return Ok(Arc::new(SwitchedOff(model.backend)));
    }
    let remote = remote(&model, config);
    match model.backend {
        Backend::Offline => Ok(Arc::new(OfflineBackend)),
        Backend::OpenAi => Ok(Arc::new(OpenAiBackend::new(&remote)?)),
        other => Err(LlmError::new(LlmErrorKind::Other, other.name(), "this build has no adapter for it")),
    }
}

fn remote(model: &Model, config: &Config) -> RemoteConfig {
    let mut remote = RemoteConfig::new(model.base_url.clone(), model.name.clone());
    if let Some(key) = model.backend.key_var().and_then(|var| config.text(var)) {
        remote = remote.with_key(key);
    }
    remote.idle_timeout = model.idle_timeout;
    remote.send_temperature = model.temperature_given.then_some(true);
    remote
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
