//! ln-agent-mcp
