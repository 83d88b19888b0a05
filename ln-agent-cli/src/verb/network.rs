//! `ln-agent network`: the playground.

use ln_agent_core::types::with_causes;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use ln_agent_mcp::playground::serve::{Layout, serve};
use ln_agent_mcp::playground::{Network, NetworkError};
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};

use crate::command::{Common, NetworkVerb};
use crate::exit::{Exit, Fault};
use crate::render;
use crate::session::{Control, Place, Playground, start};

/// Runs one of its verbs.
pub(crate) fn network(common: &Common, verb: &NetworkVerb) -> Result<Exit, Fault> {
    let place = Place::find(common, &[])?;
    match *verb {
        NetworkVerb::Up { nodes, seed } => up(&place, nodes, seed),
        NetworkVerb::Down => down(&place),
        NetworkVerb::Status { json } => status(&place, json),
        NetworkVerb::Reset => reset(&place),
        NetworkVerb::Env => env(&place),
        NetworkVerb::Serve { nodes, seed, idle_secs } => {
            daemon(&place, nodes, seed, Duration::from_secs(idle_secs))
        }
    }
}

/// Starts the playground where a command needs nodes and none are configured; notes its port.
pub(super) fn ensure_playground(place: &mut Place) -> Result<(), Fault> {
    if place.is_playground() {
        let nodes = place.config.text("DEFAULT_NODE_COUNT").and_then(|text| text.parse().ok()).unwrap_or(2);
        place.playground_port = start(place, nodes, 0, AUTOSTART_IDLE_SECS)?.bitcoin_port();
    }
    Ok(())
}

fn up(place: &Place, nodes: u32, seed: u64) -> Result<Exit, Fault> {
    let running = start(place, nodes, seed, 0)?;
    render::out(&describe(&running.status));
    let present = node_list(&running.status).len();
    if u32::try_from(present) != Ok(nodes) {
        render::note(&format!(
            "note: it was there already, with {present} nodes; `network reset` makes a new one"
        ));
    }
    Ok(Exit::Reached)
}

fn down(place: &Place) -> Result<Exit, Fault> {
    if stop(place)? {
        render::line("The playground is stopped; its state stays.");
    } else {
        render::line("The playground was not running.");
    }
    Ok(Exit::Reached)
}

/// Stops it and waits until it is gone. `false`: none was running.
pub(super) fn stop(place: &Place) -> Result<bool, Fault> {
    let socket = Layout::new(place.runtime.root()).control();
    let broken = |cause: String| Fault::unreachable(format!("the playground did not stop: {cause}"));
    let Some(mut control) = Control::connect(&socket).map_err(|error| broken(error.to_string()))? else {
        return Ok(false);
    };
    control.call("shutdown", &json!({})).map_err(|error| broken(with_causes(&error)))?;
    control.wait_for_end().map_err(|error| broken(error.to_string()))?;
    let begun = Instant::now();
    while socket.exists() && begun.elapsed() < STOP_LIMIT {
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(true)
}

fn status(place: &Place, as_json: bool) -> Result<Exit, Fault> {
    let found = Playground::find(place)?;
    match (&found, as_json) {
        (Some(running), true) => render::json(&running.status),
        (None, true) => render::json(&json!({ "running": false })),
        (Some(running), false) => render::out(&describe(&running.status)),
        (None, false) => render::line("The playground is not running: `ln-agent network up` starts it."),
    }
    Ok(if found.is_some() { Exit::Reached } else { Exit::Unreachable })
}

fn reset(place: &Place) -> Result<Exit, Fault> {
    stop(place)?;
    let layout = Layout::new(place.runtime.root());
    let parts =
        [layout.state(), place.runtime.root().join("bitcoin"), place.runtime.root().join("lightning")];
    for part in parts {
        match std::fs::remove_dir_all(&part) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Fault::failed(format!("cannot remove {}: {error}", part.display()))),
        }
    }
    for file in [layout.node_count(), layout.control()] {
        match std::fs::remove_file(&file) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Fault::failed(format!("cannot remove {}: {error}", file.display()))),
        }
    }
    render::line("The playground is wiped.");
    Ok(Exit::Reached)
}

fn env(place: &Place) -> Result<Exit, Fault> {
    let Some(running) = Playground::find(place)? else {
        return Err(Fault::unreachable("the playground is not running: `ln-agent network up` starts it"));
    };
    let root = place.runtime.root();
    render::line(&format!("export RUNTIME_DIR={}", quoted(&root.display().to_string())));
    render::line("export NETWORK=regtest");
    render::line("export BITCOIN_RPC_HOST=127.0.0.1");
    if let Some(port) = running.bitcoin_port() {
        render::line(&format!("export BITCOIN_RPC_PORT={port}"));
    }
    render::line(&format!(
        "export BITCOIN_DIR={}",
        quoted(&root.join("bitcoin/shared").display().to_string())
    ));
    render::line(&format!("export LIGHTNING_BASE={}", quoted(&root.join("lightning").display().to_string())));
    Ok(Exit::Reached)
}

/// The process itself: opens the network, says that it is ready, and serves until it is told to stop.
fn daemon(place: &Place, nodes: u32, seed: u64, idle: Duration) -> Result<Exit, Fault> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Fault::failed(format!("cannot start the runtime: {error}")))?;
    runtime.block_on(serve_until_told(place, nodes, seed, idle))
}

async fn serve_until_told(place: &Place, nodes: u32, seed: u64, idle: Duration) -> Result<Exit, Fault> {
    let layout = Layout::new(place.runtime.root());
    let nodes = u16::try_from(nodes).map_err(|_| Fault::usage(format!("{nodes} nodes are too many")))?;
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    let network = Network::open(&layout.state(), bytes, nodes).map_err(|error| match &error {
        NetworkError::Store(_) => Fault::unreachable(with_causes(&error)),
        _ => Fault::failed(with_causes(&error)),
    })?;
    let server = serve(network, place.runtime.root(), &secret()?, 0)
        .await
        .map_err(|error| Fault::unreachable(with_causes(&error)))?;
    say_ready()?;
    let mut terminate = signal(SignalKind::terminate()).map_err(|error| Fault::failed(error.to_string()))?;
    tokio::select! {
        () = server.shutdown_requested() => {}
        () = server.idle_for(idle) => {}
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    server.close().await;
    Ok(Exit::Reached)
}

/// The starter waits for this line; afterwards nobody reads.
fn say_ready() -> Result<(), Fault> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "ready").and_then(|()| stdout.flush()).map_err(|error| Fault::failed(error.to_string()))
}

/// bitcoind's password in the cookie file, new at every start.
fn secret() -> Result<[u8; 32], Fault> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(|error| Fault::failed(format!("no randomness: {error}")))?;
    Ok(secret)
}

fn describe(status: &Value) -> String {
    let text = |key: &str| {
        status.get(key).map(|value| value.to_string().trim_matches('"').to_owned()).unwrap_or_default()
    };
    let mut shown = format!(
        "The playground runs ({}, pid {}): a regtest chain with bitcoind's RPC on 127.0.0.1:{}\n",
        text("version"),
        text("pid"),
        text("bitcoin_rpc_port")
    );
    for node in node_list(status) {
        let running = node.get("running").and_then(Value::as_bool).unwrap_or_default();
        let state = if running { "running" } else { "stopped" };
        let number = node.get("node").cloned().unwrap_or_default();
        let socket = node.get("rpc_socket").and_then(Value::as_str).unwrap_or_default();
        shown.push_str(&format!("  node {number}  {state}  {socket}\n"));
    }
    shown
}

fn node_list(status: &Value) -> &[Value] {
    status.get("nodes").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A word for a POSIX shell.
fn quoted(text: &str) -> String {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// A playground that nobody asked for by name stops after ten idle minutes.
const AUTOSTART_IDLE_SECS: u64 = 600;
const STOP_LIMIT: Duration = Duration::from_secs(5);
