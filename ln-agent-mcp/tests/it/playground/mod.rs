//! The playground network, called in-process and over its sockets.

mod crash;
mod determinism;
mod errors;
mod golden_path;
mod histories;
mod lab;
mod lifecycle;
mod money;
mod records;
mod shapes;
mod sockets;
mod waiting;
