//! The guard before a model provider, from outside: order, limits, retries, breaker, and what a dropped call leaves.

mod breaker;
mod model;
mod persistence;
mod queue;
mod retry;
mod step_clock;
