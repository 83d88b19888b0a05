//! Small readings that every dialect shares.

use serde_json::Value;

use crate::llm::schema::{Dialect, lower};
use crate::llm::{LlmError, LlmErrorKind};

/// A text, or the texts of a list of parts, one after another.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part.get("text").unwrap_or(part).as_str()).collect()
        }
        _ => String::new(),
    }
}

/// A count of tokens; what is absent or odd counts as none.
pub(crate) fn tokens(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

/// A schema in the words that a dialect knows.
///
/// # Errors
///
/// [`LlmErrorKind::BadRequest`] for a schema that it cannot hold at all: nothing is sent then, rather than a request
/// that promises less than it seems to.
pub(crate) fn lowered(provider: &str, schema: &Value, dialect: Dialect) -> Result<Value, LlmError> {
    lower(schema, dialect)
        .map_err(|error| LlmError::new(LlmErrorKind::BadRequest, provider, error.to_string()))
}

/// A temperature as it was written: 0.1 and not 0.10000000149.
pub(crate) fn temperature(value: f32) -> Value {
    value.to_string().parse::<f64>().map_or(Value::Null, Value::from)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_temperature_is_sent_as_it_was_written() {
        assert_eq!(
            json!([temperature(0.1), temperature(0.0), temperature(1.5)]).to_string(),
            "[0.1,0.0,1.5]"
        );
    }

    #[test]
    fn a_text_may_come_in_parts() {
        assert_eq!(text_of(&json!([{"type": "text", "text": "a"}, "b", {"type": "image"}])), "ab");
        assert_eq!(text_of(&json!(null)), "");
    }
}
