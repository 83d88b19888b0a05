//! Ollama's own API, `/api/chat`: its `/v1` leaves out the size of the context and the switch for thoughts.
//!
//! The form is that of <https://docs.ollama.com/api/chat>. Ollama cuts a prompt that is too long without a word, so
//! every request names the size of the context and asks for an error instead.

mod backend;
mod base;
mod quirks;
mod reply;
mod request;
mod stream;

pub use backend::OllamaBackend;
