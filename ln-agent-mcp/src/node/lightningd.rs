//! lightningd's JSON-RPC over its unix socket: one connection per call, replies matched by id.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ln_agent_core::tool::{Effect, ToolError};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::frame::FrameScanner;
use super::outcome::{MAX_ANSWER_BYTES, lost, rpc_error, unreachable};

/// One call to whoever listens on a socket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    /// Who is spoken to, for messages: `node 2`.
    pub(crate) who: &'a str,
    pub(crate) method: &'a str,
    pub(crate) params: &'a Value,
    pub(crate) deadline: Duration,
    pub(crate) effect: Effect,
}

/// Calls a method over a fresh connection. Dropping the future stops waiting; lightningd goes on with what it began.
pub(crate) async fn call(socket: &Path, call: Call<'_>) -> Result<Value, ToolError> {
    let stream = UnixStream::connect(socket).await.map_err(|error| refused(socket, call.who, &error))?;
    match tokio::time::timeout(call.deadline, converse(stream, call)).await {
        Ok(answer) => answer,
        Err(_) => Err(lost(
            call.effect,
            format!("{} did not answer {} within {:?}", call.who, call.method, call.deadline),
        )),
    }
}

/// Whether anybody listens on this socket.
///
/// # Errors
///
/// What kept the question from being answered, such as missing permission.
pub(crate) async fn listens(socket: &Path) -> io::Result<bool> {
    match UnixStream::connect(socket).await {
        Ok(_) => Ok(true),
        Err(error) if nobody_there(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

async fn converse(mut stream: UnixStream, call: Call<'_>) -> Result<Value, ToolError> {
    let broken = |error: io::Error| {
        lost(call.effect, format!("the connection to {} broke during {}: {error}", call.who, call.method))
    };
    let id = next_id(call.method);
    let request = json!({ "jsonrpc": "2.0", "id": id, "method": call.method, "params": call.params });
    stream.write_all(format!("{request}\n\n").as_bytes()).await.map_err(broken)?;

    let mut scanner = FrameScanner::default();
    let mut buffer = Vec::with_capacity(READ_BYTES);
    loop {
        while let Some(end) = scanner.end_of_object(&buffer) {
            let reply = serde_json::from_slice::<Value>(&buffer[..end]);
            buffer.drain(..end);
            let reply = reply.map_err(|error| {
                lost(call.effect, format!("{} answered {} with broken JSON: {error}", call.who, call.method))
            })?;
            if let Some(answer) = answer_to(&id, reply, call) {
                return answer;
            }
        }
        if buffer.len() > MAX_ANSWER_BYTES {
            return Err(lost(
                call.effect,
                format!(
                    "the answer of {} to {} exceeds {} MiB: narrow the question",
                    call.who,
                    call.method,
                    MAX_ANSWER_BYTES >> 20
                ),
            ));
        }
        if stream.read_buf(&mut buffer).await.map_err(broken)? == 0 {
            return Err(lost(
                call.effect,
                format!("{} closed the connection before it had answered {}", call.who, call.method),
            ));
        }
    }
}

/// The outcome, if this object replies to the request; notifications and strangers' replies are passed over.
fn answer_to(id: &str, mut reply: Value, call: Call<'_>) -> Option<Result<Value, ToolError>> {
    let error = reply.get("error").filter(|error| !error.is_null());
    // A request lightningd cannot read is answered with a null id.
    let ours = reply.get("id").is_some_and(|got| got == id || (got.is_null() && error.is_some()));
    if !ours {
        return None;
    }
    if let Some(error) = error {
        let code = error.get("code").and_then(Value::as_i64);
        let failed = rpc_error(call.who, call.method, error);
        return Some(Err(match code {
            Some(PLUGIN_TERMINATED | SHUTTING_DOWN) if call.effect.changes_state() => {
                ToolError { code, ..lost(call.effect, failed.message) }
            }
            _ => failed,
        }));
    }
    Some(Ok(reply.get_mut("result").map_or(Value::Null, Value::take)))
}

fn refused(socket: &Path, who: &str, error: &io::Error) -> ToolError {
    if nobody_there(error) {
        unreachable(format!("{who} is not running: start it with ln_node_start"))
    } else {
        unreachable(format!("{who} cannot be reached at {}: {error}", socket.display()))
    }
}

fn nobody_there(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused)
}

fn next_id(method: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("ln-agent:{method}#{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

const READ_BYTES: usize = 16 * 1024;
/// lightningd's own code: the plugin that worked on the command died.
const PLUGIN_TERMINATED: i64 = -4;
/// lightningd's own code: it is about to end.
const SHUTTING_DOWN: i64 = -5;

#[cfg(test)]
mod tests {
    use ln_agent_core::tool::ToolErrorKind;
    use tokio::net::UnixListener;
    use tokio::task::JoinHandle;

    use super::*;

    /// A node that takes one connection, reads the request and writes `answer(id)` in pieces of `piece` bytes.
    fn node(
        socket: &Path,
        piece: usize,
        answer: impl Fn(&str) -> String + Send + 'static,
    ) -> JoinHandle<Value> {
        let listener = UnixListener::bind(socket).unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 4096];
            let read = stream.read(&mut request).await.unwrap();
            let request: Value = serde_json::from_slice(&request[..read]).unwrap();
            for piece in answer(request["id"].as_str().unwrap()).as_bytes().chunks(piece) {
                // The client may have seen enough.
                if stream.write_all(piece).await.is_err() {
                    break;
                }
            }
            request
        })
    }

    async fn ask(socket: &Path, effect: Effect) -> Result<Value, ToolError> {
        let (params, deadline) = (json!({ "label": "a" }), Duration::from_secs(60));
        call(socket, Call { who: "node 1", method: "pay", params: &params, deadline, effect }).await
    }

    fn socket() -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("rpc");
        (dir, path)
    }

    #[tokio::test]
    async fn the_reply_is_found_behind_notifications_and_strangers_replies() {
        let (_dir, path) = socket();
        let request = node(&path, 3, |id| {
            format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"message\",\"params\":{{}}}}\n\n\
                 {{\"jsonrpc\":\"2.0\",\"id\":\"other\",\"result\":{{\"n\":1}}}}\n\n\
                 {{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"result\":{{\"n\":18446744073709551615}}}}\n\n"
            )
        });

        let result = ask(&path, Effect::Read).await.unwrap();

        assert_eq!(result, json!({ "n": u64::MAX }));
        let request = request.await.unwrap();
        assert_eq!((&request["jsonrpc"], &request["method"]), (&json!("2.0"), &json!("pay")));
        assert_eq!(request["params"], json!({ "label": "a" }));
    }

    #[tokio::test]
    async fn a_refusal_keeps_lightningds_code() {
        let (_dir, path) = socket();
        node(&path, 4096, |id| {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": 205, "message": "no route" } }).to_string()
        });

        let error = ask(&path, Effect::Spend).await.unwrap_err();

        assert_eq!((error.kind, error.code), (ToolErrorKind::Failed, Some(205)));
        assert_eq!(error.message, "node 1 refused pay: no route (code 205)");
    }

    #[tokio::test]
    async fn a_plugin_that_died_leaves_the_outcome_of_a_payment_unknown() {
        let (_dir, path) = socket();
        node(&path, 4096, |id| {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -4, "message": "Plugin terminated" } })
                .to_string()
        });

        let error = ask(&path, Effect::Spend).await.unwrap_err();

        assert_eq!((error.kind, error.code), (ToolErrorKind::Unknown, Some(-4)));
    }

    #[tokio::test]
    async fn a_socket_closed_mid_answer_is_unknown_for_money_and_harmless_for_a_read() {
        for (effect, kind) in
            [(Effect::Spend, ToolErrorKind::Unknown), (Effect::Read, ToolErrorKind::Unreachable)]
        {
            let (_dir, path) = socket();
            node(&path, 4096, |id| format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"resu"));

            let error = ask(&path, effect).await.unwrap_err();

            assert_eq!(error.kind, kind, "{}", error.message);
            assert!(error.message.starts_with("node 1 closed the connection"), "{}", error.message);
        }
    }

    #[tokio::test]
    async fn a_silent_node_costs_the_deadline_and_no_more() {
        let (_dir, path) = socket();
        let _listener = UnixListener::bind(&path).unwrap();
        tokio::time::pause();

        let error = ask(&path, Effect::Spend).await.unwrap_err();

        assert_eq!(error.kind, ToolErrorKind::Unknown);
        assert!(error.message.starts_with("node 1 did not answer pay within 60s"), "{}", error.message);
    }

    #[tokio::test]
    async fn fifty_megabytes_are_read_and_more_than_the_limit_is_refused() {
        let (_dir, path) = socket();
        node(&path, 1 << 20, |id| {
            let long = "x".repeat(50_000_000);
            format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"result\":{{\"long\":\"{long}\"}}}}\n\n")
        });
        assert_eq!(ask(&path, Effect::Read).await.unwrap()["long"].as_str().unwrap().len(), 50_000_000);

        let (_dir, path) = socket();
        node(&path, 1 << 20, |_| format!("{{\"endless\":\"{}", "x".repeat(MAX_ANSWER_BYTES + (2 << 20))));
        let error = ask(&path, Effect::Read).await.unwrap_err();
        assert_eq!(error.message, "the answer of node 1 to pay exceeds 64 MiB: narrow the question");
    }

    #[tokio::test]
    async fn a_missing_and_a_stale_socket_both_mean_that_the_node_is_not_running() {
        let (_dir, path) = socket();
        let missing = ask(&path, Effect::Spend).await.unwrap_err();
        drop(UnixListener::bind(&path).unwrap());
        let stale = ask(&path, Effect::Spend).await.unwrap_err();

        for error in [missing, stale] {
            assert_eq!(error.kind, ToolErrorKind::Unreachable);
            assert_eq!(error.message, "node 1 is not running: start it with ln_node_start");
        }
    }
}
