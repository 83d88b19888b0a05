//! Why a model gave no answer.

use std::time::Duration;

/// Why a model gave no answer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LlmError {
    /// Remote models are switched off (`ALLOW_LLM=0`). Asking again does not help.
    #[error("ALLOW_LLM!=1")]
    Disabled,
    /// Too many requests. Asking again helps after the wait.
    #[error("{provider}: rate limited: {message}")]
    RateLimited {
        /// Who said so.
        provider: String,
        /// Their words.
        message: String,
        /// How long they asked to wait.
        retry_after: Option<Duration>,
    },
    /// Overload, a lost connection, a server fault. Asking again can help.
    #[error("{provider}: {message}")]
    Transient {
        /// Who failed.
        provider: String,
        /// How.
        message: String,
    },
    /// The request was refused. Asking again does not help.
    #[error("{provider}: {message}")]
    Permanent {
        /// Who refused.
        provider: String,
        /// Why.
        message: String,
    },
    /// The key is missing or was refused. Asking again does not help.
    #[error("{provider}: not authorised: {message}")]
    Auth {
        /// Who refused.
        provider: String,
        /// Why.
        message: String,
    },
}

impl LlmError {
    /// Whether the same request can succeed later.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::RateLimited { .. } | Self::Transient { .. })
    }
}
