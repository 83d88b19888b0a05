//! Model providers over real sockets: a server of our own that answers as each provider does, on good and bad days.
//!
//! [`contract`] has what every adapter must do; one file for each dialect says how its provider writes it.

mod anthropic;
mod bad_input;
mod contract;
mod gemini;
mod ollama;
mod openai;
mod secrets;
mod server;
