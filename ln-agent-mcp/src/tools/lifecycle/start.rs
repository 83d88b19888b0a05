//! `ln_node_start`.

use std::net::IpAddr;
use std::time::Duration;

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::node::{Nodes, Started};

/// Starts a node.
#[derive(Debug)]
pub(super) struct NodeStart {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_node_start`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeStartArgs {
    /// Node, counted from 1.
    node: NodeIndex,
    /// IP address or host name to listen on. Default: the configured one, usually 127.0.0.1.
    bind_host: Option<String>,
    /// IP address or host name others are told to connect to. Default: the configured one.
    announce_host: Option<String>,
}

#[async_trait::async_trait]
impl TypedTool for NodeStart {
    const NAME: &'static str = "ln_node_start";
    const TITLE: &'static str = "Start a node";
    const DESCRIPTION: &'static str =
        "Starts a Lightning node and waits up to 30 s until it takes commands. Does nothing if it runs.";
    const EFFECT: Effect = Effect::Write;
    const IDEMPOTENT: bool = true;
    type Args = NodeStartArgs;
    type Output = Started;

    fn budget(&self) -> Option<Duration> {
        let config = self.nodes.config();
        Some(config.start_timeout + config.call_timeout)
    }

    async fn call(&self, args: NodeStartArgs) -> Result<Started, ToolError> {
        let bind = host("bind_host", args.bind_host.as_deref())?;
        let announce = host("announce_host", args.announce_host.as_deref())?;
        self.nodes.start(args.node, bind, announce).await
    }
}

/// An IP address or a host name; it is written to a configuration file, so nothing else may be in it.
fn host<'a>(argument: &str, text: Option<&'a str>) -> Result<Option<&'a str>, ToolError> {
    let Some(host) = text.map(str::trim).filter(|host| !host.is_empty()) else { return Ok(None) };
    let name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    let is_name = host.len() <= 253 && host.bytes().all(name) && !host.starts_with(['-', '.']);
    if host.parse::<IpAddr>().is_ok() || is_name {
        return Ok(Some(host));
    }
    Err(ToolError::invalid_argument(argument, &json!(host), "an IP address or a host name without a port"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::NodesConfig;

    fn start(number: u32, bind: Option<&str>) -> NodeStartArgs {
        let node = NodeIndex::new(number).unwrap();
        NodeStartArgs { node, bind_host: bind.map(str::to_owned), announce_host: None }
    }

    #[tokio::test]
    async fn a_host_that_could_smuggle_a_setting_is_refused() {
        let tool = NodeStart { nodes: Nodes::new(NodesConfig::at("/nowhere".as_ref())) };

        let error = tool.call(start(1, Some("1.2.3.4\nplugin=/bin/sh"))).await.unwrap_err();

        assert!(error.message.starts_with("argument `bind_host` was"), "{}", error.message);
    }

    #[tokio::test]
    async fn a_missing_node_and_a_missing_lightningd_are_named_with_the_remedy() {
        let dir = tempfile::tempdir().unwrap();
        let exe = dir.path().join("no-such-lightningd");
        let nodes = Nodes::new(NodesConfig { lightningd_exe: exe.clone(), ..NodesConfig::at(dir.path()) });
        let tool = NodeStart { nodes: nodes.clone() };

        let error = tool.call(start(1, None)).await.unwrap_err();
        assert_eq!(error.message, "node 1 does not exist: create it with ln_node_create");

        nodes.create(NodeIndex::FIRST).await.unwrap();
        let error = tool.call(start(1, None)).await.unwrap_err();
        assert_eq!(
            error.message,
            format!("`{}` was not found: install Core Lightning, or set LIGHTNINGD_EXE", exe.display())
        );
    }
}
