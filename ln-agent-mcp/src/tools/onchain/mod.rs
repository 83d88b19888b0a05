//! A Lightning node's on-chain wallet and its signature.

mod family;
mod signmessage;
mod withdraw;

pub use family::tools;
