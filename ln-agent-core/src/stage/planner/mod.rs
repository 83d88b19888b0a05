//! Stage 2: what will be done. One model call, or none.
//!
//! The order of decisions is that of [`Planner::plan`]; whatever a model answers passes [`validate`], which also
//! guards plans that come from a file.

mod arguments;
mod config;
mod decide;
mod fault;
mod flow;
mod prompt;
mod references;
mod rewrite;
mod shortlist;
mod topic;
mod validate;

pub use config::{ForceLlm, PlannerConfig, UnknownForceLlm};
pub use decide::{Planner, PlannerError, Planning};
pub use fault::PlanFault;
pub use references::{check_context, check_nodes};
pub use rewrite::rewrite_placeholders;
pub use validate::validate;
