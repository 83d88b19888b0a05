//! `network_health`.

use std::time::Duration;

use futures::future::join_all;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::node::{NodeStatus, Nodes};

/// How bitcoind and all nodes are doing.
#[derive(Debug)]
pub(super) struct NetworkHealth {
    pub(super) nodes: Nodes,
}

/// Arguments of `network_health`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NetworkHealthArgs {}

/// Payload of `network_health`.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Health {
    /// `ok`: bitcoind and every configured node run. `degraded`: bitcoind runs. `down`: it does not.
    status: Level,
    /// The configured network.
    network: String,
    /// bitcoind's own answer to getblockchaininfo; null if it gave none.
    bitcoin: Option<Object>,
    /// Why bitcoind gave no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    bitcoin_error: Option<String>,
    /// Every configured node.
    nodes: Vec<NodeHealth>,
    /// The same in three numbers.
    summary: Summary,
}

#[derive(Debug, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Level {
    Ok,
    Degraded,
    Down,
}

#[derive(Debug, JsonSchema, Serialize)]
struct NodeHealth {
    /// Its name, as in `node-1`.
    name: String,
    /// `running` or `stopped`.
    status: &'static str,
    /// Why, in one line.
    reason: String,
    /// Its public key, if it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    /// The last block it has seen, if it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    blockheight: Option<Value>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Summary {
    /// bitcoind answers.
    bitcoin_ok: bool,
    /// Configured nodes.
    nodes_total: usize,
    /// Nodes that answer.
    nodes_running: usize,
}

#[async_trait::async_trait]
impl TypedTool for NetworkHealth {
    const NAME: &'static str = "network_health";
    const TITLE: &'static str = "Network health";
    const DESCRIPTION: &'static str = "Shows whether bitcoind and every configured Lightning node run: status ok, \
        degraded or down, with detail per node.";
    const EFFECT: Effect = Effect::Read;
    type Args = NetworkHealthArgs;
    type Output = Health;

    /// A bitcoind that does not answer is an answer, so it must not cost the whole call.
    fn budget(&self) -> Option<Duration> {
        Some(self.nodes.config().call_timeout)
    }

    async fn call(&self, _args: NetworkHealthArgs) -> Result<Health, ToolError> {
        let asked = self.nodes.bitcoind("getblockchaininfo", json!([]), None, Effect::Read);
        let looked = join_all(self.nodes.indices().map(|node| self.nodes.status(node)));
        let (chain, nodes) = tokio::join!(asked, looked);
        let (bitcoin, bitcoin_error) = match chain {
            Ok(Value::Object(info)) => (Some(info), None),
            Ok(_) => (None, Some("bitcoind's answer is not an object".to_owned())),
            Err(error) => (None, Some(error.message)),
        };
        let summary = Summary {
            bitcoin_ok: bitcoin.is_some(),
            nodes_total: nodes.len(),
            nodes_running: nodes.iter().filter(|node| node.running).count(),
        };
        Ok(Health {
            status: level(&summary),
            network: self.nodes.config().network.to_string(),
            bitcoin,
            bitcoin_error,
            nodes: nodes.into_iter().map(NodeHealth::from).collect(),
            summary,
        })
    }
}

impl From<NodeStatus> for NodeHealth {
    fn from(node: NodeStatus) -> Self {
        let known = |key: &str| node.info.as_ref().and_then(|info| info.get(key)).cloned();
        Self {
            id: known("id"),
            blockheight: known("blockheight"),
            status: if node.running { "running" } else { "stopped" },
            name: node.name,
            reason: node.reason,
        }
    }
}

fn level(summary: &Summary) -> Level {
    match summary {
        Summary { bitcoin_ok: false, .. } => Level::Down,
        Summary { nodes_total, nodes_running, .. } if *nodes_running > 0 && nodes_running == nodes_total => {
            Level::Ok
        }
        Summary { .. } => Level::Degraded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::NodesConfig;
    use crate::node::replay::{Replay, recorded};

    #[tokio::test]
    async fn bitcoind_without_running_nodes_is_degraded() {
        let replay = Replay::start([recorded("170-getblockchaininfo")]).await;

        let payload = replay.call(NetworkHealth { nodes: replay.nodes() }, json!({})).await.unwrap();

        let stopped =
            |name| json!({ "name": name, "status": "stopped", "reason": "it has not been created" });
        assert_eq!(
            payload,
            json!({
                "status": "degraded",
                "network": "regtest",
                "bitcoin": recorded("170-getblockchaininfo").result,
                "nodes": [stopped("node-1"), stopped("node-2")],
                "summary": { "bitcoin_ok": true, "nodes_total": 2, "nodes_running": 0 },
            })
        );
    }

    #[tokio::test]
    async fn a_bitcoind_that_cannot_be_reached_is_an_answer_and_not_an_error() {
        let dir = tempfile::tempdir().unwrap();
        // Port 1 is reserved; nobody listens there.
        let config = NodesConfig { bitcoin_rpc_port: 1, ..NodesConfig::at(dir.path()) };

        let health = NetworkHealth { nodes: Nodes::new(config) }.call(NetworkHealthArgs {}).await.unwrap();

        assert_eq!(health.status, Level::Down);
        assert!(health.bitcoin_error.unwrap().contains("127.0.0.1:1"));
    }

    #[test]
    fn only_a_network_whose_every_node_runs_is_ok() {
        let level = |bitcoin_ok, nodes_total, nodes_running| {
            super::level(&Summary { bitcoin_ok, nodes_total, nodes_running })
        };
        assert_eq!(level(true, 2, 2), Level::Ok);
        assert_eq!(level(true, 2, 1), Level::Degraded);
        assert_eq!(level(true, 0, 0), Level::Degraded);
        assert_eq!(level(false, 2, 2), Level::Down);
    }
}
