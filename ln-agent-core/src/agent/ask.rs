//! One sentence to an agent, with everything kept that must be kept.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::cassette::{Recorded, Recording};
use super::{Journal, Runs, RuntimeDir, counter};
use crate::clock::Clock;
use crate::memory::{Archive, ArchiveEntry, History, MemoryError, artefacts};
use crate::observe::Observer;
use crate::pipeline::{Ask, AskError, Pipeline};
use crate::replay::Mode;
use crate::types::{Exchange, ExecutionPlan, PipelineResult};

/// A pipeline with a runtime directory.
#[derive(Debug)]
pub struct Agent {
    pipeline: Arc<Pipeline>,
    runtime: RuntimeDir,
    clock: ClockBox,
    history_max: usize,
    recording: Recording,
}

/// A prompt for an agent.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// What the user typed.
    pub prompt: &'a str,
    /// The conversation it belongs to: 1 to 64 letters, digits, `-` or `_`.
    pub session: &'a str,
    /// Stop before execution.
    pub plan_only: bool,
    /// Who watches.
    pub observer: &'a dyn Observer,
}

/// Why an agent gave no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The prompt is no sentence.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// The session's name could be a path.
    #[error("session `{0}` has no usable name: expected 1 to 64 letters, digits, `-` or `_`")]
    Session(String),
    /// The runtime directory cannot be written. Nothing was run.
    #[error(
        "cannot write the runtime directory {0}: check its permissions and free space, or set RUNTIME_DIR"
    )]
    Runtime(PathBuf, #[source] io::Error),
    /// The directory for cassettes cannot be made. Nothing was run.
    #[error("cannot make the directory {0} for the record")]
    RecordDirectory(PathBuf, #[source] io::Error),
    /// History or archive cannot be used.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The run took place, but its record could not be written.
    #[error("the run ended ({outcome}), but its record could not be written")]
    Record {
        /// How the run ended.
        outcome: String,
        /// What failed.
        #[source]
        source: io::Error,
    },
}

#[derive(Clone)]
struct ClockBox(Arc<dyn Clock>);

impl std::fmt::Debug for ClockBox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Clock")
    }
}

impl std::fmt::Debug for Question<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question")
            .field("prompt", &self.prompt)
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

impl Agent {
    /// An agent of this pipeline that keeps its state in `runtime` and lets follow-ups refer to the last
    /// `history_max` exchanges of their session.
    #[must_use]
    pub fn new(
        pipeline: Arc<Pipeline>,
        runtime: RuntimeDir,
        clock: Arc<dyn Clock>,
        history_max: usize,
    ) -> Self {
        let recording = Recording { beside_trace: true, copy_to: None };
        Self { pipeline, runtime, clock: ClockBox(clock), history_max, recording }
    }

    /// Whether each run's cassette is kept beside its trace, so that it can be replayed. Default: yes.
    #[must_use]
    pub fn record_runs(mut self, yes: bool) -> Self {
        self.recording.beside_trace = yes;
        self
    }

    /// Keeps each run's cassette in this directory, too, as `RUN_ID.jsonl`. It is made when it is missing.
    #[must_use]
    pub fn record_in(mut self, directory: Option<PathBuf>) -> Self {
        self.recording.copy_to = directory;
        self
    }

    /// Runs one prompt and records it: trace, outbox, history and archive.
    ///
    /// # Errors
    ///
    /// [`AgentError`]; every variant but `Record` means that nothing was run.
    pub async fn ask(&self, question: Question<'_>) -> Result<PipelineResult, AgentError> {
        Ask::new(question.prompt).check()?;
        check_session(question.session)?;
        let history = self.open_history(question.session)?;
        let exchanges = history.load()?.exchanges;
        let (journal, request_id) = self.begin()?;
        let watch = Both(&journal, question.observer);
        let ask = Ask {
            prompt: question.prompt,
            request_id,
            history: &exchanges,
            observer: Some(&watch as &dyn Observer),
        };
        let mode = if question.plan_only { Mode::PlanOnly } else { Mode::Run };
        let recorded = self.start_recording(mode, ask, None)?;
        let pipeline = recorded.as_ref().map_or(self.pipeline.as_ref(), |recorded| &recorded.pipeline);
        let result = match mode {
            Mode::PlanOnly => pipeline.plan_only(ask).await?,
            _ => pipeline.run(ask).await?,
        };
        self.record(journal, recorded.as_ref(), &result)?;
        if !question.plan_only {
            self.remember(&history, question.prompt, &result)?;
        }
        Ok(result)
    }

    /// Executes a plan that exists already, and records the run.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask).
    pub async fn run_plan(
        &self,
        plan: ExecutionPlan,
        observer: &dyn Observer,
    ) -> Result<PipelineResult, AgentError> {
        let (journal, request_id) = self.begin()?;
        let watch = Both(&journal, observer);
        let ask = Ask { request_id, observer: Some(&watch as &dyn Observer), ..Ask::new("") };
        let recorded = self.start_recording(Mode::Plan, ask, Some(&plan))?;
        let pipeline = recorded.as_ref().map_or(self.pipeline.as_ref(), |recorded| &recorded.pipeline);
        let result = pipeline.run_plan(plan, ask).await;
        self.record(journal, recorded.as_ref(), &result)?;
        Ok(result)
    }

    fn open_history(&self, session: &str) -> Result<History, AgentError> {
        self.runtime.create().map_err(|error| self.unwritable(error))?;
        Ok(History::new(self.runtime.history(session), self.history_max))
    }

    fn begin(&self) -> Result<(Journal, u64), AgentError> {
        let begin = || {
            self.runtime.create()?;
            let request_id = counter::next(&self.runtime.counter())?;
            Ok((Journal::begin(&self.runtime, Arc::clone(&self.clock.0), request_id)?, request_id))
        };
        begin().map_err(|error| self.unwritable(error))
    }

    fn start_recording(
        &self,
        mode: Mode,
        ask: Ask<'_>,
        plan: Option<&ExecutionPlan>,
    ) -> Result<Option<Recorded>, AgentError> {
        let begun = self.recording.begin(&self.runtime, &self.pipeline, mode, ask, plan);
        begun.map_err(|error| match &self.recording.copy_to {
            Some(directory) if !directory.is_dir() => AgentError::RecordDirectory(directory.clone(), error),
            _ => self.unwritable(error),
        })
    }

    /// Outbox and trace first: a cassette that fails shall not cost them.
    fn record(
        &self,
        journal: Journal,
        recorded: Option<&Recorded>,
        result: &PipelineResult,
    ) -> Result<(), AgentError> {
        let kept = Runs::of(&self.runtime)
            .append(result)
            .and_then(|()| journal.end(result))
            .and_then(|_| recorded.map_or(Ok(()), |recorded| self.recording.end(recorded, result)));
        kept.map_err(|source| AgentError::Record { outcome: result.verdict.reason.clone(), source })
    }

    /// History for follow-ups, archive for good. A prompt that was not understood leaves neither.
    fn remember(&self, history: &History, prompt: &str, result: &PipelineResult) -> Result<(), AgentError> {
        let Some(intent) = &result.intent else { return Ok(()) };
        Archive::new(self.runtime.archive()).append(&ArchiveEntry {
            ts: result.ts,
            user: prompt.to_owned(),
            goal: intent.goal.clone(),
            outcome: result.outcome,
            summary: result.content.clone(),
        })?;
        // An exact repetition is archived, but not remembered twice.
        history.append(&Exchange {
            prompt: prompt.to_owned(),
            answer: result.content.clone(),
            artefacts: artefacts(intent, &result.step_results),
        })?;
        Ok(())
    }

    fn unwritable(&self, error: io::Error) -> AgentError {
        AgentError::Runtime(self.runtime.root().to_owned(), error)
    }
}

/// Two observers, the journal first.
struct Both<'a>(&'a Journal, &'a dyn Observer);

impl Observer for Both<'_> {
    fn observe(&self, event: &crate::types::RunEvent) {
        self.0.observe(event);
        self.1.observe(event);
    }
}

fn check_session(name: &str) -> Result<(), AgentError> {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if plain && (1..=64).contains(&name.len()) { Ok(()) } else { Err(AgentError::Session(name.to_owned())) }
}
