//! The HTTP face of ln-agent: reserved, and empty so far.
//!
//! The HTTP API, live events and the web page will live here. Until then an application mounts a
//! [`Pipeline`](ln_agent_core::pipeline::Pipeline) in its own server, as `examples/inside_axum.rs` shows, and MCP
//! clients use `ln-agent mcp --http`.
