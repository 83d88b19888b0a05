//! The playground network, called in-process and over its sockets.

mod determinism;
mod errors;
mod golden_path;
mod lab;
mod lifecycle;
mod sockets;
mod waiting;
