//! The client: one server process, started when needed and started again after it died.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::CallToolRequestParams;
use rmcp::service::ServiceError;
use serde_json::Value;
use tokio::sync::Mutex;

use super::connection::Connection;
use super::outcome;
use super::remote::RemoteTool;
use crate::tool::{Effect, Tool, ToolError, ToolErrorKind, ToolSpec};
use crate::types::Object;

/// How a tool server is started.
#[derive(Clone, Debug)]
pub struct ServerCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables added to the inherited environment.
    pub env: Vec<(String, String)>,
}

/// Why there is no conversation with a tool server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum McpError {
    /// The program could not be started.
    #[error("cannot start the tool server `{0}`")]
    Start(String, #[source] std::io::Error),
    /// It does not speak the protocol, or died. The second part is what it said last on standard error.
    #[error("the tool server `{0}` did not complete the handshake: {1}")]
    Handshake(String, String),
    /// It is silent.
    #[error("the tool server `{0}` did not answer within {1} s")]
    NoAnswer(String, u64),
    /// The conversation broke.
    #[error("the tool server broke off")]
    Service(#[from] ServiceError),
}

/// The tools of one server process. Share it behind [`Arc`].
///
/// # Examples
///
/// ```no_run
/// use ln_agent_core::adapter::mcp::{McpClient, ServerCommand};
/// use ln_agent_core::tool::Registry;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let server = ServerCommand { program: "weather-mcp".into(), args: vec![], env: vec![] };
/// let client = McpClient::new(server);
/// // Nothing is known of a stranger's tools, so each counts as spending.
/// let registry = Registry::new(client.foreign_tools().await?)?;
/// # Ok(())
/// # }
/// ```
pub struct McpClient {
    command: ServerCommand,
    call_timeout: Duration,
    pid_file: Option<PathBuf>,
    connection: Mutex<Option<Arc<Connection>>>,
}

/// Why a call has no payload.
enum Missed {
    /// The conversation ended under it.
    BrokenOff(ToolError),
    /// There was an answer, or nobody to give one.
    Answered(ToolError),
}

impl McpClient {
    /// A client of this server, which is started by the first call.
    #[must_use]
    pub fn new(command: ServerCommand) -> Arc<Self> {
        Self::with(command, DEFAULT_CALL_TIMEOUT, None)
    }

    /// A client with this deadline for ordinary calls (default 30 s), that notes the process id in `pid_file`.
    #[must_use]
    pub fn with(command: ServerCommand, call_timeout: Duration, pid_file: Option<PathBuf>) -> Arc<Self> {
        Arc::new(Self { command, call_timeout, pid_file, connection: Mutex::new(None) })
    }

    /// The server's tools under specifications of our own.
    pub fn tools(self: &Arc<Self>, specs: impl IntoIterator<Item = ToolSpec>) -> Vec<Arc<dyn Tool>> {
        specs
            .into_iter()
            .map(|spec| Arc::new(RemoteTool::new(Arc::clone(self), spec)) as Arc<dyn Tool>)
            .collect()
    }

    /// The tools of a server that is not ours. Its hints are not believed: every tool counts as
    /// [`Effect::Spend`].
    ///
    /// # Errors
    ///
    /// [`McpError`] when the server cannot be reached.
    pub async fn foreign_tools(self: &Arc<Self>) -> Result<Vec<Arc<dyn Tool>>, McpError> {
        let listed = self.connection().await?.list().await?;
        Ok(self.tools(listed.into_iter().map(|tool| {
            let mut spec =
                ToolSpec::new(&tool.name, tool.description.as_deref().unwrap_or_default(), Effect::Spend);
            spec.open_world = true;
            spec.input_schema = Value::Object(tool.input_schema.as_ref().clone());
            spec
        })))
    }

    /// Calls a tool and gives back its payload.
    ///
    /// `effect` decides what a broken conversation means: a read is asked once more of a fresh server, because it
    /// may have met one that was just dying; anything else may have happened and is not repeated.
    ///
    /// # Errors
    ///
    /// The tool's own error, or one of kind `Unreachable`, `Failed` or `Unknown`.
    pub async fn call(
        &self,
        name: &str,
        args: Object,
        effect: Effect,
        budget: Option<Duration>,
    ) -> Result<Value, ToolError> {
        let again = (effect == Effect::Read).then(|| args.clone());
        let outcome = match (self.attempt(name, args, effect, budget).await, again) {
            (Err(Missed::BrokenOff(_)), Some(args)) => self.attempt(name, args, effect, budget).await,
            (outcome, _) => outcome,
        };
        outcome.map_err(|(Missed::BrokenOff(error) | Missed::Answered(error))| error)
    }

    async fn attempt(
        &self,
        name: &str,
        args: Object,
        effect: Effect,
        budget: Option<Duration>,
    ) -> Result<Value, Missed> {
        let answered = |error: McpError| Missed::Answered(unreachable(&error));
        let connection = self.connection().await.map_err(answered)?;
        let params = CallToolRequestParams::new(name.to_owned()).with_arguments(args);
        let pending = connection
            .send(params)
            .await
            .map_err(|error| Missed::BrokenOff(unreachable(&McpError::Service(error))))?;
        let deadline = self.deadline(budget);
        match tokio::time::timeout(deadline, pending.reply()).await {
            Ok(Ok(result)) => outcome::payload(name, result).map_err(Missed::Answered),
            Ok(Err(error)) => {
                let broken = outcome::broken(name, &error, effect, &connection.last_words());
                Err(match error {
                    ServiceError::McpError(_) => Missed::Answered(broken),
                    _ => Missed::BrokenOff(broken),
                })
            }
            Err(_) => Err(Missed::Answered(outcome::too_late(name, deadline, effect))),
        }
    }

    /// Ends the process: closes its input, waits up to 2 s, then kills it. A later call starts it again.
    pub async fn shutdown(&self) {
        if let Some(connection) = self.connection.lock().await.take() {
            self.forget_pid(connection.pid());
            match Arc::try_unwrap(connection) {
                Ok(connection) => connection.close(SHUTDOWN_GRACE).await,
                Err(_) => tracing::warn!("the tool server still has calls in flight and ends with them"),
            }
        }
    }

    /// The executor's own deadline comes first; this one guards callers that have none.
    fn deadline(&self, budget: Option<Duration>) -> Duration {
        let budget = budget.map_or(Duration::ZERO, |budget| budget + BUDGET_MARGIN);
        self.call_timeout.max(budget) + GRACE_AFTER_EXECUTOR
    }

    async fn connection(&self) -> Result<Arc<Connection>, McpError> {
        let mut slot = self.connection.lock().await;
        if let Some(connection) = slot.as_ref().filter(|connection| !connection.is_closed()) {
            return Ok(Arc::clone(connection));
        }
        if let Some(dead) = slot.take() {
            tracing::warn!(last_words = dead.last_words(), "the tool server died and is started again");
        }
        let fresh = Arc::new(Connection::open(&self.command, HANDSHAKE_DEADLINE).await?);
        self.note_pid(fresh.pid());
        *slot = Some(Arc::clone(&fresh));
        Ok(fresh)
    }

    fn note_pid(&self, pid: Option<u32>) {
        if let (Some(file), Some(pid)) = (&self.pid_file, pid)
            && let Err(error) = std::fs::write(file, format!("{pid}\n"))
        {
            tracing::warn!(%error, file = %file.display(), "the tool server's pid could not be noted");
        }
    }

    /// Removes the note, unless it is by now another process's: several may share the file, the newest has it.
    fn forget_pid(&self, pid: Option<u32>) {
        let (Some(file), Some(pid)) = (&self.pid_file, pid) else { return };
        let noted = std::fs::read_to_string(file).unwrap_or_default();
        if noted.trim() == pid.to_string()
            && let Err(error) = std::fs::remove_file(file)
        {
            tracing::warn!(%error, file = %file.display(), "the tool server's pid file could not be removed");
        }
    }
}

impl fmt::Debug for McpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpClient").field("command", &self.command.to_string()).finish_non_exhaustive()
    }
}

impl fmt::Display for ServerCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.program.display())?;
        self.args.iter().try_for_each(|arg| write!(f, " {arg}"))
    }
}

const DEFAULT_CALL_TIMEOUT: Duration = Duration::from_secs(30);
const HANDSHAKE_DEADLINE: Duration = Duration::from_secs(10);
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);
const BUDGET_MARGIN: Duration = Duration::from_secs(5);
const GRACE_AFTER_EXECUTOR: Duration = Duration::from_secs(2);

/// Nothing was sent.
fn unreachable(error: &McpError) -> ToolError {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
    ToolError::new(ToolErrorKind::Unreachable, format!("{error}{cause}"))
}
