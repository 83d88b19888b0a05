//! The tools: one folder per family, one file per tool with its arguments, its payload and its tests.

pub mod actions;
pub mod bitcoin;
pub mod http;
pub mod lifecycle;
pub mod lightning;
pub mod offers;
pub mod onchain;
pub mod passthrough;
pub mod payments;
pub mod system;

mod all;
mod args;
mod ask;
mod explain;
mod msat;

pub use all::{all, registry};
