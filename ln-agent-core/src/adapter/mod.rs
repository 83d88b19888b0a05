//! Ways to the outside: one folder per dialect.

#[cfg(feature = "mcp")]
pub mod mcp;
