use serde_json::{Map, Value, json};
use thiserror::Error;

/// A refusal with Core Lightning's code and words.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{message} (code {code})")]
pub struct RpcError {
    /// Core Lightning's error code, such as 205 for a payment without a route.
    pub code: i64,
    /// Core Lightning's words for it.
    pub message: String,
    /// What some errors carry beside code and message.
    pub data: Option<Value>,
}

impl RpcError {
    /// An error of this code and text.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// Adds the member `data`.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// A parameter that has the wrong form: -32602, naming it and what was sent.
    pub(crate) fn invalid(name: &str, expected: &str, got: &Value) -> Self {
        Self::new(-32602, format!("{name}: {expected}: invalid token '{got}'"))
    }

    /// Any other fault of the parameters: -32602.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }

    /// The error object as it goes over the wire.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("code".to_owned(), json!(self.code));
        object.insert("message".to_owned(), json!(self.message));
        if let Some(data) = &self.data {
            object.insert("data".to_owned(), data.clone());
        }
        Value::Object(object)
    }
}
