//! One HTTP exchange: each hop is checked against the allow-list and pinned to the addresses that were checked.

use std::time::Duration;

use ln_agent_core::tool::{Effect, ToolError, ToolErrorKind};
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Client, Method, Response, Url, redirect};

use super::allow;
use crate::node::outcome::{lost, unreachable};
use crate::node::{root_cause, tls};

/// What is asked.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<String>,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
    /// The body was longer than what is kept.
    pub(super) truncated: bool,
}

/// Asks, following redirects of a GET or HEAD.
pub(super) async fn exchange(
    request: Request,
    allowed: &[String],
    deadline: Duration,
    effect: Effect,
) -> Result<Answer, ToolError> {
    match tokio::time::timeout(deadline, follow(request, allowed, effect)).await {
        Ok(answer) => answer,
        Err(_) => Err(lost(effect, format!("no answer within {deadline:?}"))),
    }
}

async fn follow(mut request: Request, allowed: &[String], effect: Effect) -> Result<Answer, ToolError> {
    for _ in 0..=MAX_REDIRECTS {
        let response = send(&request, allowed, effect).await?;
        let Some(next) = redirect_target(&request, &response) else { return read(response, effect).await };
        if next.origin() != request.url.origin() {
            // What was meant for one host is not shown to another.
            request.headers.clear();
        }
        request.url = next;
    }
    Err(ToolError::new(ToolErrorKind::Failed, format!("more than {MAX_REDIRECTS} redirects")))
}

fn redirect_target(request: &Request, response: &Response) -> Option<Url> {
    let repeatable = matches!(request.method, Method::GET | Method::HEAD);
    if !repeatable || !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    request.url.join(location).ok()
}

async fn send(request: &Request, allowed: &[String], effect: Effect) -> Result<Response, ToolError> {
    let url = &request.url;
    if !matches!(url.scheme(), "http" | "https") {
        let message = format!("{}: URLs are not asked: only http and https", url.scheme());
        return Err(ToolError::new(ToolErrorKind::Refused, message));
    }
    let addresses = allow::resolve(url, allowed).await?;
    let host = url.host_str().unwrap_or_default().to_owned();
    tls::choose_provider();
    let mut client =
        Client::builder().no_proxy().redirect(redirect::Policy::none()).resolve_to_addrs(&host, &addresses);
    if url.scheme() == "http" {
        // Spares reading the system's certificates.
        client = client.tls_certs_only([]);
    }
    let client =
        client.build().map_err(|error| unreachable(format!("no HTTP client: {}", root_cause(&error))))?;
    let mut sent = client.request(request.method.clone(), url.clone()).headers(request.headers.clone());
    if let Some(body) = &request.body {
        sent = sent.body(body.clone());
    }
    sent.send().await.map_err(|error| {
        let message = format!("{host} cannot be asked: {}", root_cause(&error));
        if error.is_connect() || error.is_builder() { unreachable(message) } else { lost(effect, message) }
    })
}

async fn read(mut response: Response, effect: Effect) -> Result<Answer, ToolError> {
    let status = response.status().as_u16();
    let headers = response.headers().clone();
    let (mut body, mut truncated) = (Vec::new(), false);
    let broken = |error| lost(effect, format!("the answer broke off: {}", root_cause(&error)));
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        let room = MAX_BODY_BYTES - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if chunk.len() > room {
            truncated = true;
            break;
        }
    }
    Ok(Answer { status, headers, body, truncated })
}

const MAX_REDIRECTS: usize = 5;
/// 1 MiB: far more than a model can read, far less than what hurts.
const MAX_BODY_BYTES: usize = 1024 * 1024;
