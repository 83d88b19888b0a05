//! Failures below HTTP.

use std::error::Error;
use std::time::Duration;

use crate::llm::{LlmError, LlmErrorKind};
use crate::types::with_causes;

/// What a failed connection or transfer means. The URL is taken out: it may hold what is nobody's business.
pub(super) fn error(provider: &str, error: reqwest::Error, doing: &str) -> LlmError {
    let kind = kind(&error);
    let error = error.without_url();
    LlmError::new(kind, provider, format!("{doing}: {}", with_causes(&error)))
}

/// The provider said nothing for too long.
pub(super) fn silent(provider: &str, limit: Duration) -> LlmError {
    let message = format!("nothing came for {} s", limit.as_secs_f32());
    LlmError::new(LlmErrorKind::Timeout, provider, message)
}

fn kind(error: &reqwest::Error) -> LlmErrorKind {
    if error.is_timeout() {
        return LlmErrorKind::Timeout;
    }
    let causes = causes(error);
    let says = |words: &[&str]| causes.iter().any(|cause| words.iter().any(|word| cause.contains(word)));
    // Neither a certificate that is not trusted nor another protocol mends itself.
    let tls = ["certificate", "tls", "handshake", "corrupt message", "invalid peer"];
    let not_http =
        ["unexpected message", "invalid http", "http version", "parsed", "http/2", "invalid header"];
    if says(&tls) || says(&not_http) || error.is_builder() {
        LlmErrorKind::Endpoint
    } else {
        LlmErrorKind::Network
    }
}

fn causes(error: &dyn Error) -> Vec<String> {
    let mut causes = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        causes.push(cause.to_string().to_ascii_lowercase());
        next = cause.source();
    }
    causes
}
