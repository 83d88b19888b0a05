//! Where the cassettes of an agent's runs lie.

use std::io;
use std::path::{Path, PathBuf};

use super::RuntimeDir;
use super::journal::name_of;
use crate::pipeline::{Ask, Pipeline};
use crate::replay::{Mode, Recorder};
use crate::types::{ExecutionPlan, PipelineResult};

/// Which cassettes an agent keeps.
#[derive(Clone, Debug)]
pub(super) struct Recording {
    /// One beside the trace of each run.
    pub(super) beside_trace: bool,
    /// One in this directory, named by its run.
    pub(super) copy_to: Option<PathBuf>,
}

/// A run that is recorded.
pub(super) struct Recorded {
    pub(super) pipeline: Pipeline,
    recorder: Recorder,
}

impl Recording {
    /// Begins the cassette of a run; `None` when none is kept.
    pub(super) fn begin(
        &self,
        runtime: &RuntimeDir,
        pipeline: &Pipeline,
        mode: Mode,
        ask: Ask<'_>,
        plan: Option<&ExecutionPlan>,
    ) -> io::Result<Option<Recorded>> {
        if !self.beside_trace && self.copy_to.is_none() {
            return Ok(None);
        }
        if let Some(directory) = &self.copy_to {
            std::fs::create_dir_all(directory)?;
        }
        let part = runtime.traces().join(format!("{:04}.cassette.part", ask.request_id));
        let recorder = Recorder::begin(&part, pipeline.header(mode, ask, plan))?;
        Ok(Some(Recorded { pipeline: pipeline.recorded(&recorder), recorder }))
    }

    /// Puts the finished cassette where it belongs.
    pub(super) fn end(&self, recorded: &Recorded, result: &PipelineResult) -> io::Result<()> {
        let part = recorded.recorder.end(result)?;
        if let Some(directory) = &self.copy_to {
            // A copy has the permissions of the file.
            std::fs::copy(part, directory.join(format!("{}.jsonl", result.run_id)))?;
        }
        if self.beside_trace {
            std::fs::rename(part, path(part.parent().unwrap_or(Path::new("")), result))
        } else {
            std::fs::remove_file(part)
        }
    }
}

/// The cassette of a finished run among the traces.
pub(super) fn path(traces: &Path, result: &PipelineResult) -> PathBuf {
    traces.join(format!("{}.cassette.jsonl", name_of(result)))
}
