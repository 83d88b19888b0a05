//! The client of tool servers, with real processes that misbehave.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ln_agent_core::adapter::mcp::{McpClient, ServerCommand};
use ln_agent_core::tool::{Effect, ToolError, ToolErrorKind};
use serde_json::{Value, json};

fn program(program: &str, args: &[&str]) -> ServerCommand {
    ServerCommand {
        program: program.into(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: vec![],
    }
}

/// A server that does what the name of the called tool says.
fn rude() -> ServerCommand {
    program("sh", &[concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/data/tool_server.sh")])
}

async fn call(client: &McpClient, tool: &str, effect: Effect) -> Result<Value, ToolError> {
    client.call(tool, serde_json::Map::new(), effect, None).await
}

async fn pid(client: &McpClient) -> String {
    call(client, "pid", Effect::Read).await.unwrap().as_str().unwrap().to_owned()
}

/// A process that ended and was not yet waited for is gone, too.
fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.trim().is_empty() && !rest.trim_start().starts_with('Z'))
}

#[tokio::test]
async fn a_server_that_was_killed_between_two_calls_is_started_again() {
    let client = McpClient::new(rude());
    let first = pid(&client).await;

    assert!(std::process::Command::new("kill").args(["-9", &first]).status().unwrap().success());
    while is_alive(&first) {
        tokio::task::yield_now().await;
    }
    let second = pid(&client).await;

    assert_ne!(first, second);
    assert!(!is_alive(&first) && is_alive(&second));
}

#[tokio::test]
async fn a_server_that_dies_during_a_call_leaves_a_change_unknown_and_a_read_undone() {
    let cases = [
        (Effect::Read, ToolErrorKind::Unreachable),
        (Effect::Write, ToolErrorKind::Unknown),
        (Effect::Spend, ToolErrorKind::Unknown),
    ];
    let client = McpClient::new(rude());
    for (effect, kind) in cases {
        let error = call(&client, "die", effect).await.unwrap_err();

        assert_eq!(error.kind, kind, "{error}");
        assert!(error.message.starts_with("the tool server broke off during `die`"), "{error}");
    }
    assert!(is_alive(&pid(&client).await), "and it is started again");
}

#[tokio::test]
async fn a_server_that_floods_standard_error_does_not_block() {
    let client = McpClient::new(rude());

    let payload = call(&client, "flood", Effect::Read).await;

    assert_eq!(payload, Ok(json!("flooded")));
}

#[tokio::test]
async fn a_late_reply_is_dropped_and_the_next_call_gets_its_own() {
    let client = McpClient::new(rude());
    pid(&client).await;
    // The clock jumps to the deadline as soon as there is nothing to do but wait.
    tokio::time::pause();
    let late = call(&client, "late", Effect::Spend).await.unwrap_err();
    tokio::time::resume();

    let next = call(&client, "next", Effect::Read).await;

    assert_eq!(late.kind, ToolErrorKind::Unknown);
    assert_eq!(late.message, "tool `late` did not answer within 32 s (MCP_CALL_TIMEOUT_S sets the deadline)");
    assert_eq!(next, Ok(json!("next")));
    assert_eq!(call(&client, "next", Effect::Read).await, Ok(json!("next")));
}

#[tokio::test]
async fn a_program_that_is_no_server_is_named_with_what_it_did_instead() {
    let cases = [
        (program("/nowhere/tools", &[]), "cannot start the tool server `/nowhere/tools`: No such file"),
        (program("true", &[]), "the tool server `true` did not complete the handshake"),
        (
            program("sh", &["-c", "echo 'no configuration' >&2; exit 3"]),
            "did not complete the handshake: it said: no configuration",
        ),
        (program("echo", &["hello"]), "the tool server `echo hello` did not complete the handshake"),
    ];
    for (command, expected) in cases {
        let error = call(&McpClient::new(command), "pid", Effect::Spend).await.unwrap_err();

        assert_eq!(error.kind, ToolErrorKind::Unreachable);
        assert!(error.message.contains(expected), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_program_that_says_nothing_of_its_own_costs_the_deadline_and_no_more() {
    for (command, name) in [(program("sleep", &["60"]), "sleep 60"), (program("cat", &[]), "cat")] {
        let error = call(&McpClient::new(command), "pid", Effect::Spend).await.unwrap_err();

        assert_eq!(error.kind, ToolErrorKind::Unreachable);
        assert_eq!(error.message, format!("the tool server `{name}` did not answer within 10 s"));
    }
}

#[tokio::test]
async fn the_process_id_is_noted_while_it_runs() {
    let dir = tempfile::tempdir().unwrap();
    let file: PathBuf = dir.path().join("mcp.pid");
    let client = McpClient::with(rude(), Duration::from_secs(30), Some(file.clone()));
    let pid = pid(&client).await;
    let noted = std::fs::read_to_string(&file).unwrap();

    Arc::clone(&client).shutdown().await;

    assert_eq!(noted.trim(), pid);
    assert!(!file.exists() && !is_alive(&pid));
}
