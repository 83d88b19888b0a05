//! Chapters about the crate as a whole.

#[cfg(test)]
#[cfg(feature = "playground")]
mod bitcoind;
#[cfg(test)]
#[cfg(feature = "playground")]
mod golden_path;
#[cfg(test)]
#[cfg(feature = "playground")]
mod lightning_tools;
#[cfg(test)]
#[cfg(feature = "playground")]
mod pipeline_on_playground;
#[cfg(test)]
#[cfg(feature = "playground")]
mod playground;
#[cfg(test)]
#[cfg(feature = "playground")]
mod served;
#[cfg(test)]
mod shortlist;
#[cfg(test)]
mod tool_catalogue;
