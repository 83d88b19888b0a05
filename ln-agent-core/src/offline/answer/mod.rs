//! Answers without a model: every sentence is made of values that stand in the results, the prompt or the plan.

mod actions;
mod bitcoin;
mod compose;
mod confirm;
mod explain;
mod failure;
mod lifecycle;
mod lightning;
mod payments;
mod reading;
mod said;
mod scene;
mod sentence;
mod spared;
mod support;
mod told;
mod words;

pub use compose::{compose, template};
pub use support::{Support, unsupported};
