//! The flow of a run: the four stages in their order and nothing else.

mod ask;
mod builder;
mod outcome;
mod record;
mod run;

pub use ask::{Ask, AskError};
pub use builder::{BuildError, Network, Pipeline, PipelineBuilder};
pub use record::{ReplayError, Replayed, replay};
