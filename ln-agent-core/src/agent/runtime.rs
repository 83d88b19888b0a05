//! The layout of the runtime directory.

use std::io;
use std::path::{Path, PathBuf};

use crate::types::PipelineResult;

/// Where an agent keeps its state. Every path below is fixed, so that people and programs find their way.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::agent::RuntimeDir;
/// let runtime = RuntimeDir::new("/var/lib/ln-agent");
/// assert_eq!(runtime.outbox().to_str(), Some("/var/lib/ln-agent/agent/outbox.jsonl"));
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RuntimeDir {
    root: PathBuf,
}

impl RuntimeDir {
    /// The directory at this path, which need not exist yet.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The default: `$XDG_STATE_HOME/ln-agent`, else `~/.local/state/ln-agent`. `None` without a home.
    #[must_use]
    pub fn xdg(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let given = |name: &str| variable(name).filter(|value| !value.is_empty());
        let state = given("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let state = state.or_else(|| given("HOME").map(|home| Path::new(&home).join(".local/state")))?;
        Some(Self::new(state.join("ln-agent")))
    }

    /// Makes the directories an agent writes to.
    ///
    /// # Errors
    ///
    /// The system's error for the first directory that cannot be made.
    pub fn create(&self) -> io::Result<()> {
        std::fs::create_dir_all(self.traces())
    }

    /// The directory itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Finished runs, one JSON line each.
    #[must_use]
    pub fn outbox(&self) -> PathBuf {
        self.agent().join("outbox.jsonl")
    }

    /// The permanent record of prompts and outcomes.
    #[must_use]
    pub fn archive(&self) -> PathBuf {
        self.agent().join("archive.jsonl")
    }

    /// The rolling history of a session; the default session has the plain name.
    #[must_use]
    pub fn history(&self, session: &str) -> PathBuf {
        match session {
            "default" => self.agent().join("history.jsonl"),
            name => self.agent().join("sessions").join(name).join("history.jsonl"),
        }
    }

    /// Events of the newest run.
    #[must_use]
    pub fn trace(&self) -> PathBuf {
        self.agent().join("trace.log")
    }

    /// Tokens of the newest answer.
    #[must_use]
    pub fn stream(&self) -> PathBuf {
        self.agent().join("stream.jsonl")
    }

    /// Events of every run, one file each.
    #[must_use]
    pub fn traces(&self) -> PathBuf {
        self.agent().join("logs")
    }

    /// What a finished run asked and was answered, to run it again.
    #[must_use]
    pub fn cassette(&self, result: &PipelineResult) -> PathBuf {
        super::cassette::path(&self.traces(), result)
    }

    /// The last request number.
    #[must_use]
    pub fn counter(&self) -> PathBuf {
        self.agent().join("msg.counter")
    }

    /// Process id of the tool server.
    #[must_use]
    pub fn tool_server_pid(&self) -> PathBuf {
        self.root.join("mcp.pid")
    }

    fn agent(&self) -> PathBuf {
        self.root.join("agent")
    }
}
