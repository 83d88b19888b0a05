//! Stage 4: the verdict, computed, and the answer, from a template, a model, or the results themselves.

mod guard;
mod prompt;
mod summarize;
mod verdict;

pub use summarize::{Summarizer, SummarizerConfig, Summary, SummaryInput};
pub use verdict::verdict;
