//! The tools: one folder per family, one file per tool with its arguments, its payload and its tests.

pub mod bitcoin;
pub mod http;
pub mod lifecycle;
pub mod system;

mod all;

pub use all::{all, registry};
