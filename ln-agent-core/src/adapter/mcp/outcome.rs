//! What a reply, or its absence, says about the world.

use std::time::Duration;

use rmcp::model::CallToolResult;
use rmcp::service::ServiceError;
use serde_json::Value;

use crate::tool::{Effect, ToolError, ToolErrorKind};

/// The payload of a result envelope, or the tool's error.
pub(super) fn payload(name: &str, result: CallToolResult) -> Result<Value, ToolError> {
    let failed = result.is_error == Some(true);
    let declared = result.meta.as_ref().and_then(|meta| meta.0.get("ln-agent/error").cloned());
    let envelope = result.structured_content.or_else(|| text(&result.content));
    if failed {
        if let Some(error) = declared.and_then(|error| serde_json::from_value(error).ok()) {
            return Err(error);
        }
        let message = envelope.as_ref().and_then(|e| e.get("error")).and_then(Value::as_str);
        let message = message.map_or_else(|| format!("tool `{name}` failed"), str::to_owned);
        return Err(ToolError::new(ToolErrorKind::Failed, message));
    }
    match envelope {
        Some(Value::Object(mut envelope)) if envelope.get("ok") == Some(&Value::Bool(true)) => {
            Ok(envelope.shift_remove("payload").unwrap_or_default())
        }
        // A stranger's tool has no envelope of ours; its content is the payload.
        Some(other) => Ok(other),
        None => Ok(Value::Null),
    }
}

/// The conversation broke while the call was under way.
pub(super) fn broken(name: &str, error: &ServiceError, effect: Effect, last_words: &str) -> ToolError {
    match error {
        // The server refused the request itself; the tool did not run.
        ServiceError::McpError(refusal) => {
            ToolError::new(ToolErrorKind::InvalidArguments, refusal.message.to_string())
        }
        other => ToolError::new(
            after(effect, ToolErrorKind::Unreachable),
            format!("the tool server broke off during `{name}` ({other}; {last_words})"),
        ),
    }
}

/// No reply came in time.
pub(super) fn too_late(name: &str, deadline: Duration, effect: Effect) -> ToolError {
    let secs = deadline.as_secs();
    ToolError::new(
        after(effect, ToolErrorKind::Failed),
        format!("tool `{name}` did not answer within {secs} s (MCP_CALL_TIMEOUT_S sets the deadline)"),
    )
}

/// A read that got no answer merely failed; anything else may have happened.
const fn after(effect: Effect, read: ToolErrorKind) -> ToolErrorKind {
    if effect.changes_state() { ToolErrorKind::Unknown } else { read }
}

/// The first text that is JSON.
fn text(content: &[rmcp::model::ContentBlock]) -> Option<Value> {
    let texts = content.iter().filter_map(|block| block.as_text());
    let mut plain = None;
    for text in texts {
        match serde_json::from_str(&text.text) {
            Ok(value) => return Some(value),
            Err(_) => plain = plain.or(Some(Value::String(text.text.clone()))),
        }
    }
    plain
}
