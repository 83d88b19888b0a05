//! ln-agent-core
