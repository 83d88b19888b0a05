//! What one server takes and another refuses.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::adapter::RemoteConfig;
use crate::llm::{LlmError, LlmErrorKind};

/// What this server takes. It starts as its name suggests, and learns from refusals.
#[derive(Debug)]
pub(super) struct Quirks {
    /// Schemas are enforced strictly: by OpenAI itself. Other servers take the word and mean different things.
    strict: bool,
    /// The limit is called `max_completion_tokens`.
    completion_tokens: AtomicBool,
    temperature: AtomicBool,
    stream_usage: AtomicBool,
    format: AtomicU8,
    /// A refused limit's name is changed once, not back and forth.
    renamed: AtomicBool,
}

/// How an answer is held to its schema.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Format {
    /// The provider enforces the schema.
    Schema,
    /// The provider enforces JSON, the schema stands in the prompt.
    Object,
    /// Everything stands in the prompt.
    Prompt,
}

impl Quirks {
    pub(super) fn of(config: &RemoteConfig, official: bool) -> Self {
        let temperature = config.send_temperature.unwrap_or_else(|| !reasons(&config.model));
        Self {
            strict: official,
            completion_tokens: AtomicBool::new(official),
            temperature: AtomicBool::new(temperature),
            stream_usage: AtomicBool::new(true),
            format: AtomicU8::new(0),
            renamed: AtomicBool::new(false),
        }
    }

    pub(super) const fn is_strict(&self) -> bool {
        self.strict
    }

    pub(super) fn limit_name(&self) -> &'static str {
        if self.completion_tokens.load(Ordering::Relaxed) { "max_completion_tokens" } else { "max_tokens" }
    }

    pub(super) fn takes_temperature(&self) -> bool {
        self.temperature.load(Ordering::Relaxed)
    }

    pub(super) fn takes_stream_usage(&self) -> bool {
        self.stream_usage.load(Ordering::Relaxed)
    }

    pub(super) fn format(&self) -> Format {
        match self.format.load(Ordering::Relaxed) {
            0 => Format::Schema,
            1 => Format::Object,
            _ => Format::Prompt,
        }
    }

    /// Does without the parameter that a refusal names. Each change is made once, and told.
    pub(super) fn adapt(&self, refusal: &LlmError) -> Option<String> {
        if refusal.kind != LlmErrorKind::BadRequest {
            return None;
        }
        let said = refusal.message.to_lowercase();
        let refused =
            ["unsupported", "not support", "unknown", "unrecognized", "unexpected", "not permitted"];
        if !refused.iter().any(|word| said.contains(word)) {
            return None;
        }
        if said.contains("max_tokens") || said.contains("max_completion_tokens") {
            let first = !self.renamed.swap(true, Ordering::Relaxed);
            return first.then(|| {
                self.completion_tokens.fetch_xor(true, Ordering::Relaxed);
                format!("the limit of tokens is sent as {}", self.limit_name())
            });
        }
        if said.contains("temperature") {
            let sent = self.temperature.swap(false, Ordering::Relaxed);
            return sent.then(|| "the temperature is not sent: this model takes none".to_owned());
        }
        if said.contains("stream_options") {
            let sent = self.stream_usage.swap(false, Ordering::Relaxed);
            return sent
                .then(|| "tokens of streams are not counted: this server does not report them".to_owned());
        }
        if ["response_format", "json_schema", "json_object"].iter().any(|word| said.contains(word)) {
            let now = self.format.fetch_add(1, Ordering::Relaxed);
            return match now {
                0 => Some("the schema is not enforced by this server: it stands in the prompt".to_owned()),
                1 => Some("JSON is not enforced by this server: it is asked for in the prompt".to_owned()),
                _ => None,
            };
        }
        None
    }
}

/// Models that reason take only the default temperature: the o series, and GPT from 5 on.
fn reasons(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let number =
        |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<u32>().ok();
    if let Some(rest) = name.strip_prefix("gpt-") {
        return number(rest).is_some_and(|generation| generation >= 5);
    }
    name.strip_prefix('o').and_then(number).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(message: &str) -> LlmError {
        LlmError::new(LlmErrorKind::BadRequest, "openai", message).with_status(400)
    }

    #[test]
    fn a_parameter_that_a_model_refuses_is_left_out_once_and_told() {
        let quirks = Quirks::of(&RemoteConfig::new("", "gpt-4o"), false);
        let tokens = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";

        assert_eq!(
            quirks.adapt(&refusal(tokens)).as_deref(),
            Some("the limit of tokens is sent as max_completion_tokens")
        );
        assert_eq!((quirks.limit_name(), quirks.adapt(&refusal(tokens))), ("max_completion_tokens", None));

        let warm = "Unsupported value: 'temperature' does not support 0.2 with this model.";
        assert!(quirks.takes_temperature() && quirks.adapt(&refusal(warm)).is_some());
        assert!(!quirks.takes_temperature() && quirks.adapt(&refusal(warm)).is_none());

        let format = "response_format of type json_schema is not supported";
        assert!(quirks.adapt(&refusal(format)).is_some() && quirks.format() == Format::Object);
        assert!(quirks.adapt(&refusal(format)).is_some() && quirks.format() == Format::Prompt);
        assert_eq!(quirks.adapt(&refusal(format)), None);

        assert_eq!(quirks.adapt(&refusal("messages: text is empty")), None);
    }

    #[test]
    fn models_that_reason_are_known_by_name() {
        for model in ["o1", "o3-mini", "gpt-5", "gpt-5.2-mini", "openai/gpt-6", "o4-mini-2026"] {
            assert!(reasons(model), "{model}");
        }
        for model in ["gpt-4o", "gpt-4.1-mini", "qwen2.5-coder", "olmo-2", "gpt-oss", "openchat"] {
            assert!(!reasons(model), "{model}");
        }
    }
}
