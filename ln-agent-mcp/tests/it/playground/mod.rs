//! The playground network, called in-process and over its sockets.

mod golden_path;
mod lab;
