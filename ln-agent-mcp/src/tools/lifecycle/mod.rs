//! Making, starting, stopping and deleting Lightning nodes.

mod create;
mod delete;
mod family;
mod list;
mod start;
mod status;
mod stop;

pub use family::tools;
