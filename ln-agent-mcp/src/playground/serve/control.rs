//! The control socket: what a daemon's process control is for real lightningd.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::Notify;

use super::layout::Layout;
use super::sockets::Sockets;
use crate::playground::lightningd::{Frames, Request, RpcError};
use crate::playground::{CallError, Network};

/// What the control socket works on.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) network: Network,
    pub(super) sockets: Arc<Sockets>,
    pub(super) layout: Layout,
    /// The port of bitcoind's JSON-RPC on loopback.
    pub(super) bitcoin_port: u16,
    pub(super) shutdown: Arc<Notify>,
}

/// Serves one connection. Framing is that of the node sockets; requests run one after the other.
pub(super) async fn connection(mut stream: UnixStream, desk: Arc<Desk>) {
    let mut frames = Frames::default();
    let mut buffer = vec![0; 4096];
    loop {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(count) => frames.push(&buffer[..count]),
        }
        while let Some(next) = frames.next() {
            let (answer, last) = match next {
                Ok(request) => {
                    let outcome = desk.answer(&request).await;
                    let last = request.method == "shutdown" && outcome.is_ok();
                    (request.answer(outcome), last)
                }
                Err((refusal, close)) => (refusal.to_frame(), close),
            };
            let written = stream.write_all(&answer).await;
            if last {
                drop(stream.shutdown().await);
                desk.shutdown.notify_one();
            }
            if written.is_err() || last {
                return;
            }
        }
    }
}

impl Desk {
    async fn answer(&self, request: &Request) -> Result<Value, RpcError> {
        let node = || node_of(&request.params);
        match request.method.as_str() {
            "status" => self.status().await,
            "node_create" => {
                let node = node()?;
                self.network.create_node(node).await.map_err(as_rpc)?;
                self.sync().await?;
                Ok(json!({"node": node, "created": true}))
            }
            "node_start" => {
                let node = node()?;
                let started = self.network.start_node(node).await.map_err(as_rpc)?;
                self.sync().await?;
                let socket = self.layout.lightning(node);
                Ok(json!({"node": node, "started": started, "rpc_socket": socket.to_string_lossy()}))
            }
            "node_stop" => {
                let node = node()?;
                let stopped = self.network.stop_node(node).await.map_err(as_rpc)?;
                self.sync().await?;
                Ok(json!({"node": node, "stopped": stopped}))
            }
            "node_delete" => {
                let node = node()?;
                let force = flag(&request.params, "force")?;
                let deleted = self.network.delete_node(node, force).await.map_err(as_rpc)?;
                self.sync().await?;
                drop(std::fs::remove_dir_all(self.layout.node(node)));
                Ok(json!({"node": node, "deleted": deleted}))
            }
            "link_hold" | "link_release" => {
                let (one, other) =
                    (number_of(&request.params, "node", 0)?, number_of(&request.params, "peer", 1)?);
                let held = request.method == "link_hold";
                self.network.hold_link(one, other, held).await.map_err(as_rpc)?;
                Ok(json!({"node": one, "peer": other, "held": held}))
            }
            "reset" => {
                let nodes = nodes_of(&request.params, self.network.nodes().await.map_err(as_rpc)?.len())?;
                self.network.reset(nodes).await.map_err(as_rpc)?;
                self.sync().await?;
                Ok(json!({ "nodes": nodes }))
            }
            "shutdown" => Ok(json!({"pid": std::process::id()})),
            other => Err(RpcError::new(-32601, format!("Unknown command '{other}'"))),
        }
    }

    async fn status(&self) -> Result<Value, RpcError> {
        let states = self.network.nodes().await.map_err(as_rpc)?;
        let nodes: Vec<Value> = states
            .iter()
            .map(|(node, running)| {
                json!({
                    "node": node,
                    "running": running,
                    "rpc_socket": self.layout.lightning(*node).to_string_lossy(),
                })
            })
            .collect();
        Ok(json!({
            "version": concat!("playground-", env!("CARGO_PKG_VERSION")),
            "pid": std::process::id(),
            "network": "regtest",
            "bitcoin_rpc_port": self.bitcoin_port,
            "bitcoin_cookie": self.layout.cookie().to_string_lossy(),
            "nodes": nodes,
        }))
    }

    async fn sync(&self) -> Result<(), RpcError> {
        self.sockets.reconcile(&self.network).await.map_err(|error| RpcError::new(-1, error.to_string()))
    }
}

fn as_rpc(error: CallError) -> RpcError {
    match error {
        CallError::Rpc(error) => error,
        other => RpcError::new(-1, other.to_string()),
    }
}

fn member<'a>(params: &'a Value, name: &str, position: usize) -> Option<&'a Value> {
    params.get(name).or_else(|| params.get(position)).filter(|value| !value.is_null())
}

fn node_of(params: &Value) -> Result<u16, RpcError> {
    number_of(params, "node", 0)
}

fn number_of(params: &Value, name: &str, position: usize) -> Result<u16, RpcError> {
    let value = member(params, name, position)
        .ok_or_else(|| RpcError::usage(format!("missing required parameter: {name}")))?;
    let number = value.as_u64().and_then(|number| u16::try_from(number).ok()).filter(|number| *number > 0);
    number.ok_or_else(|| RpcError::invalid(name, "should be a node's number from 1 to 65535", value))
}

fn nodes_of(params: &Value, present: usize) -> Result<u16, RpcError> {
    let Some(value) = member(params, "nodes", 0) else {
        return Ok(u16::try_from(present).unwrap_or(u16::MAX));
    };
    let number = value.as_u64().and_then(|number| u16::try_from(number).ok());
    number.ok_or_else(|| RpcError::invalid("nodes", "should be a number from 0 to 65535", value))
}

fn flag(params: &Value, name: &str) -> Result<bool, RpcError> {
    match member(params, name, 1) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(RpcError::invalid(name, "should be 'true' or 'false'", other)),
    }
}
