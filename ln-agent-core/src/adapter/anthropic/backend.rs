//! The backend.

use serde_json::Value;

use super::stream::Stream;
use super::{reply, request};
use crate::adapter::http::{Body, Framing, Remote, RemoteConfig, Wire, remote_backend};
use crate::llm::{LlmError, LlmErrorKind, LlmRequest, LlmResponse};

/// Where Anthropic's own models are.
const OFFICIAL: &str = "https://api.anthropic.com";

/// The version of the protocol that old models, new models and proxies take alike.
const VERSION: &str = "2023-06-01";

/// A model behind Anthropic's Messages, or behind a server that speaks the same.
///
/// # Examples
///
/// ```
/// use ln_agent_core::adapter::RemoteConfig;
/// use ln_agent_core::adapter::anthropic::AnthropicBackend;
/// use ln_agent_core::llm::LlmBackend;
///
/// let proxy = AnthropicBackend::new(&RemoteConfig::new("http://127.0.0.1:4000", "claude-sonnet-4-5")).unwrap();
/// assert_eq!(proxy.name(), "claude");
/// // Anthropic itself asks for a key.
/// assert!(AnthropicBackend::new(&RemoteConfig::new("", "claude-sonnet-4-5")).is_err());
/// ```
#[derive(Debug)]
pub struct AnthropicBackend {
    remote: Remote<Anthropic>,
}

/// The form of requests and answers.
#[derive(Debug)]
pub(super) struct Anthropic {
    model: String,
    temperature: bool,
}

impl AnthropicBackend {
    /// The model of this configuration. An empty base URL means Anthropic itself; the base may end with `/v1` or
    /// not. The temperature is sent only if the configuration says so: most models refuse it. Nothing is connected.
    ///
    /// # Errors
    ///
    /// [`LlmError`] of kind `Endpoint` for an address that cannot be used, `Auth` for a key that is missing where
    /// one is needed, a placeholder or malformed, and `NotFound` when no model is named.
    pub fn new(config: &RemoteConfig) -> Result<Self, LlmError> {
        let base = base(&config.base_url);
        let wire =
            Anthropic { model: config.model.clone(), temperature: config.send_temperature == Some(true) };
        if base == OFFICIAL && config.usable_key(Anthropic::PROVIDER)?.is_none() {
            return Err(LlmError::new(LlmErrorKind::Auth, Anthropic::PROVIDER, "there is no key"));
        }
        // A second header with the key, such as `authorization`, would be refused.
        let key = |key: &str| vec![("x-api-key", key.to_owned())];
        let remote = Remote::new(wire, config, &base, key)?;
        Ok(Self { remote: remote.with_header("anthropic-version", VERSION) })
    }
}

/// The base as it is given, without the slash at its end, the version, and the path of the call itself.
fn base(given: &str) -> String {
    let given = given.trim().trim_end_matches('/');
    let given = given.strip_suffix("/messages").unwrap_or(given);
    let given = given.strip_suffix("/v1").unwrap_or(given).trim_end_matches('/');
    if given.is_empty() { OFFICIAL.to_owned() } else { given.to_owned() }
}

remote_backend!(AnthropicBackend);

impl Wire for Anthropic {
    const PROVIDER: &'static str = "claude";
    const FRAMING: Framing = Framing::Sse;
    type Fold = Stream;

    fn path(&self, _stream: bool) -> String {
        "/v1/messages".to_owned()
    }

    fn body(&self, request: &LlmRequest, stream: bool) -> Result<Body, LlmError> {
        request::body(&self.model, self.temperature, request, stream)
    }

    fn response(&self, reply: &Value) -> Result<LlmResponse, LlmError> {
        reply::response(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_may_be_given_in_every_usual_way() {
        let cases = [
            ("", "https://api.anthropic.com"),
            ("https://api.anthropic.com/", "https://api.anthropic.com"),
            ("https://api.anthropic.com/v1", "https://api.anthropic.com"),
            ("https://api.anthropic.com/v1/messages", "https://api.anthropic.com"),
            ("http://127.0.0.1:4000", "http://127.0.0.1:4000"),
            ("http://host/anthropic/v1//", "http://host/anthropic"),
        ];
        for (given, expected) in cases {
            assert_eq!(base(given), expected, "{given}");
        }
    }

    #[test]
    fn a_key_that_cannot_be_sent_is_named_but_not_shown() {
        for key in ["", "__REPLACE_WITH_REAL_KEY__", "two words", "schlüssel"] {
            let error = AnthropicBackend::new(&RemoteConfig::new("", "m").with_key(key)).unwrap_err();
            assert_eq!(error.kind, LlmErrorKind::Auth, "{key}");
            assert!(key.is_empty() || !error.to_string().contains(key), "{error}");
            assert!(error.to_string().ends_with("check ANTHROPIC_API_KEY"), "{error}");
        }
    }
}
