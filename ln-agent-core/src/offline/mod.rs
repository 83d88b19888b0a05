//! The model-free translator, planner and summarizer.

pub mod answer;
mod backend;
mod dispatch;
pub mod evidence;
mod followup;
mod grammar;
mod plan;
mod recipes;
mod say;
mod tasks;
mod text;
mod translate;
mod wish;

pub use backend::OfflineBackend;
pub use dispatch::{Dispatch, dispatch};
pub use evidence::{Evidence, Settled, Ungrounded, Unlicensed};
pub use plan::{OfflineError, plan};
pub use tasks::{Adopted, Agreement, TaskFault, adopt, agreement, facts, task_schema};
pub use translate::translate;
