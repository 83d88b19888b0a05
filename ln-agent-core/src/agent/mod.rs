//! The front door: a pipeline with a runtime directory, where runs, history and traces are kept.

mod ask;
mod cassette;
mod counter;
mod journal;
mod runs;
mod runtime;

pub use ask::{Agent, AgentError, Question};
pub use journal::Journal;
pub use runs::{RunSummary, Runs, RunsError};
pub use runtime::RuntimeDir;
