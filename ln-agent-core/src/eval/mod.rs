//! Batteries: an agent tested with sentences.
//!
//! A battery is a TOML file of cases ([`Battery`]); a [`Runner`] puts each case's prompt to an agent, looks at what
//! was called, answered and left behind, and counts. The agent is anything that turns a prompt into a
//! [`PipelineResult`](crate::types::PipelineResult), so an embedder tests its own the same way.

mod battery;
mod case;
mod check;
mod fabrication;
mod render;
mod report;
mod runner;
mod state;

pub use battery::{Battery, BatteryError, BatteryHead, BatteryNetwork};
pub use case::{Case, Expect, StateCheck};
pub use fabrication::fabricated;
pub use report::{CaseReport, Report};
pub use runner::{Respondent, Runner};
