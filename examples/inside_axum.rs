//! An agent inside your own axum application: one route that takes a sentence and gives the whole result as JSON.
//!
//! `cargo run -p ln-agent-examples --bin inside_axum`
#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::error::Error;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use ln_agent_core::PipelineResult;
use ln_agent_core::offline::OfflineBackend;
use ln_agent_core::pipeline::{Ask, Network, Pipeline};
use ln_agent_mcp::node::{Nodes, NodesConfig};
use ln_agent_mcp::playground::{self, serve};
use ln_agent_mcp::tools;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

async fn ask(
    State(pipeline): State<Arc<Pipeline>>,
    prompt: String,
) -> Result<Json<PipelineResult>, (StatusCode, String)> {
    match pipeline.run(Ask::new(&prompt)).await {
        Ok(result) => Ok(Json(result)),
        Err(error) => Err((StatusCode::BAD_REQUEST, error.to_string())),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let network = playground::Network::in_memory([1; 32], 2)?;
    let server = serve::serve(network, dir.path(), &[7; 32], 0).await?;
    let mut config = NodesConfig::at(dir.path());
    config.bitcoin_rpc_port = server.bitcoin_port();
    let pipeline = Pipeline::builder(Arc::new(OfflineBackend), tools::registry(&Nodes::new(config)))
        .network(Network::Playground)
        .build()?;

    let app = Router::new().route("/ask", post(ask)).with_state(Arc::new(pipeline));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let serving = tokio::spawn(async move { axum::serve(listener, app).await });

    // A caller, as curl would be: curl -d 'what is the block height?' http://ADDRESS/ask
    let body = "what is the block height?";
    let mut stream = TcpStream::connect(address).await?;
    let request = format!(
        "POST /ask HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let json = answer.split_once("\r\n\r\n").map(|(_, body)| body).unwrap_or_default();
    let result: PipelineResult = serde_json::from_str(json)?;
    println!("http://{address}/ask answered: {}", result.content);
    assert!(result.success);

    serving.abort();
    server.close().await;
    Ok(())
}
