//! The trace of one run: a file of its own, and `trace.log` and `stream.jsonl` for those who follow along.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::RuntimeDir;
use crate::clock::Clock;
use crate::observe::Observer;
use crate::types::{Outcome, PipelineResult, RunEvent};

/// Writes the events of one run as JSON lines, each with its time.
///
/// `trace.log` and `stream.jsonl` show the newest run: the run that holds their lock truncates and writes them; a
/// run beside it leaves them alone and has only its own file.
pub struct Journal {
    clock: Arc<dyn Clock>,
    request_id: u64,
    files: Mutex<Files>,
    own: PathBuf,
}

struct Files {
    own: File,
    shared: Option<Shared>,
    /// The first write that failed; told at the end, so that a full disk does not stop a payment half-way.
    failed: Option<io::Error>,
}

struct Shared {
    trace: File,
    stream: File,
}

impl Journal {
    /// Opens the files of a run.
    ///
    /// # Errors
    ///
    /// The system's error when a file cannot be made: nothing has run then.
    pub fn begin(runtime: &RuntimeDir, clock: Arc<dyn Clock>, request_id: u64) -> io::Result<Self> {
        let own = runtime.traces().join(format!("{request_id:04}.part"));
        let files = Files { own: File::create(&own)?, shared: shared(runtime)?, failed: None };
        let journal = Self { clock, request_id, files: Mutex::new(files), own };
        journal.stream(&json!({ "event": "stream_start", "req_id": request_id, "ts": journal.unix_secs() }));
        Ok(journal)
    }

    /// Closes the run and names its file by its outcome: `NNNN_YYYYMMDD-HHMMSS_ok.jsonl`.
    ///
    /// # Errors
    ///
    /// The first write that failed during the run, or the renaming.
    pub fn end(self, result: &PipelineResult) -> io::Result<PathBuf> {
        self.stream(&json!({ "event": "stream_end", "req_id": self.request_id, "ts": self.unix_secs() }));
        let files = self.files.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = files.failed {
            return Err(error);
        }
        files.own.sync_data()?;
        let target = self.own.with_file_name(format!("{}.jsonl", name_of(result)));
        std::fs::rename(&self.own, &target)?;
        Ok(target)
    }

    fn write(&self, line: &Value) {
        let text = format!("{line}\n");
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let mut written = files.own.write_all(text.as_bytes());
        if let Some(shared) = &mut files.shared {
            written = written.and_then(|()| shared.trace.write_all(text.as_bytes()));
        }
        files.note(written);
    }

    fn stream(&self, line: &Value) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let written = match &mut files.shared {
            Some(shared) => shared.stream.write_all(format!("{line}\n").as_bytes()),
            None => Ok(()),
        };
        files.note(written);
    }

    fn unix_secs(&self) -> u64 {
        self.clock.unix_millis() / 1_000
    }
}

impl Observer for Journal {
    fn observe(&self, event: &RunEvent) {
        if let RunEvent::Token { text } = event {
            self.stream(&json!({ "event": "token", "text": text }));
            return;
        }
        let mut line = json!({ "ts": self.clock.unix_millis() });
        match (serde_json::to_value(event), line.as_object_mut()) {
            (Ok(Value::Object(members)), Some(line)) => line.extend(members),
            _ => tracing::error!(?event, "an event is no JSON object"),
        }
        self.write(&line);
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("own", &self.own).finish_non_exhaustive()
    }
}

impl Files {
    fn note(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failed.get_or_insert(error);
        }
    }
}

/// What the files of a run are named: `NNNN_YYYYMMDD-HHMMSS_ok`.
pub(super) fn name_of(result: &PipelineResult) -> String {
    let status = match result.outcome {
        Outcome::Ok => "ok",
        Outcome::Partial | Outcome::Unknown => "partial",
        Outcome::Failed | Outcome::Refused => "failed",
    };
    let start = result.run_id.0.get(..15).unwrap_or(&result.run_id.0);
    format!("{:04}_{start}_{status}", result.request_id)
}

/// The shared files, emptied; `None` while another run writes them.
fn shared(runtime: &RuntimeDir) -> io::Result<Option<Shared>> {
    let open = |path: &Path| OpenOptions::new().append(true).create(true).open(path);
    let trace = open(&runtime.trace())?;
    match trace.try_lock() {
        Ok(()) => {}
        Err(std::fs::TryLockError::WouldBlock) => return Ok(None),
        Err(std::fs::TryLockError::Error(error)) => return Err(error),
    }
    let stream = open(&runtime.stream())?;
    trace.set_len(0)?;
    stream.set_len(0)?;
    Ok(Some(Shared { trace, stream }))
}
