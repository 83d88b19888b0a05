//! Stage 1 of 4: prompt to intent.
//!
//! One model call on the happy path. A reply that is no intent goes back to the model with the error, a bounded
//! number of times; a model that does not answer ends the stage, because waiting and asking again is the guard's job.

mod error;
mod parse;
mod prompt;
mod run;
mod settle;

pub use error::{ParseFault, PromptFault, TranslatorError};
pub use prompt::{MAX_PROMPT_BYTES, is_forbidden};
pub use run::{Translation, Translator, TranslatorConfig, TranslatorInput};
