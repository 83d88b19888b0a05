//! Request headers, checked without ever repeating their values: they may be secrets.

use ln_agent_core::tool::{ToolError, ToolErrorKind};
use ln_agent_core::types::Object;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

/// The headers of this object of texts.
pub(super) fn checked(headers: &Object) -> Result<HeaderMap, ToolError> {
    let mut map = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        let wrong = |expected: &str| {
            let message = format!("argument `headers`: {name:?} {expected}");
            ToolError::new(ToolErrorKind::InvalidArguments, message)
        };
        let header: HeaderName = name.parse().map_err(|_| wrong("is not a header name"))?;
        if OURS.contains(&header.as_str()) {
            return Err(wrong("is set by the connection itself: leave it out"));
        }
        let text = value.as_str().ok_or_else(|| wrong("has a value that is not a text"))?;
        let mut value =
            HeaderValue::from_str(text).map_err(|_| wrong("has a value with control characters"))?;
        value.set_sensitive(true);
        map.insert(header, value);
    }
    Ok(map)
}

/// A foreign `host` would get around the allow-list, the others would break the framing.
const OURS: [&str; 6] = ["host", "content-length", "transfer-encoding", "connection", "upgrade", "te"];
