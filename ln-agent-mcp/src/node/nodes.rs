//! The configured nodes, as the tools see them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError};
use serde_json::Value;
use tokio::time::Instant;

use super::bitcoind::{self, Bitcoind};
use super::outcome::unreachable;
use super::{NodesConfig, control, count, lightningd};

/// The configured nodes. Cheap to clone; making it does no I/O.
#[derive(Clone, Debug)]
pub struct Nodes {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: NodesConfig,
    bitcoind: Bitcoind,
}

impl Nodes {
    /// The nodes of this configuration, none of them contacted yet.
    #[must_use]
    pub fn new(config: NodesConfig) -> Self {
        let bitcoind = Bitcoind::new(&config);
        Self { inner: Arc::new(Inner { config, bitcoind }) }
    }

    /// Where they are and how long to wait for them.
    #[must_use]
    pub fn config(&self) -> &NodesConfig {
        &self.inner.config
    }

    /// How many Lightning nodes are configured, read anew each time.
    #[must_use]
    pub fn node_count(&self) -> u32 {
        let config = self.config();
        count::read(&config.runtime_dir).unwrap_or(config.default_node_count)
    }

    /// The configured nodes, from 1.
    pub fn indices(&self) -> impl Iterator<Item = NodeIndex> + use<> {
        (1..=self.node_count()).filter_map(|number| NodeIndex::new(number).ok())
    }

    /// Calls a method of bitcoind within the configured time; with `wallet`, on that wallet.
    ///
    /// # Errors
    ///
    /// `Unreachable` if nothing was sent; `Failed` with bitcoind's code if it refused; and if the request was
    /// sent and no answer came: `Unreachable` for a read, `Unknown` for anything else.
    pub async fn bitcoind(
        &self,
        method: &str,
        params: Value,
        wallet: Option<&str>,
        effect: Effect,
    ) -> Result<Value, ToolError> {
        self.bitcoind_within(method, params, wallet, effect, self.config().call_timeout).await
    }

    /// [`bitcoind`](Self::bitcoind) with its own deadline, for calls that work long.
    ///
    /// # Errors
    ///
    /// As for [`bitcoind`](Self::bitcoind).
    pub async fn bitcoind_within(
        &self,
        method: &str,
        params: Value,
        wallet: Option<&str>,
        effect: Effect,
        deadline: Duration,
    ) -> Result<Value, ToolError> {
        let deadline = Instant::now() + deadline;
        self.inner.bitcoind.call(bitcoind::Call { method, params: &params, wallet, deadline, effect }).await
    }

    /// Calls a method of a node.
    ///
    /// # Errors
    ///
    /// `Unreachable` if the node does not run or does not exist; `Failed` with lightningd's code if it refused;
    /// and if the request was sent and no answer came: `Unreachable` for a read, `Unknown` for anything else.
    pub async fn lightning(
        &self,
        node: NodeIndex,
        method: &str,
        params: Value,
        deadline: Duration,
        effect: Effect,
    ) -> Result<Value, ToolError> {
        let directory = self.node_dir(node);
        let missing = !tokio::fs::try_exists(&directory).await.unwrap_or(true);
        if missing && !control::serves(&self.config().runtime_dir) {
            return Err(unreachable(format!("node {node} does not exist: create it with ln_node_create")));
        }
        let who = format!("node {node}");
        let call = lightningd::Call { who: &who, method, params: &params, deadline, effect };
        lightningd::call(&self.rpc_socket(node), call).await
    }

    /// A node's own directory.
    #[must_use]
    pub fn node_dir(&self, node: NodeIndex) -> PathBuf {
        self.config().lightning_base.join(format!("node-{node}"))
    }

    /// The socket a node listens on for commands.
    #[must_use]
    pub fn rpc_socket(&self, node: NodeIndex) -> PathBuf {
        self.node_dir(node).join(self.config().network.name()).join("lightning-rpc")
    }
}
