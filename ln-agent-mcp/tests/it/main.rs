//! Chapters about the crate as a whole.

#[cfg(test)]
#[cfg(feature = "playground")]
mod bitcoind;
#[cfg(test)]
#[cfg(feature = "playground")]
mod lightning_tools;
#[cfg(test)]
#[cfg(feature = "playground")]
mod playground;
