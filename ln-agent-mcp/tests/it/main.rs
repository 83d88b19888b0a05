//! Chapters about the crate as a whole.

#[cfg(feature = "playground")]
mod bitcoind;
