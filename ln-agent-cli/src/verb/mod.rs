//! One file per command.

mod ask;
mod call;
mod chat;
mod completions;
mod config;
mod doctor;
mod eval;
mod interrupt;
mod mcp;
mod network;
mod replay;
mod run;
mod runs;
mod tools;

pub(crate) use ask::ask;
pub(crate) use call::call;
pub(crate) use chat::chat;
pub(crate) use completions::completions;
pub(crate) use config::config_show;
pub(crate) use doctor::doctor;
pub(crate) use eval::eval;
pub(crate) use mcp::mcp;
pub(crate) use network::network;
pub(crate) use run::run_plan;
pub(crate) use runs::runs;
pub(crate) use tools::tools;
