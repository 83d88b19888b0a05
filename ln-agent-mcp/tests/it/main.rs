//! Chapters over the public API of ln-agent-mcp.

#[cfg(feature = "playground")]
mod playground;
