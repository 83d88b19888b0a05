//! A network in memory with short-hand for what every chapter does.

use std::path::Path;

use ln_agent_mcp::playground::bitcoind::RpcCall;
use ln_agent_mcp::playground::{CallError, Network};
use serde_json::{Value, json};

pub(crate) struct Lab {
    pub(crate) network: Network,
}

impl Lab {
    pub(crate) fn new(nodes: u16) -> Self {
        Self::seeded([7; 32], nodes)
    }

    pub(crate) fn seeded(seed: [u8; 32], nodes: u16) -> Self {
        Self { network: Network::in_memory(seed, nodes).unwrap() }
    }

    pub(crate) fn stored(dir: &Path, nodes: u16) -> Self {
        Self { network: Network::open(dir, [7; 32], nodes).unwrap() }
    }

    /// Drops the network and waits until its thread has let go of the directory.
    pub(crate) async fn end(self) {
        self.network.close().await;
    }

    pub(crate) async fn ok(&self, node: u16, method: &str, params: Value) -> Value {
        match self.network.lightning(node, method, params.clone()).await {
            Ok(value) => value,
            Err(error) => panic!("{method} {params} on node {node}: {error}"),
        }
    }

    /// The error's code and message.
    pub(crate) async fn error(&self, node: u16, method: &str, params: Value) -> (i64, String) {
        match self.network.lightning(node, method, params.clone()).await {
            Ok(value) => panic!("{method} {params} on node {node} succeeded: {value}"),
            Err(CallError::Rpc(error)) => (error.code, error.message),
            Err(other) => panic!("{method} {params} on node {node}: {other}"),
        }
    }

    pub(crate) async fn bitcoin(&self, method: &str, params: Value) -> Value {
        let call = RpcCall { method: method.to_owned(), params, wallet: Some("shared-wallet".to_owned()) };
        let answer = self.network.bitcoind(call).await.unwrap().unwrap();
        serde_json::from_str(&answer.to_text()).unwrap()
    }

    pub(crate) async fn mine(&self, blocks: u32) {
        let address = self.bitcoin("getnewaddress", json!([])).await;
        self.bitcoin("generatetoaddress", json!([blocks, address])).await;
    }

    pub(crate) async fn id(&self, node: u16) -> String {
        self.ok(node, "getinfo", json!({})).await["id"].as_str().unwrap().to_owned()
    }

    /// Opens a channel and mines until it can be used and everybody knows it.
    pub(crate) async fn channel(&self, from: u16, to: u16, sat: u64) -> Value {
        let id = self.id(to).await;
        let opened = self.ok(from, "fundchannel", json!({"id": id, "amount": sat})).await;
        self.mine(6).await;
        opened
    }

    pub(crate) async fn invoice(&self, node: u16, msat: u64, label: &str) -> String {
        let params = json!({"amount_msat": msat, "label": label, "description": label});
        self.ok(node, "invoice", params).await["bolt11"].as_str().unwrap().to_owned()
    }
}

/// Fails with the first place at which two answers differ.
pub(crate) fn assert_same(left: &Value, right: &Value) {
    if let Some(place) = difference(left, right) {
        panic!("answers differ at {place}");
    }
}

fn difference(left: &Value, right: &Value) -> Option<String> {
    let below = |name: String, left: &Value, right: &Value| {
        difference(left, right).map(|place| format!("{name}.{place}"))
    };
    match (left, right) {
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            (0..a.len()).find_map(|at| below(at.to_string(), &a[at], &b[at]))
        }
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.keys().find_map(|key| below(key.clone(), &a[key], &b[key]))
        }
        _ => (left != right).then(|| format!(" {left} is not {right}")),
    }
}
