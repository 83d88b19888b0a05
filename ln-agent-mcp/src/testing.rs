//! Nodes that answer what real ones once answered, and remember what they were asked. Tests only.

use std::path::Path;
use std::sync::{Arc, Mutex};

use ln_agent_core::tool::{ToolError, TypedTool, typed};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UnixListener};

use crate::node::{Credentials, Nodes, NodesConfig};

/// One request as it was recorded, and its answer.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    params: Value,
    reply: Reply,
}

#[derive(Clone, Debug)]
enum Reply {
    Result(Value),
    Error(Value),
    HangUp,
}

impl Turn {
    /// An answer that was not recorded.
    pub(crate) fn result(value: Value) -> Self {
        Self { params: Value::Null, reply: Reply::Result(value) }
    }

    /// An error that was not recorded.
    pub(crate) fn error(code: i64, message: &str) -> Self {
        Self { params: Value::Null, reply: Reply::Error(json!({ "code": code, "message": message })) }
    }

    /// The connection breaks after the request.
    pub(crate) fn hang_up() -> Self {
        Self { params: Value::Null, reply: Reply::HangUp }
    }

    /// What was asked in the recording.
    pub(crate) fn params(&self) -> Value {
        self.params.clone()
    }

    /// What was answered; panics on a recorded error.
    pub(crate) fn answer(&self) -> Value {
        match &self.reply {
            Reply::Result(value) => value.clone(),
            other => panic!("{other:?} is no answer"),
        }
    }
}

/// A conversation with lightningd out of `tests/fixtures/cln`.
pub(crate) fn recorded(name: &str) -> Turn {
    from_file(&format!("cln/{name}"))
}

fn from_file(name: &str) -> Turn {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(format!("{name}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut file: Value = serde_json::from_str(&text).unwrap();
    let params = file["params"].take();
    let reply = match file.get("error") {
        Some(error) => Reply::Error(error.clone()),
        None => Reply::Result(file["result"].take()),
    };
    Turn { params, reply }
}

/// A node 1 (or a bitcoind) that answers these turns in order, over its real transport.
pub(crate) struct Replay {
    nodes: Nodes,
    asked: Arc<Mutex<Vec<(String, Value)>>>,
    left: Arc<Mutex<std::vec::IntoIter<Turn>>>,
    _directory: TempDir,
}

impl Replay {
    /// A lightningd.
    pub(crate) fn node(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self::node_with(turns, |_| ())
    }

    /// A lightningd under another configuration.
    pub(crate) fn node_with(
        turns: impl IntoIterator<Item = Turn>,
        configure: impl FnOnce(&mut NodesConfig),
    ) -> Self {
        let replay = Self::new(turns, configure);
        let socket = replay.nodes.rpc_socket(ln_agent_core::NodeIndex::FIRST);
        std::fs::create_dir_all(socket.parent().unwrap()).unwrap();
        let listener = UnixListener::bind(socket).unwrap();
        let (asked, left) = (replay.asked.clone(), replay.left.clone());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut bytes = Vec::new();
                let request = loop {
                    if stream.read_buf(&mut bytes).await.unwrap() == 0 {
                        break None;
                    }
                    if let Ok(request) = serde_json::from_slice::<Value>(&bytes) {
                        break Some(request);
                    }
                };
                if let Some(answer) = request.and_then(|request| answer(&asked, &left, &request)) {
                    stream.write_all(format!("{answer}\n\n").as_bytes()).await.unwrap();
                }
            }
        });
        replay
    }

    /// A bitcoind; a request is remembered as the HTTP path and the method, as in `/wallet/w getbalance`.
    pub(crate) async fn bitcoind(turns: impl IntoIterator<Item = Turn>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let replay = Self::new(turns, |config| config.bitcoin_rpc_port = port);
        let (asked, left) = (replay.asked.clone(), replay.left.clone());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut bytes = Vec::new();
                while stream.read_buf(&mut bytes).await.unwrap_or(0) > 0 {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
                    let Ok(mut request) = serde_json::from_str::<Value>(body) else { continue };
                    let path = text.split(' ').nth(1).unwrap().to_owned();
                    let method = request["method"].as_str().unwrap().to_owned();
                    request["method"] = format!("{path} {method}").into();
                    let Some(answer) = answer(&asked, &left, &request) else { break };
                    let answer = answer.to_string();
                    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", answer.len());
                    stream.write_all(format!("{head}{answer}").as_bytes()).await.unwrap();
                    bytes.clear();
                }
            }
        });
        replay
    }

    fn new(turns: impl IntoIterator<Item = Turn>, configure: impl FnOnce(&mut NodesConfig)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut config = NodesConfig::at(directory.path());
        config.credentials = Credentials::Password { user: "u".into(), password: "p".into() };
        configure(&mut config);
        let turns: Vec<Turn> = turns.into_iter().collect();
        Self {
            nodes: Nodes::new(config),
            asked: Arc::default(),
            left: Arc::new(Mutex::new(turns.into_iter())),
            _directory: directory,
        }
    }

    /// The nodes as a tool gets them.
    pub(crate) fn nodes(&self) -> Nodes {
        self.nodes.clone()
    }

    /// Calls a tool as an executor would.
    pub(crate) async fn call<T: TypedTool>(&self, tool: T, args: Value) -> Result<Value, ToolError> {
        let Value::Object(args) = args else { panic!("arguments are an object") };
        typed(tool).call(args).await
    }

    /// Every request so far: method and parameters.
    pub(crate) fn requests(&self) -> Vec<(String, Value)> {
        self.asked.lock().unwrap().clone()
    }
}

/// Remembers the request and takes the next turn; `None` hangs up.
fn answer(
    asked: &Mutex<Vec<(String, Value)>>,
    left: &Mutex<std::vec::IntoIter<Turn>>,
    request: &Value,
) -> Option<Value> {
    let method = request["method"].as_str().unwrap().to_owned();
    asked.lock().unwrap().push((method, request["params"].clone()));
    let id = &request["id"];
    match left.lock().unwrap().next().expect("a request beyond the recording").reply {
        Reply::Result(result) => Some(json!({ "jsonrpc": "2.0", "id": id, "result": result })),
        Reply::Error(error) => Some(json!({ "jsonrpc": "2.0", "id": id, "error": error })),
        Reply::HangUp => None,
    }
}
