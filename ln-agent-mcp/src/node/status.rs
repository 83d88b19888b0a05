//! How a node does, without starting it.

use std::time::Duration;

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolErrorKind};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{Nodes, control, lightningd, process};

/// How a node does. Looking never starts it.
#[derive(Clone, Debug, Eq, JsonSchema, PartialEq, Serialize)]
pub struct NodeStatus {
    /// Its number.
    pub node: NodeIndex,
    /// Its name, as in `node-1`.
    pub name: String,
    /// It has been created.
    pub data_dir_present: bool,
    /// Its process runs.
    pub process_running: bool,
    /// It answers commands.
    pub rpc_reachable: bool,
    /// It runs and answers.
    pub running: bool,
    /// Why it is in this state, in one line.
    pub reason: String,
    /// Its own answer to getinfo, where it gave one.
    #[serde(skip)]
    pub(crate) info: Option<serde_json::Value>,
}

impl Nodes {
    /// How a node does. A node that is missing or stopped is a status, not an error.
    pub async fn status(&self, node: NodeIndex) -> NodeStatus {
        let config = self.config();
        let mut status = NodeStatus {
            node,
            name: format!("node-{node}"),
            data_dir_present: self.node_dir(node).is_dir(),
            process_running: false,
            rpc_reachable: false,
            running: false,
            reason: String::new(),
            info: None,
        };
        if control::serves(&config.runtime_dir) {
            match control::node_runs(&config.runtime_dir, node, config.call_timeout.min(PATIENCE)).await {
                Ok(known) => {
                    status.data_dir_present = known.is_some();
                    status.process_running = known == Some(true);
                }
                Err(error) => {
                    status.reason = error.message;
                    return status;
                }
            }
        } else if status.data_dir_present {
            status.process_running = process::is_alive(&self.node_dir(node));
        }
        if status.data_dir_present {
            self.ask(&mut status).await;
        } else {
            status.reason = "it has not been created".to_owned();
        }
        status
    }

    async fn ask(&self, status: &mut NodeStatus) {
        match lightningd::listens(&self.rpc_socket(status.node)).await {
            Ok(true) => {}
            Ok(false) => {
                status.reason = if status.process_running {
                    "its process runs, but does not take commands yet".to_owned()
                } else {
                    "it is stopped".to_owned()
                };
                return;
            }
            Err(error) => {
                status.reason = format!("its socket cannot be opened: {error}");
                return;
            }
        }
        status.process_running = true;
        let deadline = self.config().call_timeout.min(PATIENCE);
        match self.lightning(status.node, "getinfo", json!({}), deadline, Effect::Read).await {
            Ok(info) => {
                status.info = Some(info);
                status.rpc_reachable = true;
                status.running = true;
                status.reason = "it runs and answers".to_owned();
            }
            Err(error) => {
                status.rpc_reachable = error.kind == ToolErrorKind::Failed;
                status.reason = error.message;
            }
        }
    }
}

/// A node that does not answer within this is not well, whatever else a command may take. Two such waits fit into the
/// deadline of an ordinary call, so that the status is told and not given up.
const PATIENCE: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::NodesConfig;

    #[tokio::test(start_paused = true)]
    async fn a_node_that_takes_commands_and_never_answers_is_told_soon() {
        let dir = tempfile::tempdir().unwrap();
        let nodes = Nodes::new(NodesConfig::at(dir.path()));
        let socket = nodes.rpc_socket(NodeIndex::FIRST);
        std::fs::create_dir_all(socket.parent().unwrap()).unwrap();
        let _silent = tokio::net::UnixListener::bind(socket).unwrap();
        let start = tokio::time::Instant::now();

        let status = nodes.status(NodeIndex::FIRST).await;

        assert!(status.process_running && !status.running, "{}", status.reason);
        assert_eq!(start.elapsed().as_secs(), PATIENCE.as_secs());
    }
}
