//! The chapters of ln-agent-core, from the outside.

mod certificate;
mod plan_mutation;
mod planner;
mod toolbox;
