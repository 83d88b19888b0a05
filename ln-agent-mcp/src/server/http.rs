//! The protocol as streamable HTTP, on loopback unless a token guards it.

use std::io;
use std::net::SocketAddr;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use subtle::ConstantTimeEq;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::McpServer;

/// Where and how to listen.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Address and port; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Secret that every request must carry as `Authorization: Bearer …`. Needed beyond loopback.
    pub bearer_token: Option<BearerToken>,
}

/// A secret that `Debug` does not show.
#[derive(Clone)]
pub struct BearerToken(String);

/// Why the server does not listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// Anyone could move money.
    #[error("{0} is not loopback and no bearer token is set: set LN_AGENT_MCP_TOKEN, or listen on 127.0.0.1")]
    Unguarded(SocketAddr),
    /// The address is taken or not ours.
    #[error("cannot listen on {0}")]
    Listen(SocketAddr, #[source] io::Error),
    /// The server broke.
    #[error("HTTP server stopped")]
    Serve(#[source] io::Error),
}

impl BearerToken {
    /// A token; blank is none.
    #[must_use]
    pub fn new(secret: &str) -> Option<Self> {
        let secret = secret.trim();
        (!secret.is_empty()).then(|| Self(secret.to_owned()))
    }

    /// Compares in constant time.
    fn matches(&self, presented: &str) -> bool {
        self.0.as_bytes().ct_eq(presented.as_bytes()).into()
    }
}

impl std::fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BearerToken(…)")
    }
}

/// Listens, tells the bound address to `on_bound`, and serves `/mcp` until `stop` is cancelled.
///
/// # Errors
///
/// [`HttpError`] when it may not or cannot listen, or broke while serving.
pub async fn serve_http(
    server: McpServer,
    options: HttpOptions,
    stop: CancellationToken,
    on_bound: impl FnOnce(SocketAddr),
) -> Result<(), HttpError> {
    if !options.listen.ip().is_loopback() && options.bearer_token.is_none() {
        return Err(HttpError::Unguarded(options.listen));
    }
    let listener =
        TcpListener::bind(options.listen).await.map_err(|e| HttpError::Listen(options.listen, e))?;
    let bound = listener.local_addr().map_err(|e| HttpError::Listen(options.listen, e))?;
    on_bound(bound);
    let app = router(server, &options, stop.clone());
    axum::serve(listener, app).with_graceful_shutdown(stop.cancelled_owned()).await.map_err(HttpError::Serve)
}

fn router(server: McpServer, options: &HttpOptions, stop: CancellationToken) -> Router {
    let mut config = StreamableHttpServerConfig::default()
        .with_cancellation_token(stop)
        .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"])
        .enforce_origin_validation();
    if !options.listen.ip().is_loopback() {
        // Behind a name of its own the Host header is the operator's; the bearer token guards instead.
        config = config.disable_allowed_hosts();
    }
    let service =
        StreamableHttpService::new(move || Ok(server.clone()), LocalSessionManager::default().into(), config);
    Router::new()
        .nest_service("/mcp", service)
        .layer(middleware::from_fn_with_state(options.bearer_token.clone(), authorise))
}

async fn authorise(State(token): State<Option<BearerToken>>, request: Request, next: Next) -> Response {
    let Some(token) = token else {
        return next.run(request).await;
    };
    let presented = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    match presented.and_then(|value| value.strip_prefix("Bearer ")) {
        Some(secret) if token.matches(secret) => next.run(request).await,
        _ => {
            let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
            (StatusCode::UNAUTHORIZED, challenge, "a bearer token is needed\n").into_response()
        }
    }
}
