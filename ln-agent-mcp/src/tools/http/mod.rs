//! HTTP beyond the nodes: to hosts on the allow-list only.

mod allow;
mod exchange;
mod family;
mod fetch;
mod headers;

pub use family::tools;
