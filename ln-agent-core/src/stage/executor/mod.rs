//! Stage 3 of 4: plan to results. No model is asked here, and the same plan on the same nodes gives the same results.
//!
//! Steps run in plan order as far as their dependencies allow. Neighbouring reads that do not wait for each other run
//! side by side; a step that changes something runs alone. Results are listed in that order, whatever finished first.

mod batch;
mod call;
mod config;
mod execute;
mod flow;
mod order;
mod oscillation;
mod resolve;
mod state;
mod step;
mod summary;

pub use config::ExecutorConfig;
pub use execute::{Execution, Executor};
pub use order::OrderError;
