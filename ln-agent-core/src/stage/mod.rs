//! The four stages. None imports another.

pub mod executor;
pub mod planner;
pub mod summarizer;
pub mod translator;
