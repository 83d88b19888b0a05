//! The model-free translator, planner and summarizer.
