//! A bitcoind of recorded answers behind a real socket, for tests.

use std::sync::{Arc, Mutex};

use ln_agent_core::tool::{ToolError, TypedTool, typed};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{Credentials, Nodes, NodesConfig};

/// One answer bitcoind gave.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) status: u16,
    pub(crate) result: Value,
    error: Value,
    raw: Option<&'static str>,
}

/// The connection is closed instead of an answer.
pub(crate) const HANG_UP: Recorded =
    Recorded { status: 0, result: Value::Null, error: Value::Null, raw: None };

/// A body that is not JSON.
pub(crate) const fn raw(status: u16, body: &'static str) -> Recorded {
    Recorded { status, result: Value::Null, error: Value::Null, raw: Some(body) }
}

/// The answer in this file of `tests/fixtures/bitcoind`.
pub(crate) fn recorded(name: &str) -> Recorded {
    let path = format!("{}/tests/fixtures/bitcoind/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let status = u16::try_from(file["http_status"].as_u64().unwrap()).unwrap();
    Recorded { status, result: file["result"].clone(), error: file["error"].clone(), raw: None }
}

type Request = (String, String, Value);

/// Answers requests in the recorded order and keeps what was asked: path, method, parameters.
pub(crate) struct Replay {
    nodes: Nodes,
    requests: Arc<Mutex<Vec<Request>>>,
    _dir: tempfile::TempDir,
}

impl Replay {
    pub(crate) async fn start(answers: impl IntoIterator<Item = Recorded>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let dir = tempfile::tempdir().unwrap();
        let config = NodesConfig {
            bitcoin_rpc_port: listener.local_addr().unwrap().port(),
            credentials: Credentials::Password { user: "u".into(), password: "secret".into() },
            ..NodesConfig::at(dir.path())
        };
        let requests = Arc::new(Mutex::new(Vec::new()));
        let mut answers: Vec<Recorded> = answers.into_iter().collect();
        answers.reverse();
        tokio::spawn(serve(listener, answers, requests.clone()));
        Self { nodes: Nodes::new(config), requests, _dir: dir }
    }

    pub(crate) fn nodes(&self) -> Nodes {
        self.nodes.clone()
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) async fn call(&self, tool: impl TypedTool, args: Value) -> Result<Value, ToolError> {
        typed(tool).call(args.as_object().unwrap().clone()).await
    }
}

async fn serve(listener: TcpListener, mut answers: Vec<Recorded>, requests: Arc<Mutex<Vec<Request>>>) {
    while let Ok((mut stream, _)) = listener.accept().await {
        while let Some((path, body)) = read_request(&mut stream).await {
            let request: Value = serde_json::from_slice(&body).unwrap();
            let method = request["method"].as_str().unwrap().to_owned();
            requests.lock().unwrap().push((path, method, request["params"].clone()));
            let answer = answers.pop().expect("no further request was expected");
            if answer.status == 0 {
                break;
            }
            let body = match answer.raw {
                Some(body) => body.to_owned(),
                None => {
                    json!({ "result": answer.result, "error": answer.error, "id": request["id"] }).to_string()
                }
            };
            let head = format!("HTTP/1.1 {} X\r\nContent-Length: {}\r\n\r\n", answer.status, body.len());
            stream.write_all(head.as_bytes()).await.unwrap();
            stream.write_all(body.as_bytes()).await.unwrap();
        }
    }
}

/// Path and body of the next request, or `None` at the end.
async fn read_request(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            assert!(head.contains("uthorization: Basic"), "{head}");
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse::<usize>().ok()
            })?;
            if bytes.len() >= end + 4 + length {
                let path = head.split(' ').nth(1)?.to_owned();
                return Some((path, bytes[end + 4..end + 4 + length].to_vec()));
            }
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}
