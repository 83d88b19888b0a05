//! The command line of ln-agent: parse, call, render.
//!
//! Answers go to standard output, progress and notes to standard error. Exit codes: 0 the goal was reached · 1 it
//! was not · 2 usage or configuration · 3 refused or awaiting approval · 4 node, tool server or model unreachable ·
//! 5 outcome unknown (money in flight).

mod command;
mod entry;
mod exit;
mod render;
mod session;
mod verb;

pub use entry::run;
