//! ln-agent-http
