//! The tool server process and the tools in it.

use std::sync::Arc;

use ln_agent_core::adapter::mcp::{McpClient, ServerCommand};
use ln_agent_core::tool::{Registry, ToolSpec};
use ln_agent_mcp::node::{Nodes, NodesConfig};

use super::Place;
use crate::exit::Fault;

/// Tools that run in another process: this one never touches a node.
pub(crate) struct Toolbox {
    pub(crate) registry: Registry,
    pub(crate) nodes: Nodes,
    client: Arc<McpClient>,
}

impl Toolbox {
    /// The tools of this place. The process is started by the first call.
    pub(crate) fn open(place: &Place) -> Result<Self, Fault> {
        let program = std::env::current_exe()
            .map_err(|error| Fault::failed(format!("cannot find the program's own file: {error}")))?;
        // Our own client takes whole answers; pages are for models.
        let args = ["mcp", "--max-result-bytes", "0"].map(str::to_owned).to_vec();
        let command = ServerCommand { program, args, env: place.environment() };
        let pid_file = place.runtime.tool_server_pid();
        let client = McpClient::with(command, place.settings.call_timeout, Some(pid_file));
        let nodes = Self::nodes(place)?;
        let registry =
            Registry::new(client.tools(specs(&nodes))).map_err(|error| Fault::failed(error.to_string()))?;
        Ok(Self { registry, nodes, client })
    }

    /// The nodes of this place, for their number and their tools' specifications; nothing is connected.
    pub(crate) fn nodes(place: &Place) -> Result<Nodes, Fault> {
        let config = NodesConfig::from_vars(|var| place.node_setting(var))
            .map_err(|error| Fault::usage(error.to_string()))?;
        Ok(Nodes::new(config))
    }

    /// Ends the process.
    pub(crate) async fn close(self) {
        drop(self.registry);
        self.client.shutdown().await;
    }
}

/// What is known of the tools without calling them: effects come from here, never from the wire.
pub(crate) fn specs(nodes: &Nodes) -> Vec<ToolSpec> {
    ln_agent_mcp::tools::all(nodes).iter().map(|tool| tool.spec().clone()).collect()
}
