//! Any command of a node, by name: classified by what it does, with the dangerous ones refused.

mod arguments;
mod btc_raw;
mod btc_rules;
mod command;
mod family;
mod ln_raw;
mod ln_rules;

pub use family::{blocked_commands, tools};
