//! Tools of another process, over the Model Context Protocol.
//!
//! [`McpClient`] owns the process: it starts it on the first call, gives every call a deadline, matches replies by
//! id and drops late ones, and starts it again after it died. [`McpClient::tools`] offers its tools with *our*
//! specifications: what a tool may do is never taken from the wire.

mod client;
mod connection;
mod outcome;
mod remote;

pub use client::{McpClient, McpError, ServerCommand};
