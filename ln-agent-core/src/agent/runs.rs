//! Finished runs: appended to the outbox, read back newest first.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::RuntimeDir;
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
        let line = serde_json::to_string(result)?;
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(&self.path)?;
        file.lock()?;
        // A line that a crash tore must not swallow this one.
        let separator = if ends_in_newline(&mut file)? { "" } else { "\n" };
        file.write_all(format!("{separator}{line}\n").as_bytes())?;
        file.sync_data()
    }

    /// The newest `last` runs, newest first.
    ///
    /// # Errors
    ///
    /// [`RunsError::Read`]; a missing outbox is an empty one.
    pub fn newest(&self, last: usize) -> Result<Vec<RunSummary>, RunsError> {
        let mut summaries = Vec::new();
        self.each_line(|text| {
            if let Ok(line) = serde_json::from_str::<Line>(text) {
                summaries.push(line.into());
            }
        })?;
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
        self.each_line(|text| {
            let Ok(run) = serde_json::from_str::<PipelineResult>(text) else { return };
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

    /// Every whole line; one that a crash tore is not JSON and is passed over by the callers.
    fn each_line(&self, mut visit: impl FnMut(&str)) -> Result<(), RunsError> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(RunsError::Read(self.path.clone(), error)),
        };
        let mut reader = BufReader::new(file);
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let read = reader.read_until(b'\n', &mut bytes);
            if read.map_err(|error| RunsError::Read(self.path.clone(), error))? == 0 {
                return Ok(());
            }
            if let Ok(text) = std::str::from_utf8(&bytes) {
                visit(text.trim_end());
            }
        }
    }
}

fn ends_in_newline(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
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
