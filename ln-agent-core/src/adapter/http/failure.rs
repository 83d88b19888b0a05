//! What a provider's refusal means, whatever its form.
//!
//! Bodies are `{"error": {…}}`, `{"error": "…"}`, `[{"error": {…}}]`, `{"detail": …}`, `{"message": …}` or pages of
//! HTML; codes are words or numbers; the same status means different things. All of it is read here, for all dialects.

use std::fmt;
use std::time::SystemTime;

use reqwest::header::HeaderMap;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::config::RemoteConfig;
use super::reply::{Reply, shown};
use super::wait;
use crate::llm::{LlmError, LlmErrorKind, redact};

/// Bytes of a refusal that are read.
const MOST_BYTES: usize = 64 * 1_024;

/// What stands where a key stood.
const MASK: &str = "[redacted]";
/// Characters at the start of a key that give nothing of it away: `sk-`.
const SHORTEST_START: usize = 4;

/// What must not stand in an error: the key itself, whatever its shape, and every known shape.
pub(super) struct Secrets(Option<SecretString>);

impl Secrets {
    pub(super) fn of(config: &RemoteConfig) -> Self {
        Self(config.api_key.clone())
    }

    /// The error without them.
    pub(super) fn clean(&self, mut error: LlmError) -> LlmError {
        error.message = self.clean_text(&error.message);
        error.code = error.code.map(|code| self.clean_text(&code));
        error.request_id = error.request_id.map(|id| self.clean_text(&id));
        error
    }

    fn clean_text(&self, text: &str) -> String {
        let key = self.0.as_ref().map(|key| key.expose_secret().trim()).filter(|key| !key.is_empty());
        let text = key.map_or_else(|| text.to_owned(), |key| without(text, key));
        redact(&text)
    }
}

/// The text without this key, and without the start of it where the text was cut off.
fn without(text: &str, key: &str) -> String {
    let text = text.replace(key, MASK);
    let Some(stem) = text.strip_suffix('…') else { return text };
    let starts = (1..key.len()).rev().filter_map(|length| key.get(..length));
    match starts.filter(|start| start.len() >= SHORTEST_START).find_map(|start| stem.strip_suffix(start)) {
        Some(before) => format!("{before}{MASK}…"),
        None => text,
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets")
    }
}

/// The provider's number of a request.
pub(super) fn request_id(headers: &HeaderMap) -> Option<String> {
    let names = ["x-request-id", "request-id", "x-goog-request-id", "cf-ray"];
    names.iter().find_map(|name| headers.get(*name)?.to_str().ok().map(str::to_owned))
}

/// What an answer without success means.
pub(super) async fn refused(mut reply: Reply) -> LlmError {
    let status = reply.status().as_u16();
    let bytes = reply.start_of_body(MOST_BYTES).await;
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let told = Told::read(&body);
    let message = told.message.clone().unwrap_or_else(|| shown(&bytes));
    let mut error = reply.error(told.kind(Some(status)), &message).with_status(status);
    error.code = told.code();
    error.retry_after = wait::asked(reply.headers(), &body, SystemTime::now());
    error.should_retry = told.again().or_else(|| should_retry(reply.headers()));
    if (300..400).contains(&status) {
        error.message = "it redirects elsewhere, which is not followed".to_owned();
    }
    error
}

/// What an error in the middle of a stream, or inside an answer of success, means. `None` for what is no error.
pub(crate) fn in_stream(provider: &str, value: &Value) -> Option<LlmError> {
    let holder = value.as_array().and_then(|list| list.first()).unwrap_or(value);
    holder.get("error").filter(|error| !error.is_null())?;
    let told = Told::read(value);
    let message = told.message.clone().unwrap_or_else(|| holder["error"].to_string());
    let status = told.status();
    let mut error = LlmError::new(told.kind(status), provider, message);
    error.status = status;
    error.code = told.code();
    error.retry_after = wait::asked(&HeaderMap::new(), value, SystemTime::now());
    Some(error)
}

fn should_retry(headers: &HeaderMap) -> Option<bool> {
    match headers.get("x-should-retry")?.to_str().ok()? {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// What a body says about its error.
#[derive(Debug, Default)]
struct Told {
    message: Option<String>,
    /// `code`, `type` and `status` of the error, in this order, as words.
    words: Vec<String>,
    /// `code` where it is a number.
    number: Option<u16>,
    /// Everything else that may tell a spent quota from a short limit.
    details: String,
}

impl Told {
    fn read(body: &Value) -> Self {
        let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
        let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
        let text = |value: &Value| value.as_str().map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned);
        let member = |name: &str| error.get(name).or_else(|| body.get(name));
        let message = text(error)
            .or_else(|| member("message").and_then(text))
            .or_else(|| member("detail").map(|detail| text(detail).unwrap_or_else(|| detail.to_string())));
        let error_code = error.pointer("/details/error_code");
        let reason = error.pointer("/details/0/reason");
        let words = [error_code, reason, error.get("code"), error.get("type"), error.get("status")];
        let number = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        Self {
            message,
            words: words.into_iter().flatten().filter_map(text).collect(),
            number,
            details: error.get("details").map(ToString::to_string).unwrap_or_default(),
        }
    }

    fn code(&self) -> Option<String> {
        self.words.first().cloned()
    }

    fn status(&self) -> Option<u16> {
        self.number.filter(|number| (400..600).contains(number))
    }

    fn is(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.iter().any(|known| word.eq_ignore_ascii_case(known)))
    }

    fn says(&self, phrases: &[&str]) -> bool {
        let message = self.message.as_deref().unwrap_or_default().to_lowercase();
        phrases.iter().any(|phrase| message.contains(phrase))
    }

    /// The provider's decoder failed on the model's own words; another sample may pass.
    fn again(&self) -> Option<bool> {
        self.is(&["json_validate_failed", "tool_use_failed"]).then_some(true)
    }

    fn kind(&self, status: Option<u16>) -> LlmErrorKind {
        use LlmErrorKind as Kind;
        if self.is_quota(status) {
            return Kind::Quota;
        }
        if self.again().is_some() {
            return Kind::Malformed;
        }
        if self.is(&["context_length_exceeded", "exceed_context_size_error", "request_too_large"])
            || self.says(&["prompt is too long", "exceeds the context", "maximum context length"])
        {
            return Kind::TooLarge;
        }
        if self.is(&["content_filter", "content_policy_violation"]) {
            return Kind::Refused;
        }
        if self.is(&["API_KEY_INVALID", "invalid_api_key", "authentication_error", "UNAUTHENTICATED"]) {
            return Kind::Auth;
        }
        match status {
            Some(300..=399) => Kind::Endpoint,
            Some(401 | 403 | 407) => Kind::Auth,
            Some(404 | 405) => Kind::NotFound,
            Some(408 | 504) => Kind::Timeout,
            // 499: the server took its own question for withdrawn, as Ollama does when it changes models.
            Some(409 | 499) => Kind::Server,
            Some(413) => Kind::TooLarge,
            Some(429 | 498) => Kind::RateLimited,
            Some(503 | 529) => Kind::Overloaded,
            Some(501) => Kind::BadRequest,
            Some(500..=599) => Kind::Server,
            Some(_) => Kind::BadRequest,
            None => self.kind_by_word(),
        }
    }

    /// Errors inside a stream have no status.
    fn kind_by_word(&self) -> LlmErrorKind {
        use LlmErrorKind as Kind;
        if self.is(&["overloaded_error", "overloaded", "unavailable_error", "UNAVAILABLE"]) {
            Kind::Overloaded
        } else if self.is(&["rate_limit_error", "rate_limit_exceeded", "RESOURCE_EXHAUSTED"]) {
            Kind::RateLimited
        } else if self.is(&["invalid_request_error", "INVALID_ARGUMENT", "not_supported_error"]) {
            Kind::BadRequest
        } else if self.is(&["permission_error", "PERMISSION_DENIED"]) {
            Kind::Auth
        } else if self.is(&["not_found_error", "NOT_FOUND"]) {
            Kind::NotFound
        } else if self.is(&["timeout_error", "DEADLINE_EXCEEDED"]) {
            Kind::Timeout
        } else if self.says(&["overloaded", "server busy"]) {
            Kind::Overloaded
        } else {
            Kind::Server
        }
    }

    fn is_quota(&self, status: Option<u16>) -> bool {
        const WORDS: [&str; 8] = [
            "insufficient_quota",
            "quota_exceeded",
            "credit_balance_exhausted",
            "billing_hard_limit_reached",
            "enforced_spend_limit_reached",
            "contract_spend_limit_reached",
            "billing_error",
            "insufficient_credits",
        ];
        status == Some(402)
            || self.is(&WORDS)
            || (status.or(self.number) == Some(429) && self.details.contains("PerDay"))
            || self.says(&[
                "credit balance is too low",
                "exceeded your current quota, please check your plan and billing",
            ]) && !self.details.contains("PerMinute")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use LlmErrorKind as Kind;

    #[test]
    fn every_form_of_a_refusal_has_its_kind_code_and_words() {
        let cases = [
            (
                400,
                json!({"error": {"message": "m", "type": "invalid_request_error", "code": "unsupported_value"}}),
                Kind::BadRequest,
                "unsupported_value",
            ),
            (
                400,
                json!({"error": {"message": "m", "code": "context_length_exceeded"}}),
                Kind::TooLarge,
                "context_length_exceeded",
            ),
            (
                400,
                json!({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "m", "details": [{"reason": "API_KEY_INVALID"}]}}),
                Kind::Auth,
                "API_KEY_INVALID",
            ),
            (
                400,
                json!([{"error": {"code": 400, "status": "FAILED_PRECONDITION", "message": "m"}}]),
                Kind::BadRequest,
                "FAILED_PRECONDITION",
            ),
            (
                400,
                json!({"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low"}}),
                Kind::Quota,
                "invalid_request_error",
            ),
            (
                401,
                json!({"type": "error", "error": {"type": "authentication_error", "message": "m"}}),
                Kind::Auth,
                "authentication_error",
            ),
            (402, json!({"error": {"code": 402, "message": "m"}}), Kind::Quota, ""),
            (
                403,
                json!({"error": {"message": "m", "code": "insufficient_quota"}}),
                Kind::Quota,
                "insufficient_quota",
            ),
            (403, json!({"detail": "m"}), Kind::Auth, ""),
            (404, json!({"error": "m"}), Kind::NotFound, ""),
            (408, json!({"message": "m"}), Kind::Timeout, ""),
            (409, json!({"error": {"message": "m"}}), Kind::Server, ""),
            (
                413,
                json!({"error": {"type": "request_too_large", "message": "m"}}),
                Kind::TooLarge,
                "request_too_large",
            ),
            (
                429,
                json!({"error": {"message": "m", "type": "tokens", "code": "rate_limit_exceeded"}}),
                Kind::RateLimited,
                "rate_limit_exceeded",
            ),
            (
                429,
                json!({"error": {"message": "m", "code": "insufficient_quota"}}),
                Kind::Quota,
                "insufficient_quota",
            ),
            (
                429,
                json!({"error": {"message": "m", "details": {"error_code": "enforced_spend_limit_reached"}}}),
                Kind::Quota,
                "enforced_spend_limit_reached",
            ),
            (
                429,
                json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "m", "details": [{"violations": [{"quotaId": "RequestsPerDayPerProject"}]}]}}),
                Kind::Quota,
                "RESOURCE_EXHAUSTED",
            ),
            (
                429,
                json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "m", "details": [{"violations": [{"quotaId": "RequestsPerMinute"}]}]}}),
                Kind::RateLimited,
                "RESOURCE_EXHAUSTED",
            ),
            (500, json!({"error": {"message": "m"}}), Kind::Server, ""),
            (
                503,
                json!({"error": {"code": 503, "message": "m", "type": "unavailable_error"}}),
                Kind::Overloaded,
                "unavailable_error",
            ),
            (
                529,
                json!({"error": {"type": "overloaded_error", "message": "m"}}),
                Kind::Overloaded,
                "overloaded_error",
            ),
            (302, json!(null), Kind::Endpoint, ""),
        ];
        for (status, body, kind, code) in cases {
            let told = Told::read(&body);
            let seen = (told.kind(Some(status)), told.code().unwrap_or_default());
            assert_eq!(seen, (kind, code.to_owned()), "{status} {body}");
        }
    }

    #[test]
    fn an_error_inside_a_stream_is_read_by_its_words() {
        let kind = |value: Value| in_stream("p", &value).map(|error| (error.kind, error.message));
        let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}});
        assert_eq!(kind(overloaded), Some((Kind::Overloaded, "busy".to_owned())));
        let routed = json!({"error": {"code": 502, "message": "down"}, "choices": []});
        assert_eq!(kind(routed), Some((Kind::Server, "down".to_owned())));
        assert_eq!(kind(json!({"error": "runner died"})), Some((Kind::Server, "runner died".to_owned())));
        assert_eq!(kind(json!({"choices": []})), None);
        assert_eq!(kind(json!({"error": null, "choices": []})), None);
    }

    #[test]
    fn a_key_that_is_cut_off_is_taken_out_as_well() {
        for (text, expected) in [
            ("you sent not-a-kno…", "you sent [redacted]…"),
            ("you sent not-a-known-shape…", "you sent [redacted]…"),
            ("you did not…", "you did not…"),
            ("you sent not-a-kno", "you sent not-a-kno"),
        ] {
            assert_eq!(without(text, "not-a-known-shape"), expected);
        }
    }

    #[test]
    fn a_key_that_comes_back_in_an_error_is_taken_out_whatever_its_shape() {
        let config = RemoteConfig::new("http://localhost", "m").with_key("not-a-known-shape");
        let error = LlmError::new(Kind::Auth, "p", "bad key not-a-known-shape")
            .with_code("not-a-known-shape")
            .with_request_id("not-a-known-shape");

        let seen = Secrets::of(&config).clean(error);

        assert!(
            !format!("{seen} {seen:?} {:?}", Secrets::of(&config)).contains("not-a-known-shape"),
            "{seen}"
        );
    }
}
