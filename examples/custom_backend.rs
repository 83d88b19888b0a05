//! A backend of your own: anything that answers an `LlmRequest`. This one asks the offline backend and counts.
//!
//! `cargo run -p ln-agent-examples --bin custom_backend`
#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ln_agent_core::llm::{LlmBackend, LlmError, LlmRequest, LlmResponse};
use ln_agent_core::offline::OfflineBackend;
use ln_agent_core::pipeline::{Ask, Network, Pipeline};
use ln_agent_mcp::node::{Nodes, NodesConfig};
use ln_agent_mcp::playground::{self, serve};
use ln_agent_mcp::tools;

/// Passes every request on, and counts them.
#[derive(Default)]
struct Counting {
    inner: OfflineBackend,
    calls: AtomicU32,
}

#[async_trait::async_trait]
impl LlmBackend for Counting {
    fn name(&self) -> &str {
        "counting"
    }

    async fn step(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.inner.step(request).await
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let network = playground::Network::in_memory([1; 32], 2)?;
    let server = serve::serve(network, dir.path(), &[7; 32], 0).await?;
    let mut config = NodesConfig::at(dir.path());
    config.bitcoin_rpc_port = server.bitcoin_port();
    let tools = tools::registry(&Nodes::new(config));

    let backend = Arc::new(Counting::default());
    let pipeline =
        Pipeline::builder(Arc::<Counting>::clone(&backend), tools).network(Network::Playground).build()?;
    let result = pipeline.run(Ask::new("list the peers of node 1")).await?;

    println!("{} ({} calls to the backend)", result.content, backend.calls.load(Ordering::Relaxed));
    assert!(result.success);
    server.close().await;
    Ok(())
}
