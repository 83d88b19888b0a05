//! The client of the tool server, over a real one: calls that are given up, and a server that dies.

use std::sync::Arc;
use std::time::Duration;

use ln_agent_core::adapter::mcp::{McpClient, ServerCommand};
use ln_agent_core::tool::{Effect, ToolErrorKind};
use serde_json::{Value, json};

use crate::desk::Desk;

fn client(desk: &Desk) -> Arc<McpClient> {
    let home = desk.path().display().to_string();
    let server = ServerCommand {
        program: env!("CARGO_BIN_EXE_ln-agent").into(),
        args: ["mcp", "--max-result-bytes", "0"].map(str::to_owned).to_vec(),
        env: ["RUNTIME_DIR", "HOME"].map(|name| (name.to_owned(), home.clone())).to_vec(),
    };
    McpClient::with(server, Duration::from_secs(30), Some(desk.path().join("mcp.pid")))
}

async fn call(client: &McpClient, tool: &str, args: Value) -> Result<Value, ToolErrorKind> {
    let Value::Object(args) = args else { panic!("arguments are an object") };
    client.call(tool, args, Effect::Read, None).await.map_err(|error| error.kind)
}

#[tokio::test]
async fn a_late_answer_is_not_taken_for_that_of_the_next_call() {
    let desk = Desk::new();
    let client = client(&desk);
    assert!(call(&client, "network_health", json!({})).await.is_ok());

    for node in [1, 2, 1] {
        let wait = call(&client, "ln_waitanyinvoice", json!({ "node": node }));
        assert!(tokio::time::timeout(Duration::from_millis(50), wait).await.is_err());

        let status = call(&client, "ln_node_status", json!({ "node": node })).await.unwrap();

        assert_eq!(status["node"], node);
    }
    let (one, chain) = tokio::join!(
        call(&client, "ln_getinfo", json!({ "node": 1 })),
        call(&client, "btc_getblockchaininfo", json!({}))
    );
    assert_eq!((&one.unwrap()["alias"], &chain.unwrap()["chain"]), (&json!("node-1"), &json!("regtest")));
    client.shutdown().await;
}

#[tokio::test]
async fn a_server_that_was_killed_is_started_again() {
    let desk = Desk::new();
    let client = client(&desk);
    let pid = || std::fs::read_to_string(desk.path().join("mcp.pid")).unwrap().trim().to_owned();
    let status = || call(&client, "ln_node_status", json!({ "node": 1 }));
    assert_eq!(status().await.unwrap()["running"], true);
    let first = pid();

    assert!(std::process::Command::new("kill").args(["-9", &first]).status().unwrap().success());
    // The call that finds the server dead may fail, but is never taken for done.
    let found_dead = status().await;
    let again = if found_dead.is_ok() { found_dead } else { status().await };

    assert_eq!(again.unwrap()["running"], true);
    assert_ne!(pid(), first);
    client.shutdown().await;
    assert!(!desk.path().join("mcp.pid").exists());
}
