//! Google's Gemini, by `generateContent`.
//!
//! The form is that of <https://ai.google.dev/api/generate-content>. A turn is a list of parts; parts that carry a
//! signature go back to the model as they came. Blocked prompts and answers come with a status of success.

mod backend;
mod reply;
mod request;
mod stream;

pub use backend::GeminiBackend;
