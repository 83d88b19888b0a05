//! One living server process and the conversation with it.

use std::collections::VecDeque;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult, ClientRequest, Request, ServerResult, Tool};
use rmcp::service::{PeerRequestOptions, RequestHandle, RoleClient, RunningService, ServiceError};
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, Command};

use super::client::{McpError, ServerCommand};

/// A server process that answered the handshake.
pub(super) struct Connection {
    service: RunningService<RoleClient, ()>,
    child: Mutex<Child>,
    pid: Option<u32>,
    last_words: LastWords,
}

/// The newest lines of the process's standard error, which is drained so that it never blocks.
#[derive(Clone, Default)]
struct LastWords(Arc<Mutex<VecDeque<String>>>);

impl Connection {
    /// Starts the process and shakes hands within `deadline`.
    pub(super) async fn open(command: &ServerCommand, deadline: Duration) -> Result<Self, McpError> {
        let mut child = spawn(command)?;
        let (Some(stdout), Some(stdin), Some(stderr)) =
            (child.stdout.take(), child.stdin.take(), child.stderr.take())
        else {
            return Err(McpError::Start(command.to_string(), std::io::Error::other("its pipes are missing")));
        };
        let last_words = LastWords::default();
        let drained = tokio::spawn(last_words.clone().drain(stderr));
        let pipes =
            AsyncRwTransport::<RoleClient, _, _>::new(stdout, stdin).with_max_line_length(MAX_LINE_BYTES);
        match tokio::time::timeout(deadline, ().serve(pipes)).await {
            Ok(Ok(service)) => {
                let pid = child.id();
                Ok(Self { service, child: Mutex::new(child), pid, last_words })
            }
            Ok(Err(_)) => {
                // It usually ended, and said why just before; a program that lives on is not waited for.
                let _ = tokio::time::timeout(LAST_WORDS_LIMIT, drained).await;
                Err(McpError::Handshake(command.to_string(), last_words.newest()))
            }
            Err(_) => Err(McpError::NoAnswer(command.to_string(), deadline.as_secs())),
        }
    }

    /// Whether a call would find nobody. A process that was killed is noticed before its pipes are.
    pub(super) fn is_closed(&self) -> bool {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = matches!(child.try_wait(), Ok(Some(_)));
        ended || self.service.is_closed() || self.service.is_transport_closed()
    }

    pub(super) fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// What the process said last on standard error.
    pub(super) fn last_words(&self) -> String {
        self.last_words.newest()
    }

    /// Sends a call; the reply is awaited on the returned handle.
    pub(super) async fn send(&self, params: CallToolRequestParams) -> Result<PendingCall, ServiceError> {
        let request = ClientRequest::CallToolRequest(Request::new(params));
        let handle =
            self.service.peer().send_cancellable_request(request, PeerRequestOptions::no_options()).await?;
        Ok(PendingCall { handle: Some(handle) })
    }

    /// Every tool the server lists, all pages.
    pub(super) async fn list(&self) -> Result<Vec<Tool>, ServiceError> {
        self.service.peer().list_all_tools().await
    }

    /// Closes its input, gives it `grace` to leave, then kills it.
    pub(super) async fn close(mut self, grace: Duration) {
        if self.service.close_with_timeout(grace).await.is_err() {
            tracing::debug!("the MCP client task failed while closing");
        }
        let mut child = self.child.into_inner().unwrap_or_else(PoisonError::into_inner);
        if tokio::time::timeout(grace, child.wait()).await.is_err() {
            tracing::warn!("the tool server ignored the end of its input and is killed");
            if let Err(error) = child.kill().await {
                tracing::warn!(%error, "the tool server could not be killed");
            }
        }
    }
}

/// A call that was sent. Dropped before its reply, it tells the server to stop.
pub(super) struct PendingCall {
    handle: Option<RequestHandle<RoleClient>>,
}

impl PendingCall {
    /// Waits for the reply.
    pub(super) async fn reply(mut self) -> Result<CallToolResult, ServiceError> {
        let Some(handle) = self.handle.as_mut() else {
            return Err(ServiceError::TransportClosed);
        };
        let reply = (&mut handle.rx).await.map_err(|_| ServiceError::TransportClosed)?;
        self.handle = None;
        match reply? {
            ServerResult::CallToolResult(result) => Ok(result),
            _ => Err(ServiceError::UnexpectedResponse),
        }
    }
}

impl Drop for PendingCall {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(handle.cancel(Some("the caller stopped waiting".into())));
        }
    }
}

impl LastWords {
    /// Reads to the end, whatever comes: bytes that are no text, and lines without end.
    async fn drain(self, mut stderr: ChildStderr) {
        let mut pending = Vec::new();
        while let Ok(1..) = stderr.read_buf(&mut pending).await {
            while let Some(end) = pending.iter().position(|byte| *byte == b'\n') {
                self.keep(&pending[..end]);
                pending.drain(..=end);
            }
            if pending.len() > MAX_KEPT_BYTES {
                self.keep(&pending);
                pending.clear();
            }
        }
        self.keep(&pending);
    }

    fn keep(&self, line: &[u8]) {
        let line = String::from_utf8_lossy(line).trim_end().to_owned();
        if line.is_empty() {
            return;
        }
        tracing::debug!(target: "ln_agent::tool_server", "{line}");
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == KEPT_LINES {
            kept.pop_front();
        }
        kept.push_back(line);
    }

    fn newest(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.back().map_or_else(|| "it said nothing".to_owned(), |line| format!("it said: {line}"))
    }
}

/// The longest line that is accepted: a node's largest answer (64 MiB) twice, as structure and as quoted text.
const MAX_LINE_BYTES: usize = 256 * 1024 * 1024;

const KEPT_LINES: usize = 20;
const MAX_KEPT_BYTES: usize = 4096;
const LAST_WORDS_LIMIT: Duration = Duration::from_millis(500);

fn spawn(command: &ServerCommand) -> Result<Child, McpError> {
    let mut process = Command::new(&command.program);
    process.args(&command.args).envs(command.env.iter().map(|(name, value)| (name, value)));
    process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    // Ctrl-C at the terminal reaches the caller, who closes the pipes in order.
    #[cfg(unix)]
    process.process_group(0);
    process.spawn().map_err(|error| McpError::Start(command.to_string(), error))
}
