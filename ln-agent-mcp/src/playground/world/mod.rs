//! The whole network in one place: the chain, all nodes, and the links between them.
//!
//! A [`World`] is driven by one thread, command by command. After each command that changes something,
//! [`World::settle`] delivers messages, blocks and events until nothing more happens, and stages the result.

mod bolt12;
mod channels;
mod events;
mod links;
mod payments;
mod pump;
mod state;

pub(crate) use bolt12::{bolt12_invoice, bolt12_text};
pub(crate) use channels::{scid_text, spender_of, to_us_msat};
pub(crate) use links::LinkError;
pub(crate) use payments::{bytes32, hex};
pub(crate) use state::{World, WorldError, alias};
