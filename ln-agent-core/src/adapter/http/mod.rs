//! What every model provider's adapter shares: one HTTP client with two time limits, event streams, JSON lines,
//! and the reading of failures. An adapter adds its [`Wire`]: the form of requests and answers.

mod config;
mod decode;
mod endpoint;
mod events;
mod failure;
mod ndjson;
mod remote;
mod reply;
mod sse;
mod transport;
mod unwrap;
mod wait;

pub use config::RemoteConfig;
pub(crate) use decode::{arguments, function_call, lowered, schema_in_words, temperature, text_of, tokens};
pub(crate) use events::Framing;
pub(crate) use failure::in_stream;
pub(crate) use remote::{Body, Fold, Remote, Wire, remote_backend};
