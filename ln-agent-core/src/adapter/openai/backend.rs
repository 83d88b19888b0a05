//! The backend.

use serde_json::Value;

use super::quirks::Quirks;
use super::stream::Stream;
use super::{reply, request};
use crate::adapter::http::{Body, Framing, Remote, RemoteConfig, Wire, remote_backend};
use crate::llm::schema::raise;
use crate::llm::{LlmError, LlmErrorKind, LlmRequest, LlmResponse};

/// Where OpenAI's own models are.
const OFFICIAL: &str = "https://api.openai.com/v1";

/// A model behind OpenAI's Chat Completions, or behind a server that speaks the same.
///
/// # Examples
///
/// ```
/// use ln_agent_core::adapter::RemoteConfig;
/// use ln_agent_core::adapter::openai::OpenAiBackend;
/// use ln_agent_core::llm::LlmBackend;
///
/// let local = OpenAiBackend::new(&RemoteConfig::new("http://127.0.0.1:8091/v1", "qwen2.5-coder")).unwrap();
/// assert_eq!(local.name(), "openai");
/// // OpenAI itself asks for a key.
/// assert!(OpenAiBackend::new(&RemoteConfig::new("", "gpt-4o-mini")).is_err());
/// ```
#[derive(Debug)]
pub struct OpenAiBackend {
    remote: Remote<OpenAi>,
}

/// The form of requests and answers.
#[derive(Debug)]
pub(super) struct OpenAi {
    model: String,
    quirks: Quirks,
}

impl OpenAiBackend {
    /// The model of this configuration. An empty base URL means OpenAI itself; `/v1` is added to a base without
    /// any path. Nothing is connected.
    ///
    /// # Errors
    ///
    /// [`LlmError`] of kind `Endpoint` for an address that cannot be used, `Auth` for a key that is missing where
    /// one is needed, a placeholder or malformed, and `NotFound` when no model is named.
    pub fn new(config: &RemoteConfig) -> Result<Self, LlmError> {
        let base = base(&config.base_url);
        let official = base == OFFICIAL;
        let wire = OpenAi { model: config.model.clone(), quirks: Quirks::of(config, official) };
        let bearer = |key: &str| vec![("authorization", format!("Bearer {key}"))];
        if official && config.usable_key(OpenAi::PROVIDER)?.is_none() {
            return Err(LlmError::new(LlmErrorKind::Auth, OpenAi::PROVIDER, "there is no key"));
        }
        Ok(Self { remote: Remote::new(wire, config, &base, bearer)? })
    }
}

/// The base as it is given, without the slash at its end and without the path of the call itself.
fn base(given: &str) -> String {
    let given = given.trim().trim_end_matches('/');
    let given = given.strip_suffix("/chat/completions").unwrap_or(given);
    if given.is_empty() {
        return OFFICIAL.to_owned();
    }
    let after_host = given.split_once("://").map_or("", |(_, rest)| rest);
    if after_host.contains('/') { given.to_owned() } else { format!("{given}/v1") }
}

remote_backend!(OpenAiBackend);

impl Wire for OpenAi {
    const PROVIDER: &'static str = "openai";
    const FRAMING: Framing = Framing::Sse;
    type Fold = Stream;

    fn path(&self, _stream: bool) -> String {
        "/chat/completions".to_owned()
    }

    fn body(&self, request: &LlmRequest, stream: bool) -> Result<Body, LlmError> {
        request::body(&self.model, &self.quirks, request, stream)
    }

    fn response(&self, reply: &Value) -> Result<LlmResponse, LlmError> {
        reply::response(reply)
    }

    fn adapt(&self, refusal: &LlmError) -> Option<String> {
        self.quirks.adapt(refusal)
    }

    /// Strict mode has a null where a member was left out.
    fn finish(&self, request: &LlmRequest, response: &mut LlmResponse) {
        if let Some(schema) = request.response_schema.as_ref().filter(|_| self.quirks.is_strict())
            && let Ok(answer) = serde_json::from_str(&response.content)
        {
            response.content = raise(answer, schema).to_string();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_may_be_given_in_every_usual_way() {
        let cases = [
            ("", "https://api.openai.com/v1"),
            ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
            ("https://api.openai.com", "https://api.openai.com/v1"),
            ("http://127.0.0.1:8091", "http://127.0.0.1:8091/v1"),
            ("http://127.0.0.1:8091/", "http://127.0.0.1:8091/v1"),
            ("http://127.0.0.1:8091/v1", "http://127.0.0.1:8091/v1"),
            ("https://openrouter.ai/api/v1/chat/completions", "https://openrouter.ai/api/v1"),
            ("https://host/openai/v1//", "https://host/openai/v1"),
        ];
        for (given, expected) in cases {
            assert_eq!(base(given), expected, "{given}");
        }
    }

    #[test]
    fn a_key_that_cannot_be_sent_is_named_but_not_shown() {
        for key in ["", "__REPLACE_WITH_REAL_KEY__", "two words", "schlüssel"] {
            let error = OpenAiBackend::new(&RemoteConfig::new("", "m").with_key(key)).unwrap_err();
            assert_eq!(error.kind, LlmErrorKind::Auth, "{key}");
            assert!(key.is_empty() || !error.to_string().contains(key), "{error}");
            assert!(error.to_string().ends_with("check OPENAI_API_KEY"), "{error}");
        }
    }
}
