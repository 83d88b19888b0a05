//! The command line as a stranger uses it: real processes, a real playground, nothing mocked.

#[cfg(test)]
mod ask;
#[cfg(test)]
mod bad_input;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod broken_world;
#[cfg(test)]
mod desk;
#[cfg(test)]
mod dialects;
#[cfg(test)]
mod mcp_http;
#[cfg(test)]
mod mcp_stdio;
#[cfg(test)]
mod network;
#[cfg(test)]
mod other_commands;
#[cfg(test)]
mod replay;
