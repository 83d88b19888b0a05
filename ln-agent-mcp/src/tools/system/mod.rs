//! The machine, the network as a whole, and the memory of earlier runs.

mod family;
mod memory_lookup;
mod netinfo;
mod network_health;

pub use family::tools;
