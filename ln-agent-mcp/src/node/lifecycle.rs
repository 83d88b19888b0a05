//! Making, starting, stopping and deleting a node: by a playground's control socket where one serves, else by
//! files and a process.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, ToolErrorKind};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::config_file::{self, CONFIG, CONNECTION, LOG};
use super::{Credentials, Nodes, control, count, process};

/// What making a node did.
#[derive(Clone, Debug, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Created {
    /// Its number.
    pub node: NodeIndex,
    /// False if it existed already.
    pub created: bool,
    /// How many nodes are configured now.
    pub node_count: u32,
}

/// What starting a node did.
#[derive(Clone, Debug, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Started {
    /// Its number.
    pub node: NodeIndex,
    /// False if it ran already.
    pub started: bool,
    /// It takes commands.
    pub running: bool,
    /// The TCP port it was told to listen on for peers; its real bindings are in ln_getinfo.
    pub port: u16,
    /// Its log. Absent in the playground.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_file: Option<PathBuf>,
}

/// What stopping a node did.
#[derive(Clone, Debug, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Stopped {
    /// Its number.
    pub node: NodeIndex,
    /// False if it did not run.
    pub stopped: bool,
    /// It still runs; false after any success.
    pub running: bool,
    /// What was found.
    pub reason: String,
}

/// What deleting a node did.
#[derive(Clone, Debug, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Deleted {
    /// Its number.
    pub node: NodeIndex,
    /// False if there was none.
    pub deleted: bool,
}

impl Nodes {
    /// Makes a node without starting it. The one after the last raises the node count.
    ///
    /// # Errors
    ///
    /// `InvalidArguments` beyond the node after the last; `Failed` if its files cannot be written.
    pub async fn create(&self, node: NodeIndex) -> Result<Created, ToolError> {
        let count = self.node_count();
        if node.get() > count + 1 {
            let accepted = format!("1 to {}: nodes are made one after the other", count + 1);
            return Err(ToolError::invalid_argument("node", &json!(node.get()), &accepted));
        }
        let created = if self.status(node).await.data_dir_present {
            false
        } else if self.is_playground() {
            self.control("node_create", json!({ "node": node.get() })).await?;
            true
        } else {
            self.write_config(node).map_err(|error| failed("node cannot be created", &error))?;
            true
        };
        if node.get() > self.node_count() {
            count::write(&self.config().runtime_dir, node.get())
                .map_err(|error| failed("node_count cannot be written", &error))?;
        }
        Ok(Created { node, created, node_count: self.node_count() })
    }

    /// Starts a node and waits until it takes commands. `bind` and `announce` override the configured hosts.
    ///
    /// # Errors
    ///
    /// `Failed` if it does not exist or ended again; `Unreachable` if lightningd is not installed; `Unknown` if
    /// it does not answer in time.
    pub async fn start(
        &self,
        node: NodeIndex,
        bind: Option<&str>,
        announce: Option<&str>,
    ) -> Result<Started, ToolError> {
        let port = self.port(node)?;
        let log = self.node_dir(node).join(LOG);
        let log_file = (!self.is_playground()).then_some(log);
        let status = self.status(node).await;
        if !status.data_dir_present {
            let message = format!("node {node} does not exist: create it with ln_node_create");
            return Err(ToolError::new(ToolErrorKind::Failed, message));
        }
        if status.running {
            return Ok(Started { node, started: false, running: true, port, log_file });
        }
        if self.is_playground() {
            self.control("node_start", json!({ "node": node.get() })).await?;
        } else {
            let bind = bind.unwrap_or(&self.config().bind_host);
            let announce = announce.unwrap_or(&self.config().announce_host);
            self.write_connection(node, bind, announce, port)
                .map_err(|error| failed("node cannot be configured", &error))?;
            self.run(node).await?;
        }
        Ok(Started { node, started: true, running: true, port, log_file })
    }

    /// Stops a node and waits until it has ended. It is asked to; nothing is ever killed.
    ///
    /// # Errors
    ///
    /// `Failed` if it refused; `Unknown` if it still runs when the time is over.
    pub async fn stop(&self, node: NodeIndex) -> Result<Stopped, ToolError> {
        let status = self.status(node).await;
        if !status.process_running && !status.rpc_reachable {
            return Ok(Stopped { node, stopped: false, running: false, reason: status.reason });
        }
        if self.is_playground() {
            self.control("node_stop", json!({ "node": node.get() })).await?;
        } else {
            let deadline = self.config().call_timeout;
            match self.lightning(node, "stop", json!({}), deadline, Effect::Write).await {
                // It may end before its answer has left; whether it ended is seen next.
                Ok(_) | Err(ToolError { kind: ToolErrorKind::Unknown, .. }) => {}
                Err(error) => return Err(error),
            }
            self.wait_until_stopped(node).await?;
        }
        Ok(Stopped {
            node,
            stopped: true,
            running: false,
            reason: "it was asked to stop and ended".to_owned(),
        })
    }

    /// Deletes a node with its keys, which cannot be undone. A running node is deleted only with `force`, which
    /// stops it first.
    ///
    /// # Errors
    ///
    /// `Refused` if it runs and `force` is false, or its directory is not a plain one; `Failed` if files stay.
    pub async fn delete(&self, node: NodeIndex, force: bool) -> Result<Deleted, ToolError> {
        let status = self.status(node).await;
        if !status.data_dir_present {
            return Ok(Deleted { node, deleted: false });
        }
        if status.process_running && !force {
            let message = format!("node {node} is running: stop it first, or pass force=true");
            return Err(ToolError::new(ToolErrorKind::Refused, message));
        }
        if self.is_playground() {
            self.control("node_delete", json!({ "node": node.get(), "force": force })).await?;
            return Ok(Deleted { node, deleted: true });
        }
        self.stop(node).await?;
        let dir = self.node_dir(node);
        if !is_plain_child(&dir, &self.config().lightning_base) {
            let message = format!("{} is a link out of the nodes' directory: not deleted", dir.display());
            return Err(ToolError::new(ToolErrorKind::Refused, message));
        }
        tokio::fs::remove_dir_all(&dir)
            .await
            .map_err(|error| failed("node cannot be deleted whole", &error))?;
        Ok(Deleted { node, deleted: true })
    }

    fn is_playground(&self) -> bool {
        control::serves(&self.config().runtime_dir)
    }

    async fn control(&self, method: &str, params: Value) -> Result<Value, ToolError> {
        let config = self.config();
        control::call(&config.runtime_dir, method, params, config.start_timeout, Effect::Write).await
    }

    fn port(&self, node: NodeIndex) -> Result<u16, ToolError> {
        let port = u32::from(self.config().lightning_base_port) + node.get();
        u16::try_from(port).map_err(|_| {
            let accepted = format!("a node whose port {port} is at most 65535");
            ToolError::invalid_argument("node", &json!(node.get()), &accepted)
        })
    }

    fn write_config(&self, node: NodeIndex) -> io::Result<()> {
        let dir = self.node_dir(node);
        fs::create_dir_all(&self.config().lightning_base)?;
        fs::create_dir(&dir)?;
        let dir = dir.canonicalize()?;
        let settings = config_file::node_settings(self.config(), node, &dir);
        config_file::write_private(&dir.join(CONFIG), &settings)?;
        let (bind, announce) = (&self.config().bind_host, &self.config().announce_host);
        let port = self.port(node).map_err(|error| io::Error::other(error.message))?;
        self.write_connection(node, bind, announce, port)
    }

    fn write_connection(&self, node: NodeIndex, bind: &str, announce: &str, port: u16) -> io::Result<()> {
        let config = self.config();
        let password = match &config.credentials {
            Credentials::Password { user, password } => Some((user.as_str(), password.as_str())),
            Credentials::CookieOr { cookie, user, password } if !cookie.exists() => {
                Some((user.as_str(), password.as_str()))
            }
            Credentials::Cookie(_) | Credentials::CookieOr { .. } => None,
        };
        let settings = config_file::connection_settings(config, password, (bind, announce), port);
        config_file::write_private(&self.node_dir(node).join(CONNECTION), &settings)
    }

    async fn run(&self, node: NodeIndex) -> Result<(), ToolError> {
        let config = self.config();
        let dir = self.node_dir(node);
        let dir = dir.canonicalize().map_err(|error| failed("node cannot be started", &error))?;
        let mut child = process::spawn(config, &dir)?;
        let deadline = Instant::now() + config.start_timeout;
        loop {
            if self.status(node).await.running {
                return Ok(());
            }
            if let Ok(Some(exit)) = child.try_wait()
                && !exit.success()
            {
                let words = process::last_words(&dir);
                let message = format!("node {node} ended while it started ({exit}): {words}");
                return Err(ToolError::new(ToolErrorKind::Failed, message));
            }
            if Instant::now() >= deadline {
                let log = dir.join(LOG);
                let message = format!(
                    "node {node} was started, but does not take commands after {:?}: see {}",
                    config.start_timeout,
                    log.display()
                );
                return Err(ToolError::new(ToolErrorKind::Unknown, message));
            }
            tokio::time::sleep(config.poll_interval).await;
        }
    }

    async fn wait_until_stopped(&self, node: NodeIndex) -> Result<(), ToolError> {
        let deadline = Instant::now() + self.config().stop_timeout;
        loop {
            let status = self.status(node).await;
            if !status.process_running && !status.rpc_reachable {
                return Ok(());
            }
            if Instant::now() >= deadline {
                let waited = self.config().stop_timeout;
                let message = format!("node {node} was asked to stop and still runs after {waited:?}");
                return Err(ToolError::new(ToolErrorKind::Unknown, message));
            }
            tokio::time::sleep(self.config().poll_interval).await;
        }
    }
}

/// A real directory directly below `base`, so deleting it deletes nothing else.
fn is_plain_child(dir: &Path, base: &Path) -> bool {
    let plain = fs::symlink_metadata(dir).is_ok_and(|meta| meta.is_dir());
    match (dir.canonicalize(), base.canonicalize()) {
        (Ok(dir), Ok(base)) => plain && dir.parent() == Some(base.as_path()),
        _ => false,
    }
}

fn failed(what: &str, error: &io::Error) -> ToolError {
    ToolError::new(ToolErrorKind::Failed, format!("{what}: {error}"))
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::UnixListener;

    use super::super::NodesConfig;
    use super::*;

    /// Answers each connection's first request with what `answer` makes of its method and parameters.
    fn listen(socket: &Path, answer: impl Fn(&str, &Value) -> Value + Send + 'static) {
        fs::create_dir_all(socket.parent().unwrap()).unwrap();
        let listener = UnixListener::bind(socket).unwrap();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut bytes = vec![0; 4096];
                let read = stream.read(&mut bytes).await.unwrap();
                // A probe only sees whether somebody listens.
                let Ok(request) = serde_json::from_slice::<Value>(&bytes[..read]) else { continue };
                let mut reply = answer(request["method"].as_str().unwrap(), &request["params"]);
                reply["id"] = request["id"].clone();
                stream.write_all(format!("{reply}\n\n").as_bytes()).await.unwrap();
            }
        });
    }

    fn result(value: impl Into<Value>) -> Value {
        let value: Value = value.into();
        json!({ "jsonrpc": "2.0", "result": value })
    }

    #[tokio::test]
    async fn where_a_playground_serves_its_nodes_are_managed_through_it() {
        let dir = tempfile::tempdir().unwrap();
        listen(&dir.path().join("control"), |method, params| match method {
            "status" => result(json!({ "nodes": [{ "node": 1, "running": false }] })),
            "node_create" => result(json!({ "node": params["node"], "created": true })),
            "node_start" => result(json!({ "node": params["node"], "started": true })),
            "node_delete" => result(json!({ "node": params["node"], "deleted": true })),
            other => json!({ "error": { "code": -32601, "message": format!("Unknown command '{other}'") } }),
        });
        let nodes = Nodes::new(NodesConfig::at(dir.path()));

        let created = nodes.create(NodeIndex::new(3).unwrap()).await.unwrap();
        assert_eq!((created.created, created.node_count), (true, 3));
        assert!(!nodes.create(NodeIndex::FIRST).await.unwrap().created);
        let started = nodes.start(NodeIndex::FIRST, None, None).await.unwrap();
        assert_eq!((started.started, started.port, started.log_file), (true, 9736, None));
        assert!(!nodes.stop(NodeIndex::FIRST).await.unwrap().stopped);
        assert!(nodes.delete(NodeIndex::FIRST, false).await.unwrap().deleted);
        assert!(!nodes.delete(NodeIndex::new(2).unwrap(), false).await.unwrap().deleted);
        assert!(!dir.path().join("lightning").exists());
    }

    #[tokio::test]
    async fn a_node_that_refuses_to_stop_is_not_reported_as_stopped() {
        let dir = tempfile::tempdir().unwrap();
        let nodes = Nodes::new(NodesConfig::at(dir.path()));
        listen(&nodes.rpc_socket(NodeIndex::FIRST), |method, _| match method {
            "getinfo" => result(json!({ "id": "02aa" })),
            _ => json!({ "error": { "code": -1, "message": "rpc says no" } }),
        });

        let error = nodes.stop(NodeIndex::FIRST).await.unwrap_err();
        assert_eq!(error.message, "node 1 refused stop: rpc says no (code -1)");

        let error = nodes.delete(NodeIndex::FIRST, false).await.unwrap_err();
        assert_eq!(error.kind, ToolErrorKind::Refused);
        assert_eq!(error.message, "node 1 is running: stop it first, or pass force=true");
    }

    #[tokio::test]
    async fn a_node_that_goes_on_after_stop_is_an_unknown_outcome() {
        let dir = tempfile::tempdir().unwrap();
        let short = std::time::Duration::from_millis(1);
        let config = NodesConfig { stop_timeout: short, poll_interval: short, ..NodesConfig::at(dir.path()) };
        let nodes = Nodes::new(config);
        listen(&nodes.rpc_socket(NodeIndex::FIRST), |_, _| result(json!({})));

        let error = nodes.stop(NodeIndex::FIRST).await.unwrap_err();

        assert_eq!(error.kind, ToolErrorKind::Unknown);
        assert_eq!(error.message, "node 1 was asked to stop and still runs after 1ms");
    }

    #[tokio::test]
    async fn a_lightningd_that_ends_at_once_is_a_failure_and_not_a_timeout() {
        let dir = tempfile::tempdir().unwrap();
        let poll_interval = std::time::Duration::from_millis(5);
        let config =
            NodesConfig { lightningd_exe: "false".into(), poll_interval, ..NodesConfig::at(dir.path()) };
        let nodes = Nodes::new(config);
        nodes.create(NodeIndex::FIRST).await.unwrap();

        let error = nodes.start(NodeIndex::FIRST, None, None).await.unwrap_err();

        assert_eq!(error.message, "node 1 ended while it started (exit status: 1): it gave no reason");
    }

    /// Needs a lightningd with its plugins, bitcoin-cli, and a regtest bitcoind that the `BITCOIN_*` variables name.
    #[tokio::test]
    async fn a_real_lightningd_starts_answers_and_stops() {
        if std::env::var_os("LIGHTNINGD_EXE").is_none() {
            assert!(
                !std::env::var("LN_AGENT_REQUIRE").unwrap_or_default().contains("lightningd"),
                "LIGHTNINGD_EXE is not set"
            );
            println!("skipped: LIGHTNINGD_EXE is not set");
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let runtime = dir.path().to_string_lossy().into_owned();
        let vars = |name: &str| match name {
            "RUNTIME_DIR" => Some(runtime.clone()),
            _ => std::env::var(name).ok(),
        };
        let nodes = Nodes::new(NodesConfig::from_vars(vars).unwrap());
        nodes.create(NodeIndex::FIRST).await.unwrap();

        assert!(nodes.start(NodeIndex::FIRST, None, None).await.unwrap().started);
        assert!(!nodes.start(NodeIndex::FIRST, None, None).await.unwrap().started);
        assert!(nodes.status(NodeIndex::FIRST).await.running);
        assert!(nodes.stop(NodeIndex::FIRST).await.unwrap().stopped);
        assert!(!nodes.status(NodeIndex::FIRST).await.process_running);
        assert!(nodes.delete(NodeIndex::FIRST, false).await.unwrap().deleted);
    }
}
