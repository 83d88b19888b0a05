//! The tools in another process, over the Model Context Protocol: the process that plans never touches a node.
//!
//! `cargo build --release && cargo run -p ln-agent-examples --bin mcp_tools`
#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::error::Error;
use std::sync::Arc;

use ln_agent_core::adapter::mcp::{McpClient, ServerCommand};
use ln_agent_core::offline::OfflineBackend;
use ln_agent_core::pipeline::{Ask, Network, Pipeline};
use ln_agent_core::tool::Registry;
use ln_agent_mcp::node::{Nodes, NodesConfig};
use ln_agent_mcp::tools;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let program = std::env::var("LN_AGENT_EXE").unwrap_or_else(|_| "target/release/ln-agent".to_owned());
    let env = vec![("RUNTIME_DIR".to_owned(), dir.path().display().to_string())];
    let client =
        McpClient::new(ServerCommand { program: program.clone().into(), args: vec!["mcp".into()], env });

    // What a tool may do comes from our own specifications, not from what the other process says of itself.
    let specs = tools::all(&Nodes::new(NodesConfig::at(dir.path())))
        .iter()
        .map(|tool| tool.spec().clone())
        .collect::<Vec<_>>();
    let registry = Registry::new(client.tools(specs))?;
    println!("{} tools", registry.len());

    let pipeline =
        Pipeline::builder(Arc::new(OfflineBackend), registry).network(Network::Playground).build()?;
    let result = pipeline.run(Ask::new("check the health of the network")).await?;
    println!("{}", result.content);
    assert!(result.success);

    client.shutdown().await;
    // The server started a playground of its own in `dir`.
    let stopped = std::process::Command::new(program)
        .args(["network", "down"])
        .env("RUNTIME_DIR", dir.path())
        .status()?;
    assert!(stopped.success());
    Ok(())
}
