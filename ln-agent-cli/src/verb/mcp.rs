//! `ln-agent mcp`: the tools for any MCP client. The only process that touches nodes.

use ln_agent_core::types::with_causes;
use std::time::Duration;

use ln_agent_core::tool::Registry;
use ln_agent_mcp::server::{BearerToken, HttpError, HttpOptions, McpServer, serve_http, serve_stdio};
use ln_agent_mcp::tools;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::network::ensure_playground;
use crate::command::{Common, McpArgs};
use crate::exit::{Exit, Fault};
use crate::render;
use crate::session::{Place, Playground, Toolbox};

/// Serves until the end of input; over HTTP until Ctrl-C or SIGTERM.
pub(crate) async fn mcp(common: &Common, args: &McpArgs) -> Result<Exit, Fault> {
    let mut place = Place::find(common, &[])?;
    if let Err(fault) = ensure_playground(&mut place) {
        // The list of tools is worth having while the nodes are away; each call says what is wrong.
        render::fault(&fault);
    }
    if place.is_playground() {
        tokio::spawn(keep_awake(place.clone()));
    }
    let nodes = Toolbox::nodes(&place)?;
    let registry = Registry::new(tools::all(&nodes)).map_err(|error| Fault::failed(error.to_string()))?;
    let server = McpServer::new(registry, move || nodes.node_count()).max_result_bytes(args.max_result_bytes);
    let Some(listen) = args.http else {
        serve_stdio(server).await.map_err(|error| Fault::failed(with_causes(&error)))?;
        return Ok(Exit::Reached);
    };
    let bearer_token = place.config.text("LN_AGENT_MCP_TOKEN").and_then(BearerToken::new);
    let mut terminate = signal(SignalKind::terminate()).map_err(|error| Fault::failed(error.to_string()))?;
    let stop = CancellationToken::new();
    let on_signal = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        }
        on_signal.cancel();
    });
    let announce = |address| render::note(&format!("listening on http://{address}/mcp"));
    match serve_http(server, HttpOptions { listen, bearer_token }, stop, announce).await {
        Ok(()) => Ok(Exit::Reached),
        Err(error @ (HttpError::Unguarded(_) | HttpError::Listen(..))) => {
            Err(Fault::usage(with_causes(&error)))
        }
        Err(error) => Err(Fault::failed(with_causes(&error))),
    }
}

/// Tells the playground now and then that it is wanted: it stops by itself when nobody asks anything.
async fn keep_awake(place: Place) {
    let mut ticks = tokio::time::interval(KEEP_AWAKE_INTERVAL);
    loop {
        ticks.tick().await;
        let place = place.clone();
        match tokio::task::spawn_blocking(move || Playground::find(&place)).await {
            Ok(Ok(_)) => {}
            Ok(Err(fault)) => tracing::warn!("{}", fault.message),
            Err(error) => tracing::warn!(%error, "the playground could not be looked at"),
        }
    }
}

/// Well below the ten idle minutes after which it stops.
const KEEP_AWAKE_INTERVAL: Duration = Duration::from_secs(120);
