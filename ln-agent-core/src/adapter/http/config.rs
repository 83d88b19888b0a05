//! Where a provider is, how it is asked, and how long it may take.

use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};

use crate::llm::{LlmError, LlmErrorKind};

/// What stands in files that were never filled in.
const PLACEHOLDERS: [&str; 3] = ["__REPLACE_WITH_REAL_KEY__", "YOUR_API_KEY", "changeme"];

/// One model of one provider.
///
/// # Examples
///
/// ```
/// use ln_agent_core::adapter::RemoteConfig;
///
/// let config = RemoteConfig::new("http://127.0.0.1:8091/v1", "qwen2.5-coder-1.5b");
/// assert_eq!(config.idle_timeout.as_secs(), 120);
/// assert!(config.api_key.is_none());
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RemoteConfig {
    /// Base of the addresses, with or without the version and a slash at the end.
    pub base_url: String,
    /// Name of the model, as the provider spells it.
    pub model: String,
    /// The key. `None` for servers that ask for none.
    pub api_key: Option<SecretString>,
    /// How long connecting may take. Default 10 s.
    pub connect_timeout: Duration,
    /// How long the provider may be silent, before its answer or within it. Default 120 s.
    pub idle_timeout: Duration,
    /// Longest answer that is read, in bytes. Default 8 MiB.
    pub max_reply_bytes: usize,
    /// Whether the temperature is sent. `None`: where models of this name take one.
    pub send_temperature: Option<bool>,
    /// Whether a temperature of 0 is sent whenever tools are offered. Default true; Ollama reads it.
    pub tool_temperature_zero: bool,
    /// Size of the context that the model is loaded with, in tokens; Ollama reads it. Default 16,384.
    pub context_tokens: u32,
    /// Runs the whole model on the graphics card; Ollama reads it. Default false.
    pub gpu: bool,
}

impl RemoteConfig {
    /// The model at this address, with the defaults of every other member.
    #[must_use]
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            model: model.into(),
            api_key: None,
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(120),
            max_reply_bytes: 8 * 1_024 * 1_024,
            send_temperature: None,
            tool_temperature_zero: true,
            context_tokens: 16_384,
            gpu: false,
        }
    }

    /// With this key.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<String>) -> Self {
        self.api_key = Some(SecretString::from(key.into()));
        self
    }

    /// The key, if there is one that can be sent.
    pub(crate) fn usable_key(&self, provider: &str) -> Result<Option<&str>, LlmError> {
        let Some(key) = self.api_key.as_ref().map(|key| key.expose_secret().trim()) else { return Ok(None) };
        let fault = |message: &str| Err(LlmError::new(LlmErrorKind::Auth, provider, message));
        if key.is_empty() {
            return Ok(None);
        }
        if PLACEHOLDERS.iter().any(|placeholder| key.eq_ignore_ascii_case(placeholder)) {
            return fault("the key is a placeholder; no request was sent");
        }
        if !key.chars().all(|c| c.is_ascii_graphic()) {
            return fault("the key holds blanks or characters that no key has; no request was sent");
        }
        Ok(Some(key))
    }
}
