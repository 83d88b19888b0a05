//! Why a model gave no answer.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Why a model gave no answer: what kind of failure, who said so, in which words, and what helps.
///
/// Its text never holds a key, the query of a URL or the value of an `Authorization` header.
///
/// # Examples
///
/// ```
/// use ln_agent_core::llm::{LlmError, LlmErrorKind};
///
/// let error = LlmError::new(LlmErrorKind::Auth, "openai", "Incorrect API key provided")
///     .with_status(401)
///     .with_code("invalid_api_key");
///
/// assert!(!error.is_retryable());
/// assert_eq!(
///     error.to_string(),
///     "openai: not authorised (401 invalid_api_key): Incorrect API key provided; check OPENAI_API_KEY"
/// );
/// ```
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LlmError {
    /// What kind of failure it is.
    pub kind: LlmErrorKind,
    /// Who failed, such as `openai`.
    pub provider: String,
    /// Their words, or ours where they said nothing.
    pub message: String,
    /// HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// The provider's own code or type, such as `rate_limit_exceeded`.
    pub code: Option<String>,
    /// The provider's number of the request, for its support.
    pub request_id: Option<String>,
    /// How long the provider asked to wait; for [`CircuitOpen`](LlmErrorKind::CircuitOpen) how long it stays open.
    pub retry_after: Option<Duration>,
    /// The server's `x-should-retry`, which overrides what the kind says.
    pub should_retry: Option<bool>,
}

/// The kinds of failure of a model call.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LlmErrorKind {
    /// Remote models are switched off (`ALLOW_LLM=0`).
    Disabled,
    /// The key is missing or a placeholder, or was refused.
    Auth,
    /// Quota, credit or spending limit is used up.
    Quota,
    /// Too many requests or tokens for now.
    RateLimited,
    /// The provider is overloaded, or still loading the model.
    Overloaded,
    /// A fault of the provider's server.
    Server,
    /// No answer in time, or silence in the middle of one.
    Timeout,
    /// The connection failed or broke off before the answer was whole.
    Network,
    /// The address is not usable, cannot be trusted, or is no model server.
    Endpoint,
    /// The provider does not accept the request.
    BadRequest,
    /// The model, or the path, does not exist.
    NotFound,
    /// Request, context or reply is too large.
    TooLarge,
    /// The model or the provider's filter declined to answer.
    Refused,
    /// The answer is not in the form of the protocol.
    Malformed,
    /// Too many failures in a row; nothing was sent.
    CircuitOpen,
    /// The request alone is larger than our own limit; nothing was sent.
    LimitExceeded,
    /// A recorded run has no such request, or another one.
    Replay,
    /// Something else that asking again does not mend.
    Other,
}

impl LlmErrorKind {
    /// In words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Disabled => "switched off",
            Self::Auth => "not authorised",
            Self::Quota => "quota used up",
            Self::RateLimited => "rate limited",
            Self::Overloaded => "overloaded",
            Self::Server => "server fault",
            Self::Timeout => "no answer in time",
            Self::Network => "connection lost",
            Self::Endpoint => "address not usable",
            Self::BadRequest => "request not accepted",
            Self::NotFound => "not found",
            Self::TooLarge => "too large",
            Self::Refused => "declined to answer",
            Self::Malformed => "unreadable answer",
            Self::CircuitOpen => "paused after repeated failures",
            Self::LimitExceeded => "larger than the own limit",
            Self::Replay => "not as recorded",
            Self::Other => "failed",
        }
    }

    const fn is_final(self) -> bool {
        matches!(
            self,
            Self::Disabled
                | Self::Auth
                | Self::Quota
                | Self::BadRequest
                | Self::TooLarge
                | Self::Refused
                | Self::CircuitOpen
                | Self::LimitExceeded
                | Self::Replay
        )
    }

    const fn is_retryable(self) -> bool {
        matches!(self, Self::RateLimited | Self::Overloaded | Self::Server | Self::Timeout | Self::Network)
    }
}

impl LlmError {
    /// A failure of this kind.
    #[must_use]
    pub fn new(kind: LlmErrorKind, provider: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind,
            provider: provider.into(),
            message: message.into(),
            status: None,
            code: None,
            request_id: None,
            retry_after: None,
            should_retry: None,
        }
    }

    /// Remote models are switched off.
    #[must_use]
    pub fn disabled() -> Self {
        Self::new(LlmErrorKind::Disabled, "", "ALLOW_LLM!=1")
    }

    /// With the HTTP status.
    #[must_use]
    pub const fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// With the provider's own code.
    #[must_use]
    pub fn with_code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// With the provider's number of the request.
    #[must_use]
    pub fn with_request_id(mut self, id: impl Into<String>) -> Self {
        self.request_id = Some(id.into());
        self
    }

    /// With the wait that was asked for.
    #[must_use]
    pub const fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Whether the same request can succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self.should_retry {
            // What is wrong with the request, the key or the account does not mend itself, whatever the server says.
            Some(true) => !self.kind.is_final(),
            Some(false) => false,
            None => self.kind.is_retryable(),
        }
    }

    /// What the user can do about it, if anything.
    #[must_use]
    pub fn remedy(&self) -> Option<String> {
        let variable = |suffix: &str| {
            let prefix = match self.provider.as_str() {
                "claude" if suffix != "MODEL" => "ANTHROPIC".to_owned(),
                name => name.to_ascii_uppercase(),
            };
            format!("{prefix}_{suffix}")
        };
        Some(match self.kind {
            LlmErrorKind::Auth => format!("check {}", variable("API_KEY")),
            LlmErrorKind::Quota => "check the plan and credit of the account".to_owned(),
            LlmErrorKind::RateLimited | LlmErrorKind::Overloaded => "try again later".to_owned(),
            LlmErrorKind::Network => {
                format!("check the connection, and {} if you gave one", variable("BASE_URL"))
            }
            LlmErrorKind::Endpoint => format!("check {}", variable("BASE_URL")),
            LlmErrorKind::NotFound => {
                format!("check {} and {}", variable("MODEL"), variable("BASE_URL"))
            }
            LlmErrorKind::TooLarge => {
                "shorten the request or choose a model with a larger context".to_owned()
            }
            LlmErrorKind::LimitExceeded => "raise LLM_TPM or lower the output tokens of the stage".to_owned(),
            _ => return None,
        })
    }
}

impl fmt::Display for LlmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind == LlmErrorKind::Disabled {
            return f.write_str(&self.message);
        }
        write!(f, "{}: {}", self.provider, self.kind.words())?;
        match (self.status, &self.code) {
            (Some(status), Some(code)) => write!(f, " ({status} {code})")?,
            (Some(status), None) => write!(f, " ({status})")?,
            (None, Some(code)) => write!(f, " ({code})")?,
            (None, None) => {}
        }
        write!(f, ": {}", self.message)?;
        if let Some(remedy) = self.remedy() {
            write!(f, "; {remedy}")?;
        }
        if let Some(id) = &self.request_id {
            write!(f, " [request {id}]")?;
        }
        Ok(())
    }
}

impl std::error::Error for LlmError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_who_what_why_and_what_helps() {
        let error = LlmError::new(LlmErrorKind::NotFound, "claude", "model: claude-x")
            .with_status(404)
            .with_code("not_found_error")
            .with_request_id("req_1");

        assert_eq!(
            error.to_string(),
            "claude: not found (404 not_found_error): model: claude-x; check CLAUDE_MODEL and ANTHROPIC_BASE_URL \
             [request req_1]"
        );
        assert_eq!(LlmError::disabled().to_string(), "ALLOW_LLM!=1");
    }

    #[test]
    fn the_server_may_overrule_the_kind_but_never_spend_what_is_used_up() {
        let mut error = LlmError::new(LlmErrorKind::Malformed, "openai", "odd");
        assert!(!error.is_retryable());
        error.should_retry = Some(true);
        assert!(error.is_retryable());
        for kind in [LlmErrorKind::Quota, LlmErrorKind::Auth, LlmErrorKind::BadRequest] {
            error.kind = kind;
            assert!(!error.is_retryable());
        }
        error.kind = LlmErrorKind::Server;
        error.should_retry = Some(false);
        assert!(!error.is_retryable());
    }
}
