//! Answers without a model: every sentence is made of values that stand in the results, the prompt or the plan.

mod actions;
mod bitcoin;
mod compose;
mod explain;
mod lifecycle;
mod lightning;
mod payments;
mod reading;
mod sentence;
mod support;
mod words;

pub use compose::{compose, template};
pub use support::unsupported;
