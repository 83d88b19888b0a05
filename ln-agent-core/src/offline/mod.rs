//! The model-free translator, planner and summarizer.

mod dispatch;

pub use dispatch::{Dispatch, dispatch};
