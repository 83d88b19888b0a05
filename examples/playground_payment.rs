//! One sentence opens a channel, makes an invoice and pays it; the balances are read off the nodes afterwards.
//!
//! `cargo run -p ln-agent-examples --bin playground_payment`
#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::error::Error;
use std::sync::Arc;

use ln_agent_core::Msat;
use ln_agent_core::offline::OfflineBackend;
use ln_agent_core::pipeline::{Ask, Network, Pipeline};
use ln_agent_mcp::node::{Nodes, NodesConfig};
use ln_agent_mcp::playground::{self, serve};
use ln_agent_mcp::tools;
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let network = playground::Network::in_memory([1; 32], 2)?;
    let server = serve::serve(network.clone(), dir.path(), &[7; 32], 0).await?;
    let mut config = NodesConfig::at(dir.path());
    config.bitcoin_rpc_port = server.bitcoin_port();
    let tools = tools::registry(&Nodes::new(config));

    // The cap holds for everything that one sentence may cost, the channel's funding included.
    let pipeline = Pipeline::builder(Arc::new(OfflineBackend), tools)
        .network(Network::Playground)
        .max_spend(Some(Msat(600_000_000)))
        .build()?;
    let prompt =
        "open a 500000 sat channel from node 1 to node 2, then node 2 invoices 10000 msat and node 1 pays it";
    let result = pipeline.run(Ask::new(prompt)).await?;

    for step in &result.step_results {
        println!("{} {:>2} {}", if step.ok { "✓" } else { "✗" }, step.step_id, step.tool);
    }
    println!("{}", result.content);
    assert!(result.success, "{:?}", result.error);

    let channels = network.lightning(2, "listpeerchannels", json!({})).await?;
    println!("node 2 now holds {} msat in the channel", channels["channels"][0]["to_us_msat"]);
    assert_eq!(channels["channels"][0]["to_us_msat"], 10_000);
    server.close().await;
    Ok(())
}
