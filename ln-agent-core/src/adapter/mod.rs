//! What speaks to the world outside: model providers and tools of other processes, one folder for each dialect.

#[cfg(feature = "providers")]
pub mod anthropic;
#[cfg(feature = "providers")]
pub mod gemini;
#[cfg(feature = "providers")]
mod http;
#[cfg(feature = "mcp")]
pub mod mcp;
#[cfg(feature = "providers")]
pub mod ollama;
#[cfg(feature = "providers")]
pub mod openai;

#[cfg(feature = "providers")]
pub use http::RemoteConfig;
