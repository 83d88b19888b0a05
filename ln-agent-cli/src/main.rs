//! The `ln-agent` binary.
fn main() {}
