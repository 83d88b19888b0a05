//! OpenAI Chat Completions, and every server that speaks it: llama.cpp, vLLM, LM Studio, OpenRouter, Groq.
//!
//! The form is that of <https://platform.openai.com/docs/api-reference/chat>. What servers add is ignored, what they
//! leave out has its default, and what one of them refuses is left out from then on, with a warning in the answer.

mod backend;
mod quirks;
mod reply;
mod request;
mod stream;

pub use backend::OpenAiBackend;
