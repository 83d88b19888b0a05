//! The file of a cassette while it is written.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::line::Line;
use super::scrub::Scrub;

/// Writes lines, each in one write, so that a crash leaves whole lines and at most one torn one.
pub(super) struct Tape {
    state: Mutex<State>,
}

struct State {
    file: File,
    scrub: Scrub,
    seq: u64,
    /// The first write that failed; told at the end, so that a full disk does not stop a payment half-way.
    failed: Option<io::Error>,
}

impl Tape {
    /// A new file that only its owner can read.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(Self::of(options.open(path)?))
    }

    /// The tape in this file.
    pub(super) fn of(file: File) -> Self {
        Self { state: Mutex::new(State { file, scrub: Scrub::default(), seq: 0, failed: None }) }
    }

    /// The place of the next question in the order of questions, from 1.
    pub(super) fn next(&self) -> u64 {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.seq += 1;
        state.seq
    }

    pub(super) fn write(&self, line: &Line) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = state.write(line) {
            state.failed.get_or_insert(error);
        }
    }

    /// Whether something in this text is masked where it is written.
    pub(super) fn masks(&self, text: &str) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).scrub.masks(text)
    }

    /// The first write that failed.
    pub(super) fn check(&self) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.failed.take().map_or(Ok(()), Err)
    }
}

impl State {
    fn write(&mut self, line: &Line) -> io::Result<()> {
        let mut value = serde_json::to_value(line)?;
        self.scrub.scrub(&mut value);
        let mut text = serde_json::to_vec(&value)?;
        text.push(b'\n');
        self.file.write_all(&text)
    }
}
