//! Chapters of tests that cross rooms.

mod certificate;
mod floors;
mod plan_mutation;
mod planner;
mod summarizer;
mod toolbox;
