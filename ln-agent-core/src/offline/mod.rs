//! The model-free translator, planner and summarizer.

pub mod answer;
mod dispatch;

pub use dispatch::{Dispatch, dispatch};
