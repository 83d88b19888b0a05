//! The `chat` span of one model call.

use opentelemetry::{Array, KeyValue, StringValue, Value};
use tracing::Span;
use tracing::field::Empty;
use tracing_opentelemetry::OpenTelemetrySpanExt;

use super::traced::Endpoint;
use super::{TARGET, content, names};
use crate::llm::{LlmError, LlmErrorKind, LlmRequest, LlmResponse};

/// Opens the span, with everything that is known before the call.
pub(super) fn open(endpoint: &Endpoint, request: &LlmRequest, stream: bool) -> Span {
    let span = tracing::info_span!(
        target: TARGET,
        "chat",
        otel.name = format!("chat {}", endpoint.model),
        otel.kind = "client",
        otel.status_code = Empty,
        { names::ERROR_TYPE } = Empty,
        { names::OPERATION_NAME } = "chat",
        { names::PROVIDER_NAME } = endpoint.provider,
        { names::REQUEST_MODEL } = endpoint.model,
        { names::REQUEST_MAX_TOKENS } = i64::from(request.max_output_tokens),
        { names::REQUEST_TEMPERATURE } = shortest(request.temperature),
        { names::REQUEST_STREAM } = stream,
        { names::OUTPUT_TYPE } = if request.response_schema.is_some() { "json" } else { "text" },
        { names::CONVERSATION_ID } = Empty,
        { names::SERVER_ADDRESS } = Empty,
        { names::SERVER_PORT } = Empty,
        { names::RESPONSE_ID } = Empty,
        { names::RESPONSE_MODEL } = Empty,
        { names::RESPONSE_TIME_TO_FIRST_CHUNK } = Empty,
        { names::USAGE_INPUT_TOKENS } = Empty,
        { names::USAGE_OUTPUT_TOKENS } = Empty,
        { names::USAGE_CACHE_READ_INPUT_TOKENS } = Empty,
    );
    if let Some(id) = &endpoint.conversation {
        span.record(names::CONVERSATION_ID, id.as_str());
    }
    if let Some((address, port)) = &endpoint.server {
        span.record(names::SERVER_ADDRESS, address.as_str());
        span.record(names::SERVER_PORT, i64::from(*port));
    }
    if endpoint.content {
        span.set_attribute(names::SYSTEM_INSTRUCTIONS, content::system(request));
        span.set_attribute(names::INPUT_MESSAGES, content::input(request));
        if !request.tools.is_empty() {
            span.set_attribute(names::TOOL_DEFINITIONS, content::tools(request));
        }
    }
    span
}

/// Notes what came back.
pub(super) fn close(span: &Span, endpoint: &Endpoint, outcome: &Result<LlmResponse, LlmError>) {
    let response = match outcome {
        Ok(response) => response,
        Err(error) => {
            span.record(names::ERROR_TYPE, error_type(error));
            span.record("otel.status_code", "ERROR");
            return;
        }
    };
    if let Some(id) = &response.request_id {
        span.record(names::RESPONSE_ID, id.as_str());
    }
    if let Some(model) = &response.model {
        span.record(names::RESPONSE_MODEL, model.as_str());
    }
    if let Some(reason) = &response.finish_reason {
        // `tracing` has no lists.
        let reasons = Array::String(vec![StringValue::from(reason.clone())]);
        span.set_attribute(names::RESPONSE_FINISH_REASONS, Value::Array(reasons));
    }
    span.record(names::USAGE_INPUT_TOKENS, whole(response.usage.prompt_tokens));
    span.record(names::USAGE_OUTPUT_TOKENS, whole(response.usage.output_tokens));
    if response.usage.cached_tokens > 0 {
        span.record(names::USAGE_CACHE_READ_INPUT_TOKENS, whole(response.usage.cached_tokens));
    }
    if endpoint.content {
        span.set_attribute(names::OUTPUT_MESSAGES, content::output(response));
    }
}

/// Attributes of the metrics of one call.
pub(super) fn attributes(endpoint: &Endpoint, outcome: &Result<LlmResponse, LlmError>) -> Vec<KeyValue> {
    let mut attributes = vec![
        KeyValue::new(names::OPERATION_NAME, "chat"),
        KeyValue::new(names::PROVIDER_NAME, endpoint.provider.clone()),
        KeyValue::new(names::REQUEST_MODEL, endpoint.model.clone()),
    ];
    if let Some((address, port)) = &endpoint.server {
        attributes.push(KeyValue::new(names::SERVER_ADDRESS, address.clone()));
        attributes.push(KeyValue::new(names::SERVER_PORT, i64::from(*port)));
    }
    match outcome {
        Ok(response) => {
            attributes
                .extend(response.model.clone().map(|model| KeyValue::new(names::RESPONSE_MODEL, model)));
        }
        Err(error) => attributes.push(KeyValue::new(names::ERROR_TYPE, error_type(error))),
    }
    attributes
}

/// The HTTP status if there is one, else the kind of failure.
pub(super) fn error_type(error: &LlmError) -> String {
    if let Some(status) = error.status {
        return status.to_string();
    }
    let kind = match error.kind {
        LlmErrorKind::Disabled => "disabled",
        LlmErrorKind::Auth => "auth",
        LlmErrorKind::Quota => "quota",
        LlmErrorKind::RateLimited => "rate_limited",
        LlmErrorKind::Overloaded => "overloaded",
        LlmErrorKind::Server => "server",
        LlmErrorKind::Timeout => "timeout",
        LlmErrorKind::Network => "network",
        LlmErrorKind::Endpoint => "endpoint",
        LlmErrorKind::BadRequest => "bad_request",
        LlmErrorKind::NotFound => "not_found",
        LlmErrorKind::TooLarge => "too_large",
        LlmErrorKind::Refused => "refused",
        LlmErrorKind::Malformed => "malformed",
        LlmErrorKind::CircuitOpen => "circuit_open",
        LlmErrorKind::LimitExceeded => "limit_exceeded",
        LlmErrorKind::Replay => "replay",
        LlmErrorKind::Other => "_OTHER",
    };
    kind.to_owned()
}

/// OpenTelemetry's integers are signed.
pub(super) fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The double that prints like this number: 0.2, not 0.200000003.
fn shortest(number: f32) -> f64 {
    number.to_string().parse().unwrap_or_else(|_| f64::from(number))
}
