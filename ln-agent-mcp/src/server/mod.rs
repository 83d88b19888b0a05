//! The MCP server over a registry of tools: on stdio, and as streamable HTTP.
//!
//! Both protocol eras are served (revisions up to 2025-11-25 with a handshake, 2026-07-28 without).

mod answer;
mod describe;
mod handler;
mod http;
mod page;
mod stdio;

pub use handler::McpServer;
pub use http::{BearerToken, HttpError, HttpOptions, serve_http};
pub use stdio::{StdioError, serve_stdio};
