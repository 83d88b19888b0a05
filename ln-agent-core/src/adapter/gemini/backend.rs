//! The backend.

use serde_json::Value;

use super::stream::Stream;
use super::{reply, request};
use crate::adapter::http::{Body, Framing, Remote, RemoteConfig, Wire, remote_backend};
use crate::llm::{LlmError, LlmErrorKind, LlmRequest, LlmResponse};

/// Where Google's own models are.
const OFFICIAL: &str = "https://generativelanguage.googleapis.com/v1beta";

/// A model behind Google's `generateContent`.
///
/// # Examples
///
/// ```
/// use ln_agent_core::adapter::RemoteConfig;
/// use ln_agent_core::adapter::gemini::GeminiBackend;
/// use ln_agent_core::llm::LlmBackend;
///
/// let proxy = GeminiBackend::new(&RemoteConfig::new("http://127.0.0.1:4000", "gemini-2.5-flash")).unwrap();
/// assert_eq!(proxy.name(), "gemini");
/// // Google itself asks for a key.
/// assert!(GeminiBackend::new(&RemoteConfig::new("", "gemini-2.5-flash")).is_err());
/// ```
#[derive(Debug)]
pub struct GeminiBackend {
    remote: Remote<Gemini>,
}

/// The form of requests and answers.
#[derive(Debug)]
pub(super) struct Gemini {
    /// With what it is, as in `models/gemini-2.5-flash`.
    model: String,
    temperature: bool,
}

impl GeminiBackend {
    /// The model of this configuration, with or without `models/` before its name. An empty base URL means Google
    /// itself; `/v1beta` is added to a base without a version. The temperature is not sent to models that do better
    /// without, which are those from Gemini 3 on, unless the configuration says so. Nothing is connected.
    ///
    /// # Errors
    ///
    /// [`LlmError`] of kind `Endpoint` for an address that cannot be used, `Auth` for a key that is missing where
    /// one is needed, a placeholder or malformed, and `NotFound` when no model is named, or one that cannot be.
    pub fn new(config: &RemoteConfig) -> Result<Self, LlmError> {
        let base = base(&config.base_url);
        let temperature = config.send_temperature.unwrap_or_else(|| !prefers_its_own(&config.model));
        let wire = Gemini { model: model(&config.model)?, temperature };
        if base == OFFICIAL && config.usable_key(Gemini::PROVIDER)?.is_none() {
            return Err(LlmError::new(LlmErrorKind::Auth, Gemini::PROVIDER, "there is no key"));
        }
        // In the address, the key would end in logs.
        let key = |key: &str| vec![("x-goog-api-key", key.to_owned())];
        Ok(Self { remote: Remote::new(wire, config, &base, key)? })
    }
}

/// The base as it is given, without the slash at its end, and with a version.
fn base(given: &str) -> String {
    let given = given.trim().trim_end_matches('/');
    if given.is_empty() {
        return OFFICIAL.to_owned();
    }
    let versioned = given.ends_with("/v1beta") || given.ends_with("/v1");
    if versioned { given.to_owned() } else { format!("{given}/v1beta") }
}

/// The name as a part of an address.
fn model(name: &str) -> Result<String, LlmError> {
    let name = name.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._/@".contains(c);
    if !name.chars().all(plain) {
        let message = "the name of the model holds characters that no such name has";
        return Err(LlmError::new(LlmErrorKind::NotFound, Gemini::PROVIDER, message));
    }
    // Tuned models are `tunedModels/…`.
    Ok(if name.contains('/') { name.to_owned() } else { format!("models/{name}") })
}

/// From Gemini 3 on, a low temperature may end in loops. The name of the latest model has no number.
fn prefers_its_own(model: &str) -> bool {
    let name = model.trim().rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let Some(rest) = name.strip_prefix("gemini-") else { return false };
    let generation: String = rest.chars().take_while(char::is_ascii_digit).collect();
    generation.parse::<u32>().map_or_else(|_| rest.ends_with("-latest"), |generation| generation >= 3)
}

remote_backend!(GeminiBackend);

impl Wire for Gemini {
    const PROVIDER: &'static str = "gemini";
    const FRAMING: Framing = Framing::Sse;
    type Fold = Stream;

    fn path(&self, stream: bool) -> String {
        // Without `alt=sse` a stream is one growing JSON array.
        let call = if stream { "streamGenerateContent?alt=sse" } else { "generateContent" };
        format!("/{}:{call}", self.model)
    }

    fn body(&self, request: &LlmRequest, _stream: bool) -> Result<Body, LlmError> {
        request::body(self.temperature, request)
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
            ("", "https://generativelanguage.googleapis.com/v1beta"),
            (
                "https://generativelanguage.googleapis.com/",
                "https://generativelanguage.googleapis.com/v1beta",
            ),
            ("https://generativelanguage.googleapis.com/v1", "https://generativelanguage.googleapis.com/v1"),
            ("http://127.0.0.1:4000", "http://127.0.0.1:4000/v1beta"),
            ("http://host/gemini/v1beta//", "http://host/gemini/v1beta"),
        ];
        for (given, expected) in cases {
            assert_eq!(base(given), expected, "{given}");
        }
    }

    #[test]
    fn a_model_may_be_given_with_what_it_is() {
        for (given, expected) in [
            ("gemini-2.5-flash", "models/gemini-2.5-flash"),
            (" models/gemini-2.5-flash ", "models/gemini-2.5-flash"),
            ("tunedModels/mine-1", "tunedModels/mine-1"),
        ] {
            assert_eq!(model(given).unwrap(), expected);
        }
        for name in ["gemini x", "gemini-3?key=abc", "gemini#", "gemini:x"] {
            let error = GeminiBackend::new(&RemoteConfig::new("http://localhost", name)).unwrap_err();
            assert_eq!(error.kind, LlmErrorKind::NotFound, "{name}");
        }
        let unnamed = GeminiBackend::new(&RemoteConfig::new("http://localhost", " ")).unwrap_err();
        assert_eq!((unnamed.kind, unnamed.message.as_str()), (LlmErrorKind::NotFound, "no model is named"));
    }

    #[test]
    fn models_that_prefer_their_own_temperature_are_known_by_name() {
        for name in ["gemini-3-pro", "models/gemini-3.5-flash", "Gemini-10", "gemini-flash-latest"] {
            assert!(prefers_its_own(name), "{name}");
        }
        for name in
            ["gemini-2.5-flash", "gemini-1.5-pro-latest", "gemma-3-27b-it", "tunedModels/x", "model-x"]
        {
            assert!(!prefers_its_own(name), "{name}");
        }
    }

    #[test]
    fn a_key_that_cannot_be_sent_is_named_but_not_shown() {
        for key in ["", "__REPLACE_WITH_REAL_KEY__", "two words", "schlüssel"] {
            let error = GeminiBackend::new(&RemoteConfig::new("", "m").with_key(key)).unwrap_err();
            assert_eq!(error.kind, LlmErrorKind::Auth, "{key}");
            assert!(key.is_empty() || !error.to_string().contains(key), "{error}");
            assert!(error.to_string().ends_with("check GEMINI_API_KEY"), "{error}");
        }
    }
}
