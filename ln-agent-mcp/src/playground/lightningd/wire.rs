//! How requests and answers look on a node's socket.

use serde_json::{Map, Value, json};

use super::error::RpcError;

/// A well-formed request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    /// Echoed as it came.
    pub(crate) id: Value,
    pub(crate) method: String,
    pub(crate) params: Value,
    /// Keeps only these members of the result.
    filter: Option<Value>,
}

/// What is wrong with a message, and to whom to say it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    id: Value,
    error: Box<RpcError>,
}

/// Cuts the bytes of a connection into JSON values, wherever they were split.
#[derive(Debug, Default)]
pub(crate) struct Frames(Vec<u8>);

impl Frames {
    /// Adds what was read.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// The next whole request. `None` if more bytes are needed; after an `Err` with `true` the connection is to be
    /// closed, because what follows cannot be told apart.
    pub(crate) fn next(&mut self) -> Option<Result<Request, (Refusal, bool)>> {
        let mut values = serde_json::Deserializer::from_slice(&self.0).into_iter::<Value>();
        let parsed = values.next()?;
        let end = values.byte_offset();
        match parsed {
            Ok(value) => {
                let text = String::from_utf8_lossy(&self.0[..end]).trim().to_owned();
                self.0.drain(..end);
                Some(Request::read(value, &text).map_err(|refusal| (refusal, false)))
            }
            Err(error) if error.is_eof() => None,
            Err(_) => {
                let text = String::from_utf8_lossy(&std::mem::take(&mut self.0)).trim().to_owned();
                let error = RpcError::new(-32600, format!("Failed to parse RPC JSON response '{text}'"));
                Some(Err((Refusal { id: Value::Null, error: error.into() }, true)))
            }
        }
    }
}

impl Request {
    fn read(value: Value, text: &str) -> Result<Self, Refusal> {
        let refuse =
            |id: Value, code, message: String| Refusal { id, error: RpcError::new(code, message).into() };
        let Value::Object(mut members) = value else {
            return Err(refuse(Value::Null, -32600, no_version(text)));
        };
        if !members.contains_key("jsonrpc") {
            return Err(refuse(Value::Null, -32600, no_version(text)));
        }
        let Some(id) = members.remove("id") else {
            return Err(refuse(Value::Null, -32600, "No id".to_owned()));
        };
        let method = match members.remove("method") {
            Some(Value::String(method)) => method,
            Some(_) => return Err(refuse(id, -32600, "Expected string for method".to_owned())),
            None => return Err(refuse(id, -32600, "No method".to_owned())),
        };
        match members.remove("params") {
            None => Err(refuse(id, -32600, "No params".to_owned())),
            Some(params @ (Value::Object(_) | Value::Array(_))) => {
                Ok(Self { id, method, params, filter: members.remove("filter") })
            }
            Some(_) => Err(refuse(id, -32602, "Expected array or object for params".to_owned())),
        }
    }

    /// The answer to this request, ready to be written.
    pub(crate) fn answer(&self, outcome: Result<Value, RpcError>) -> Vec<u8> {
        match outcome {
            Ok(result) => {
                let result = match &self.filter {
                    Some(filter) => filtered(result, filter),
                    None => result,
                };
                frame(&json!({"jsonrpc": "2.0", "id": self.id, "result": result}))
            }
            Err(error) => Refusal { id: self.id.clone(), error: error.into() }.to_frame(),
        }
    }
}

impl Refusal {
    /// The error as it goes over the wire.
    pub(crate) fn to_frame(&self) -> Vec<u8> {
        frame(&json!({"jsonrpc": "2.0", "id": self.id, "error": self.error.to_json()}))
    }
}

fn no_version(text: &str) -> String {
    format!("JSON-RPC message does not contain \"jsonrpc\" field: '{text}'")
}

fn frame(value: &Value) -> Vec<u8> {
    format!("{value}\n\n").into_bytes()
}

/// Keeps what `filter` names: `true` keeps a member whole, an object or a one-element array goes deeper.
fn filtered(value: Value, filter: &Value) -> Value {
    match (value, filter) {
        (Value::Object(members), Value::Object(wanted)) => {
            let kept: Map<String, Value> = members
                .into_iter()
                .filter_map(|(name, member)| wanted.get(&name).map(|filter| (name, filtered(member, filter))))
                .collect();
            Value::Object(kept)
        }
        (Value::Array(items), Value::Array(wanted)) => match wanted.first() {
            Some(filter) => items.into_iter().map(|item| filtered(item, filter)).collect(),
            None => Value::Array(items),
        },
        (value, _) => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(bytes: &str) -> String {
        let mut frames = Frames::default();
        frames.push(bytes.as_bytes());
        match frames.next().unwrap() {
            Ok(request) => {
                String::from_utf8(request.answer(Ok(json!({"a": 1, "b": [{"c": 2, "d": 3}]})))).unwrap()
            }
            Err((refusal, _)) => String::from_utf8(refusal.to_frame()).unwrap(),
        }
    }

    #[test]
    fn malformed_requests_are_refused_in_core_lightnings_words() {
        let answers = [
            r#"{"jsonrpc":"2.0","id":1,"params":{}}"#,
            r#"{"jsonrpc":"2.0","method":"getinfo","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"listpeers"}"#,
            r#"{"id":"x","method":"listpeers","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":5,"params":[]}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"listpeers","params":"x"}"#,
        ]
        .map(one);

        assert_eq!(
            answers,
            [
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,\"message\":\"No method\"}}\n\n",
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"No id\"}}\n\n",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,\"message\":\"No params\"}}\n\n",
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"JSON-RPC message does not contain \\\"jsonrpc\\\" field: '{\\\"id\\\":\\\"x\\\",\\\"method\\\":\\\"listpeers\\\",\\\"params\\\":{}}'\"}}\n\n",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,\"message\":\"Expected string for method\"}}\n\n",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"Expected array or object for params\"}}\n\n",
            ]
        );
    }

    #[test]
    fn requests_are_cut_out_of_any_split_of_the_bytes() {
        let bytes = br#"{"jsonrpc":"2.0","id":"a","method":"x","params":[]}
            {"jsonrpc":"2.0","id":2,"method":"y","params":{"k":"}{"}}"#;
        let mut frames = Frames::default();

        let mut methods = Vec::new();
        for byte in bytes {
            frames.push(&[*byte]);
            while let Some(request) = frames.next() {
                methods.push(request.unwrap().method);
            }
        }

        assert_eq!(methods, ["x", "y"]);
    }

    #[test]
    fn bad_json_is_answered_and_ends_the_connection() {
        let mut frames = Frames::default();
        frames.push(b"{not json}");

        let (refusal, close) = frames.next().unwrap().unwrap_err();

        assert!(close);
        assert_eq!(refusal.error.message, "Failed to parse RPC JSON response '{not json}'");
    }

    #[test]
    fn a_filter_keeps_only_what_it_names() {
        let answer = one(r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{},"filter":{"b":[{"d":true}]}}"#);

        assert_eq!(answer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"b\":[{\"d\":3}]}}\n\n");
    }
}
