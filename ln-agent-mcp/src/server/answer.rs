//! A tool's outcome as a result of `tools/call`.

use ln_agent_core::tool::{ToolError, ToolErrorKind};
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Value, json};

use super::page::{Cursor, PageError, page};

/// The envelope `{ok: true, payload}` as structured content and as text, cut to `limit` bytes.
pub(super) fn success(payload: Value, cursor: Option<&Cursor>, limit: usize) -> CallToolResult {
    let page = match page(payload, cursor, limit) {
        Ok(page) => page,
        Err(error) => return refusal(&error),
    };
    let envelope = json!({ "ok": true, "payload": page.payload });
    let mut content = vec![ContentBlock::text(envelope.to_string())];
    content.extend(page.note.map(ContentBlock::text));
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(envelope);
    if let Some(next) = page.next {
        result.meta = Some(meta("ln-agent/nextCursor", json!(next)));
    }
    result
}

/// The envelope `{ok: false, error, payload: null}`, marked as an error that a model can read. What it says about
/// the world goes beside it, so that our own client need not read prose.
pub(super) fn failure(error: &ToolError) -> CallToolResult {
    let envelope = json!({ "ok": false, "error": error.message, "payload": null });
    let mut result = CallToolResult::error(vec![ContentBlock::text(envelope.to_string())]);
    result.structured_content = Some(envelope);
    result.meta = Some(meta("ln-agent/error", json!(error)));
    result
}

fn refusal(error: &PageError) -> CallToolResult {
    let kind = match error {
        PageError::BadCursor(_) => ToolErrorKind::InvalidArguments,
        PageError::TooLarge { .. } => ToolErrorKind::Failed,
    };
    failure(&ToolError::new(kind, error.to_string()))
}

fn meta(key: &str, value: Value) -> MetaObject {
    let mut meta = MetaObject::new();
    meta.0.insert(key.to_owned(), value);
    meta
}
