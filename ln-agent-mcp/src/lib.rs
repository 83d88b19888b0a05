//! The 47 Lightning and Bitcoin tools of ln-agent, the MCP server over them, and the playground network.

pub mod node;
#[cfg(feature = "playground")]
pub mod playground;
#[cfg(feature = "server")]
pub mod server;
pub mod tools;

#[cfg(test)]
mod testing;
