//! Small readings that every dialect shares.

use serde_json::Value;

use crate::llm::reply::object;
use crate::llm::schema::{Dialect, lower};
use crate::llm::{LlmError, LlmErrorKind, ToolCall};
use crate::types::Object;

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

/// A schema that the provider does not enforce, as an instruction. It has the word that JSON modes ask for.
pub(crate) fn schema_in_words(schema: &Value) -> String {
    format!("Answer with one JSON object that fulfils this JSON schema, and nothing else:\n{schema}")
}

/// A tool call as OpenAI writes it, and Ollama with it.
pub(crate) fn function_call(provider: &str, call: &Value) -> Result<ToolCall, LlmError> {
    let function = &call["function"];
    let name = function["name"].as_str().unwrap_or_default();
    Ok(ToolCall {
        id: call["id"].as_str().filter(|id| !id.is_empty()).map(str::to_owned),
        name: name.to_owned(),
        args: arguments(provider, name, &function["arguments"])?,
    })
}

/// A temperature as it was written: 0.1 and not 0.10000000149.
pub(crate) fn temperature(value: f32) -> Value {
    value.to_string().parse::<f64>().map_or(Value::Null, Value::from)
}

/// The arguments of a tool call: an object, or a text that holds one, as the protocol has it; servers mix them up,
/// and send nothing for none.
pub(crate) fn arguments(provider: &str, tool: &str, value: &Value) -> Result<Object, LlmError> {
    let text = match value {
        Value::Object(object) => return Ok(object.clone()),
        // Some models write the text of the text.
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| text.trim().to_owned()),
        other => other.to_string(),
    };
    if text.is_empty() || text == "null" {
        return Ok(Object::new());
    }
    object(&text).map_err(|error| {
        let message = format!("the arguments of its call of `{tool}` cannot be read: {error}");
        LlmError::new(LlmErrorKind::Malformed, provider, message)
    })
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
    fn arguments_may_be_an_object_or_a_text_that_holds_one() {
        let read = |value| arguments("p", "t", &value).map(Value::Object).map_err(|error| error.to_string());
        for value in [json!({"a": 1}), json!("{\"a\":1}"), json!(" {\"a\": 1} "), json!("\"{\\\"a\\\":1}\"")]
        {
            assert_eq!(read(value), Ok(json!({"a": 1})));
        }
        for value in [json!(null), json!(""), json!("null"), json!("{}")] {
            assert_eq!(read(value), Ok(json!({})));
        }
        for value in [json!([1]), json!("[1]"), json!(5), json!("{\"a\":")] {
            let told = read(value.clone()).unwrap_err();
            let expected = "p: unreadable answer: the arguments of its call of `t` cannot be read: ";
            assert!(told.starts_with(expected), "{value}: {told}");
        }
    }

    #[test]
    fn a_text_may_come_in_parts() {
        assert_eq!(text_of(&json!([{"type": "text", "text": "a"}, "b", {"type": "image"}])), "ab");
        assert_eq!(text_of(&json!(null)), "");
    }
}
