//! What one server takes and another refuses.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::llm::{LlmError, LlmErrorKind};

/// What this server takes. It learns from refusals.
#[derive(Debug)]
pub(super) struct Quirks {
    think: AtomicBool,
    format: AtomicBool,
}

impl Quirks {
    /// Ollama's cloud holds no answer to a schema.
    pub(super) fn new(cloud: bool) -> Self {
        Self { think: AtomicBool::new(true), format: AtomicBool::new(!cloud) }
    }

    /// Thoughts can be switched off.
    pub(super) fn takes_think(&self) -> bool {
        self.think.load(Ordering::Relaxed)
    }

    /// A schema can be enforced.
    pub(super) fn takes_format(&self) -> bool {
        self.format.load(Ordering::Relaxed)
    }

    /// Does without the member that a refusal names. Each change is made once, and told.
    pub(super) fn adapt(&self, refusal: &LlmError) -> Option<String> {
        if refusal.kind != LlmErrorKind::BadRequest {
            return None;
        }
        let said = refusal.message.to_lowercase();
        if said.contains("think") {
            let sent = self.think.swap(false, Ordering::Relaxed);
            return sent.then(|| "thoughts are not switched off: this server refuses that".to_owned());
        }
        if said.contains("format") || said.contains("schema") || said.contains("grammar") {
            let sent = self.format.swap(false, Ordering::Relaxed);
            return sent.then(|| format!("the schema is refused by this server ({})", refusal.message));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_that_a_server_refuses_is_left_out_once_and_told() {
        let quirks = Quirks::new(false);
        let adapt = |kind, message: &str| quirks.adapt(&LlmError::new(kind, "ollama", message));
        let thinking = "\"llama3.2\" does not support thinking";
        assert_eq!(adapt(LlmErrorKind::Server, thinking), None);
        assert_eq!(
            adapt(LlmErrorKind::BadRequest, thinking).as_deref(),
            Some("thoughts are not switched off: this server refuses that")
        );
        assert_eq!((quirks.takes_think(), adapt(LlmErrorKind::BadRequest, thinking)), (false, None));

        let format = "invalid format: expected \"json\" or a JSON schema";
        assert!(quirks.takes_format() && adapt(LlmErrorKind::BadRequest, format).is_some());
        assert_eq!((quirks.takes_format(), adapt(LlmErrorKind::BadRequest, format)), (false, None));

        assert_eq!(adapt(LlmErrorKind::BadRequest, "\"gemma\" does not support tools"), None);
    }
}
