//! Finished runs: appended to the outbox, read back newest first.

use std::io;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::RuntimeDir;
use crate::memory::jsonl;
use crate::types::{IntentBlock, Outcome, PipelineResult, RunId};

/// The outbox of a runtime directory.
#[derive(Clone, Debug)]
pub struct Runs {
    path: PathBuf,
}

/// One line of `runs list`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct RunSummary {
    /// Name of the run.
    pub run_id: RunId,
    /// Number of the request.
    pub request_id: u64,
    /// Unix time of the start, in seconds.
    pub ts: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// What was asked.
    pub prompt: String,
    /// What was answered.
    pub content: String,
}

/// Why a run cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunsError {
    /// The outbox cannot be read.
    #[error("cannot read {0}")]
    Read(PathBuf, #[source] io::Error),
    /// No run has this name.
    #[error("no run is named `{0}`: `ln-agent runs list` shows them")]
    NotFound(String),
    /// Several runs begin with these characters.
    #[error("`{0}` is the beginning of several runs: {1}")]
    Ambiguous(String, String),
}

/// What `list` needs of a line.
#[derive(Deserialize)]
struct Line {
    run_id: RunId,
    request_id: u64,
    ts: u64,
    outcome: Outcome,
    #[serde(default)]
    intent: Option<IntentBlock>,
    #[serde(default)]
    content: String,
}

impl Runs {
    /// The runs of this directory.
    #[must_use]
    pub fn of(runtime: &RuntimeDir) -> Self {
        Self { path: runtime.outbox() }
    }

    /// Appends one run as one line, under a lock, and waits until the disk has it.
    ///
    /// # Errors
    ///
    /// The system's error; the line may be torn then, and readers skip it.
    pub fn append(&self, result: &PipelineResult) -> io::Result<()> {
        jsonl::append(&self.path, &jsonl::render(std::slice::from_ref(result))?)
    }

    /// The newest `last` runs, newest first.
    ///
    /// # Errors
    ///
    /// [`RunsError::Read`]; a missing outbox is an empty one.
    pub fn newest(&self, last: usize) -> Result<Vec<RunSummary>, RunsError> {
        let mut summaries = Vec::new();
        self.each::<Line>(|line| summaries.push(line.into()))?;
        summaries.reverse();
        summaries.truncate(last);
        Ok(summaries)
    }

    /// The run with this name, number, or beginning of its name.
    ///
    /// # Errors
    ///
    /// [`RunsError`] when none or several have it.
    pub fn find(&self, id: &str) -> Result<PipelineResult, RunsError> {
        let mut exact = None;
        let mut beginning = Vec::new();
        self.each::<PipelineResult>(|run| {
            if run.run_id.0 == id || id.parse() == Ok(run.request_id) {
                exact = Some(run);
            } else if run.run_id.0.starts_with(id) {
                beginning.push(run);
            }
        })?;
        if let Some(run) = exact {
            return Ok(run);
        }
        match beginning.len() {
            0 => Err(RunsError::NotFound(id.to_owned())),
            1 => Ok(beginning.remove(0)),
            _ => {
                let names: Vec<&str> = beginning.iter().map(|run| run.run_id.0.as_str()).collect();
                Err(RunsError::Ambiguous(id.to_owned(), names.join(", ")))
            }
        }
    }

    /// Every run that can be read; a line that a crash tore is passed over.
    fn each<T: DeserializeOwned>(&self, mut visit: impl FnMut(T)) -> Result<(), RunsError> {
        let unreadable = |error| RunsError::Read(self.path.clone(), error);
        for line in jsonl::lines(&self.path).map_err(unreadable)? {
            if let jsonl::Line::Read(run) = line.map_err(unreadable)? {
                visit(run);
            }
        }
        Ok(())
    }
}

impl From<Line> for RunSummary {
    fn from(line: Line) -> Self {
        Self {
            run_id: line.run_id,
            request_id: line.request_id,
            ts: line.ts,
            outcome: line.outcome,
            prompt: line.intent.map(|intent| intent.raw_prompt).unwrap_or_default(),
            content: line.content,
        }
    }
}
