use serde_json::{Map, Value, json};

use super::answer::Answer;
use crate::playground::chain::{Res, RpcErr};

/// One request of a body, as far as it could be read.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: Res<(String, Value)>,
    id: Option<Value>,
    is_v2: bool,
}

/// What a request turned into: HTTP status and body; a notification has no body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) body: Option<String>,
}

impl Request {
    /// Reads one element; `previous` is the id that an element which is no object inherits, as in bitcoind.
    pub(super) fn read(value: Value, previous: &Value) -> Self {
        let Value::Object(mut fields) = value else {
            let method = Err(RpcErr::new(-32600, "Invalid Request object"));
            return Self { method, id: Some(previous.clone()), is_v2: false };
        };
        let is_v2 = fields.get("jsonrpc").and_then(Value::as_str) == Some("2.0");
        let id = fields.remove("id");
        Self {
            method: method(&mut fields),
            id: if is_v2 { id } else { Some(id.unwrap_or(Value::Null)) },
            is_v2,
        }
    }

    /// The reply to a body that holds no request.
    pub(super) fn unreadable(message: &str) -> Self {
        Self { method: Err(RpcErr::new(-32700, message)), id: Some(Value::Null), is_v2: false }
    }

    pub(super) fn id(&self) -> Value {
        self.id.clone().unwrap_or(Value::Null)
    }

    pub(super) fn reply(&self, outcome: Res<Answer>) -> Reply {
        let Some(id) = &self.id else { return Reply { status: 204, body: None } };
        let status = match &outcome {
            Ok(_) => 200,
            Err(_) if self.is_v2 => 200,
            Err(error) if error.code == -32601 => 404,
            Err(error) if error.code == -32600 => 400,
            Err(_) => 500,
        };
        Reply { status, body: Some(envelope(self.is_v2, outcome, id)) }
    }
}

fn method(fields: &mut Map<String, Value>) -> Res<(String, Value)> {
    let invalid = |message| RpcErr::new(-32600, message);
    let method = match fields.remove("method") {
        None | Some(Value::Null) => return Err(invalid("Missing method")),
        Some(Value::String(method)) => method,
        Some(_) => return Err(invalid("Method must be a string")),
    };
    match fields.remove("params").unwrap_or(Value::Null) {
        params @ (Value::Null | Value::Array(_) | Value::Object(_)) => Ok((method, params)),
        _ => Err(invalid("Params must be an array or object")),
    }
}

fn envelope(is_v2: bool, outcome: Res<Answer>, id: &Value) -> String {
    let (result, error) = match outcome {
        Ok(answer) => (answer.to_text(), None),
        Err(error) => ("null".to_owned(), Some(json!({"code": error.code, "message": error.message}))),
    };
    match (is_v2, error) {
        (true, None) => format!(r#"{{"jsonrpc":"2.0","result":{result},"id":{id}}}"#),
        (true, Some(error)) => format!(r#"{{"jsonrpc":"2.0","error":{error},"id":{id}}}"#),
        (false, None) => format!(r#"{{"result":{result},"error":null,"id":{id}}}"#),
        (false, Some(error)) => format!(r#"{{"result":null,"error":{error},"id":{id}}}"#),
    }
}

/// A body's elements, and whether it is a batch.
pub(super) fn split(body: &[u8]) -> Result<(Vec<Value>, bool), &'static str> {
    match serde_json::from_slice(body) {
        Ok(Value::Array(items)) => Ok((items, true)),
        Ok(item @ Value::Object(_)) => Ok((vec![item], false)),
        Ok(_) => Err("Top-level object parse error"),
        Err(_) => Err("Parse error"),
    }
}
