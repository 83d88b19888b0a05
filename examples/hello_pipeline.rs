//! The shortest whole program: a network, its tools, a sentence, an answer. Nothing needs to be installed.
//!
//! `cargo run -p ln-agent-examples --bin hello_pipeline`
#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::error::Error;
use std::sync::Arc;

use ln_agent_core::offline::OfflineBackend;
use ln_agent_core::pipeline::{Ask, Network, Pipeline};
use ln_agent_mcp::node::{Nodes, NodesConfig};
use ln_agent_mcp::playground::{self, serve};
use ln_agent_mcp::tools;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Two real Lightning nodes on a chain of their own, behind the sockets of bitcoind and lightningd.
    let dir = tempfile::tempdir()?;
    let network = playground::Network::in_memory([1; 32], 2)?;
    let server = serve::serve(network, dir.path(), &[7; 32], 0).await?;

    // The 47 tools, in this process. `ln_agent_core::adapter::mcp` puts them into another one.
    let mut config = NodesConfig::at(dir.path());
    config.bitcoin_rpc_port = server.bitcoin_port();
    let tools = tools::registry(&Nodes::new(config));

    let pipeline = Pipeline::builder(Arc::new(OfflineBackend), tools).network(Network::Playground).build()?;
    let result = pipeline.run(Ask::new("what is the block height?")).await?;

    println!("{} {}", if result.success { "✓" } else { "✗" }, result.content);
    assert!(result.success);
    server.close().await;
    Ok(())
}
