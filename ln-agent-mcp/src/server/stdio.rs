//! The protocol on standard input and output.

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;

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

/// Serves until standard input ends. Standard output carries nothing but the protocol.
///
/// # Errors
///
/// [`StdioError`] when the conversation broke; the end of input is no error.
pub async fn serve_stdio(server: McpServer) -> Result<(), StdioError> {
    let running = match server.serve(rmcp::transport::stdio()).await {
        Ok(running) => running,
        // Input that ends before a first word is a client that changed its mind.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(StdioError::Handshake(Box::new(error))),
    };
    running.waiting().await?;
    Ok(())
}
