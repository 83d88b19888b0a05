//! The front door: a pipeline with a runtime directory, where runs, history and traces are kept.

mod ask;
#[cfg(feature = "providers")]
mod backends;
mod counter;
mod journal;
mod runs;
mod runtime;

pub use ask::{Agent, AgentError, Question};
#[cfg(feature = "providers")]
pub use backends::create_backend_for_role;
pub use journal::Journal;
pub use runs::{RunSummary, Runs, RunsError};
pub use runtime::RuntimeDir;
