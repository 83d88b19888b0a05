//! Errors on one line.

use std::error::Error;

/// An error with its causes on one line, outermost first: `cannot read a.toml: permission denied`.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::types::with_causes;
/// let error = std::io::Error::other("the disk is full");
/// assert_eq!(with_causes(&error), "the disk is full");
/// ```
#[must_use]
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
