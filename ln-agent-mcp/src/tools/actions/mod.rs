//! Peers and channels: connect, open, close, set fees.

mod closechannel;
mod connect;
mod family;
mod openchannel;
mod setchannel;

pub use family::tools;
