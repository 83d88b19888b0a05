//! bitcoind's JSON-RPC over HTTP with keep-alive.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ln_agent_core::tool::{Effect, ToolError, ToolErrorKind};
use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::outcome::{MAX_ANSWER_BYTES, lost, rpc_error, unreachable};
use super::{Credentials, NodesConfig, tls};

/// One bitcoind. Making it does no I/O.
#[derive(Debug)]
pub(crate) struct Bitcoind {
    client: OnceLock<reqwest::Client>,
    address: String,
    credentials: Credentials,
}

/// One call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    pub(crate) method: &'a str,
    pub(crate) params: &'a Value,
    pub(crate) wallet: Option<&'a str>,
    pub(crate) deadline: Instant,
    pub(crate) effect: Effect,
}

impl Bitcoind {
    pub(crate) fn new(config: &NodesConfig) -> Self {
        let host = &config.bitcoin_rpc_host;
        let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        Self {
            client: OnceLock::new(),
            address: format!("{host}:{}", config.bitcoin_rpc_port),
            credentials: config.credentials.clone(),
        }
    }

    /// Calls a method. A wallet that exists but is not loaded is loaded first; a bitcoind that is still starting
    /// is waited for. In both cases it had refused the request, so asking again does nothing twice.
    pub(crate) async fn call(&self, call: Call<'_>) -> Result<Value, ToolError> {
        match self.when_warm(call).await {
            Err(error) if error.code == Some(WALLET_NOT_FOUND) => match call.wallet {
                Some(wallet) => {
                    self.load(wallet, call).await?;
                    self.when_warm(call).await
                }
                None => Err(error),
            },
            answer => answer,
        }
    }

    async fn load(&self, wallet: &str, call: Call<'_>) -> Result<(), ToolError> {
        let params = json!([wallet]);
        let load = Call { method: "loadwallet", params: &params, wallet: None, ..call };
        match self.when_warm(load).await {
            Ok(_) => Ok(()),
            Err(error) if error.code == Some(WALLET_ALREADY_LOADED) => Ok(()),
            Err(error) if error.code == Some(WALLET_NOT_FOUND) => Err(ToolError {
                message: format!("wallet `{wallet}` does not exist: create it with btc_wallet_ensure"),
                ..error
            }),
            Err(error) => Err(error),
        }
    }

    async fn when_warm(&self, call: Call<'_>) -> Result<Value, ToolError> {
        loop {
            match self.authorised(call).await {
                Err(error) if error.code == Some(WARMING_UP) => {
                    if Instant::now() + WARM_UP_PAUSE >= call.deadline {
                        return Err(ToolError {
                            code: error.code,
                            ..unreachable(format!("bitcoind is still starting: {}", error.message))
                        });
                    }
                    tokio::time::sleep(WARM_UP_PAUSE).await;
                }
                answer => return answer,
            }
        }
    }

    /// A refused cookie is read again once: bitcoind writes a new one at each start.
    async fn authorised(&self, call: Call<'_>) -> Result<Value, ToolError> {
        for _ in 0..2 {
            let (user, password) = self.credentials.read().await.map_err(unreachable)?;
            if let Some(answer) = self.exchange(call, &user, &password).await? {
                return answer;
            }
        }
        Err(ToolError::new(
            ToolErrorKind::Failed,
            format!(
                "bitcoind at {} refused the credentials: check BITCOIN_RPC_USER and BITCOIN_RPC_PASSWORD, or \
                 BITCOIN_RPC_COOKIEFILE",
                self.address
            ),
        ))
    }

    /// `None` if the credentials were refused.
    async fn exchange(
        &self,
        call: Call<'_>,
        user: &str,
        password: &str,
    ) -> Result<Option<Result<Value, ToolError>>, ToolError> {
        let path = call.wallet.map_or_else(String::new, |wallet| format!("wallet/{}", percent(wallet)));
        let request = json!({
            "jsonrpc": "2.0",
            "id": NEXT_ID.fetch_add(1, Ordering::Relaxed),
            "method": call.method,
            "params": call.params,
        });
        let sent = self
            .client()?
            .post(format!("http://{}/{path}", self.address))
            .basic_auth(user, Some(password))
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .body(request.to_string())
            .send();
        let response = self.in_time(call, sent).await?;
        let status = response.status();
        if status == StatusCode::UNAUTHORIZED {
            return Ok(None);
        }
        let body = self.in_time(call, read_body(response)).await?;
        Ok(Some(answer(call, status, body)))
    }

    async fn in_time<T>(
        &self,
        call: Call<'_>,
        work: impl Future<Output = Result<T, reqwest::Error>>,
    ) -> Result<T, ToolError> {
        let address = &self.address;
        match tokio::time::timeout_at(call.deadline, work).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(error)) if error.is_connect() => Err(unreachable(format!(
                "bitcoind cannot be reached at {address}: start it, or set BITCOIN_RPC_HOST and BITCOIN_RPC_PORT"
            ))),
            Ok(Err(error)) => Err(lost(
                call.effect,
                format!("the connection to bitcoind broke during {}: {}", call.method, root_cause(&error)),
            )),
            Err(_) => Err(lost(call.effect, format!("bitcoind did not answer {} in time", call.method))),
        }
    }

    fn client(&self) -> Result<&reqwest::Client, ToolError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        tls::choose_provider();
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .tls_certs_only([])
            // Below bitcoind's own 30 s, so that a request never meets a connection it is about to close.
            .pool_idle_timeout(Duration::from_secs(15))
            .connect_timeout(Duration::from_secs(5))
            .build()
            .map_err(|error| unreachable(format!("no HTTP client: {}", root_cause(&error))))?;
        Ok(self.client.get_or_init(|| client))
    }
}

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

const WARM_UP_PAUSE: Duration = Duration::from_millis(250);
const WALLET_NOT_FOUND: i64 = -18;
const WALLET_ALREADY_LOADED: i64 = -35;
const WARMING_UP: i64 = -28;

/// The body, or `None` if it is longer than what is accepted.
async fn read_body(mut response: reqwest::Response) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > MAX_ANSWER_BYTES {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

/// Body first, status second: errors come with status 200 in one version of the protocol and 500 in the other.
fn answer(call: Call<'_>, status: StatusCode, body: Option<Vec<u8>>) -> Result<Value, ToolError> {
    let Some(body) = body else {
        let limit = MAX_ANSWER_BYTES >> 20;
        return Err(lost(
            call.effect,
            format!("bitcoind's answer to {} exceeds {limit} MiB: narrow the question", call.method),
        ));
    };
    let mut reply = match serde_json::from_slice::<Value>(&body) {
        Ok(reply) if reply.is_object() => reply,
        _ => return Err(not_json(call, status, &body)),
    };
    match reply.get("error").filter(|error| !error.is_null()) {
        Some(error) => Err(rpc_error("bitcoind", call.method, error)),
        None => Ok(reply.get_mut("result").map_or(Value::Null, Value::take)),
    }
}

fn not_json(call: Call<'_>, status: StatusCode, body: &[u8]) -> ToolError {
    let shown: String = String::from_utf8_lossy(body).trim().chars().take(200).collect();
    let message = format!("bitcoind answered {} with HTTP {status} and no JSON: {shown}", call.method);
    match status {
        // Both are given before the request is looked at.
        StatusCode::SERVICE_UNAVAILABLE => unreachable(format!("bitcoind is overloaded: {shown}")),
        StatusCode::FORBIDDEN => ToolError::new(
            ToolErrorKind::Failed,
            format!("bitcoind does not allow {} from here: see rpcallowip and rpcwhitelist", call.method),
        ),
        status if status.is_client_error() => ToolError::new(ToolErrorKind::Failed, message),
        _ => lost(call.effect, message),
    }
}

/// The innermost reason; the outer ones repeat the address.
pub(crate) fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// A wallet name as one path segment.
fn percent(name: &str) -> String {
    let mut encoded = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use ln_agent_core::tool::{Effect, ToolErrorKind};
    use serde_json::json;

    use crate::node::replay::{HANG_UP, Replay, raw, recorded};
    use crate::node::{Credentials, Nodes, NodesConfig};

    async fn ask(
        replay: &Replay,
        effect: Effect,
    ) -> Result<serde_json::Value, ln_agent_core::tool::ToolError> {
        replay.nodes().bitcoind("getblockcount", json!([]), None, effect).await
    }

    #[tokio::test]
    async fn a_bitcoind_that_is_starting_is_waited_for() {
        let replay =
            Replay::start([recorded("004-getblockcount-warmup"), recorded("171-getblockcount")]).await;

        let count = ask(&replay, Effect::Spend).await.unwrap();

        assert_eq!(count, recorded("171-getblockcount").result);
        assert_eq!(replay.requests().len(), 2);
    }

    #[tokio::test]
    async fn refused_credentials_are_tried_once_more_and_never_shown() {
        let replay = Replay::start([raw(401, ""), raw(401, "")]).await;

        let error = ask(&replay, Effect::Spend).await.unwrap_err();

        assert_eq!(error.kind, ToolErrorKind::Failed);
        assert!(error.message.contains("refused the credentials"), "{}", error.message);
        assert!(!error.message.contains("secret"), "{}", error.message);
    }

    #[tokio::test]
    async fn a_renewed_cookie_is_read_again() {
        let replay = Replay::start([raw(401, ""), recorded("171-getblockcount")]).await;
        let dir = tempfile::tempdir().unwrap();
        let cookie = dir.path().join(".cookie");
        std::fs::write(&cookie, "__cookie__:0123\n").unwrap();
        let config =
            NodesConfig { credentials: Credentials::Cookie(cookie), ..replay.nodes().config().clone() };

        let count =
            Nodes::new(config).bitcoind("getblockcount", json!([]), None, Effect::Read).await.unwrap();

        assert_eq!(count, recorded("171-getblockcount").result);
    }

    #[tokio::test]
    async fn what_a_bad_answer_means_depends_on_whether_the_request_was_looked_at() {
        let cases = [
            (raw(503, "Work queue depth exceeded"), Effect::Spend, ToolErrorKind::Unreachable),
            (raw(403, ""), Effect::Spend, ToolErrorKind::Failed),
            (raw(404, ""), Effect::Spend, ToolErrorKind::Failed),
            (raw(200, "<html>"), Effect::Spend, ToolErrorKind::Unknown),
            (raw(200, "<html>"), Effect::Read, ToolErrorKind::Unreachable),
            (HANG_UP, Effect::Write, ToolErrorKind::Unknown),
            (HANG_UP, Effect::Read, ToolErrorKind::Unreachable),
        ];
        for (answer, effect, kind) in cases {
            let replay = Replay::start([answer.clone()]).await;

            let error = ask(&replay, effect).await.unwrap_err();

            assert_eq!(error.kind, kind, "{answer:?} {effect:?}: {}", error.message);
        }
    }

    #[tokio::test]
    async fn the_help_text_in_a_refusal_is_cut_to_one_line() {
        let replay = Replay::start([recorded("018-getblockcount-too-many-params-err-1")]).await;

        let error = ask(&replay, Effect::Read).await.unwrap_err();

        assert_eq!(error.code, Some(-1));
        assert!(!error.message.contains('\n') && error.message.chars().count() < 700, "{}", error.message);
    }

    #[test]
    fn a_wallet_name_is_one_path_segment() {
        assert_eq!(super::percent("a b/../ü"), "a%20b%2F..%2F%C3%BC");
    }
}
