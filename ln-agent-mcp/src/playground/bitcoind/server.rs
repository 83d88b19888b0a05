use std::io;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::answer::Answer;
use super::cookie::Cookie;
use super::wire::{Reply, Request, split};
use crate::playground::chain::{Res, RpcErr};

/// bitcoind's limit on a request's body.
const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;
const ONLY_POST: &str = "JSONRPC server handles only POST requests";

/// One call on its way to whoever owns the state.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcCall {
    /// The method's name.
    pub method: String,
    /// An array, an object, or null.
    pub params: Value,
    /// The wallet named by the URI path.
    pub wallet: Option<String>,
}

/// Hands a call to whoever owns the state; the answer comes back when it is durable. A dropped sender means that
/// the network has stopped.
pub type Ask = Arc<dyn Fn(RpcCall) -> oneshot::Receiver<Res<Answer>> + Send + Sync>;

#[derive(Clone)]
struct Door {
    ask: Ask,
    cookie: Arc<Cookie>,
}

/// Serves bitcoind's HTTP interface on a bound listener, until the future is dropped.
///
/// # Errors
///
/// What the listener says.
pub async fn serve(listener: TcpListener, cookie: Arc<Cookie>, ask: Ask) -> io::Result<()> {
    let door = Door { ask, cookie };
    let router = Router::new()
        .route("/", post(at_root).fallback(only_post))
        .route("/wallet/", post(at_default_wallet).fallback(only_post))
        .route("/wallet/{*name}", post(at_wallet).fallback(only_post))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(door);
    axum::serve(listener, router).await
}

async fn only_post() -> Response {
    (StatusCode::METHOD_NOT_ALLOWED, [(header::CONTENT_TYPE, "text/html; charset=ISO-8859-1")], ONLY_POST)
        .into_response()
}

async fn at_root(State(door): State<Door>, headers: HeaderMap, body: Bytes) -> Response {
    door.answer(&headers, &body, None).await
}

async fn at_default_wallet(State(door): State<Door>, headers: HeaderMap, body: Bytes) -> Response {
    door.answer(&headers, &body, Some("")).await
}

async fn at_wallet(
    State(door): State<Door>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    door.answer(&headers, &body, Some(&name)).await
}

impl Door {
    async fn answer(&self, headers: &HeaderMap, body: &[u8], wallet: Option<&str>) -> Response {
        let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        if !self.cookie.opens(sent) {
            let challenge = [(header::WWW_AUTHENTICATE, "Basic realm=\"jsonrpc\"")];
            return (StatusCode::UNAUTHORIZED, challenge).into_response();
        }
        let reply = match split(body) {
            Err(why) => self.one(&Request::unreadable(why), wallet).await,
            Ok((items, true)) => self.batch(items, wallet).await,
            Ok((items, false)) => {
                let only = items.into_iter().next().unwrap_or(Value::Null);
                self.one(&Request::read(only, &Value::Null), wallet).await
            }
        };
        let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        match reply.body {
            Some(body) => (status, [(header::CONTENT_TYPE, "application/json")], body + "\n").into_response(),
            None => status.into_response(),
        }
    }

    async fn batch(&self, items: Vec<Value>, wallet: Option<&str>) -> Reply {
        let empty = items.is_empty();
        let mut bodies = Vec::new();
        let mut previous = Value::Null;
        for item in items {
            let request = Request::read(item, &previous);
            previous = request.id();
            bodies.extend(self.one(&request, wallet).await.body);
        }
        if bodies.is_empty() && !empty {
            return Reply { status: 204, body: None };
        }
        Reply { status: 200, body: Some(format!("[{}]", bodies.join(","))) }
    }

    async fn one(&self, request: &Request, wallet: Option<&str>) -> Reply {
        let outcome = match &request.method {
            Err(error) => Err(error.clone()),
            Ok((method, params)) => {
                let call = RpcCall {
                    method: method.clone(),
                    params: params.clone(),
                    wallet: wallet.map(ToOwned::to_owned),
                };
                let stopped = || Err(RpcErr::new(-1, "the playground network has stopped"));
                (self.ask)(call).await.unwrap_or_else(|_| stopped())
            }
        };
        request.reply(outcome)
    }
}
