//! What a broken conversation with a node says about the world.

use ln_agent_core::tool::{Effect, ToolError, ToolErrorKind};
use serde_json::Value;

/// The most that is read of one answer, in bytes. lightningd's longest real answers are a few MiB.
pub(crate) const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// The most that is shown of a node's own message, in characters.
const MAX_MESSAGE_CHARS: usize = 600;

/// The request did not leave.
pub(crate) fn unreachable(message: impl Into<String>) -> ToolError {
    ToolError::new(ToolErrorKind::Unreachable, message)
}

/// The request left and no usable answer came. A read may be repeated; for anything else the outcome is unknown.
pub(crate) fn lost(effect: Effect, message: impl AsRef<str>) -> ToolError {
    let message = message.as_ref();
    if effect.changes_state() {
        ToolError::new(
            ToolErrorKind::Unknown,
            format!(
                "{message}; the request was sent, so it may have been carried out: look before repeating it"
            ),
        )
    } else {
        ToolError::new(ToolErrorKind::Unreachable, message)
    }
}

/// The node's own error object.
pub(crate) fn rpc_error(who: &str, method: &str, error: &Value) -> ToolError {
    let code = error.get("code").and_then(Value::as_i64);
    let message = error.get("message").and_then(Value::as_str).unwrap_or("no message");
    let shown = one_line(message);
    let text = match code {
        Some(code) => format!("{who} refused {method}: {shown} (code {code})"),
        None => format!("{who} refused {method}: {shown}"),
    };
    ToolError { kind: ToolErrorKind::Failed, message: text, code }
}

/// The first lines of a message on one line; bitcoind answers a wrong number of parameters with its help text.
fn one_line(message: &str) -> String {
    let joined = message.split_whitespace().collect::<Vec<_>>().join(" ");
    if joined.chars().count() <= MAX_MESSAGE_CHARS {
        return joined;
    }
    joined.chars().take(MAX_MESSAGE_CHARS).chain(['…']).collect()
}
