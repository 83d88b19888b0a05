//! Stage 4 of 4: results to answer. One model call, or none.
//!
//! The [`verdict`] is computed from results and verification. The text may come from a model; whether the goal was
//! reached never does.

mod guard;
mod prompt;
mod shown;
mod summarize;
mod verdict;

pub use summarize::{Summarizer, SummarizerConfig, Summary, SummaryInput};
pub use verdict::verdict;
