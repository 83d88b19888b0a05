//! The protocol on standard input and output.

use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio_util::io::InspectReader;
use tokio_util::sync::CancellationToken;

use super::McpServer;

/// Why the server on stdio ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StdioError {
    /// The client never said a valid first word.
    #[error("no MCP client at the other end of standard input")]
    Handshake(#[source] Box<ServerInitializeError>),
    /// The service task failed.
    #[error("MCP service stopped")]
    Service(#[from] tokio::task::JoinError),
}

/// Serves until standard input ends; calls in flight then have 1 s to answer. Standard output carries nothing but the
/// protocol.
///
/// # Errors
///
/// [`StdioError`] when the conversation broke; the end of input is no error.
pub async fn serve_stdio(server: McpServer) -> Result<(), StdioError> {
    let ended = CancellationToken::new();
    let (stdin, stdout) = rmcp::transport::stdio();
    let at_end = ended.clone();
    let stdin = InspectReader::new(stdin, move |bytes| {
        if bytes.is_empty() {
            at_end.cancel();
        }
    });
    let running = match server.serve((stdin, stdout)).await {
        Ok(running) => running,
        // Input that ends before a first word is a client that changed its mind.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(StdioError::Handshake(Box::new(error))),
    };
    // The service waits longer for its calls than a client waits for the end of this process.
    let overdue = async {
        ended.cancelled().await;
        tokio::time::sleep(CALLS_IN_FLIGHT_LIMIT).await;
    };
    tokio::select! {
        reason = running.waiting() => drop(reason?),
        () = overdue => tracing::info!("the client left, and calls in flight are given up"),
    }
    Ok(())
}

const CALLS_IN_FLIGHT_LIMIT: Duration = Duration::from_secs(1);
