//! Arguments that several tools share: each type accepts only what a node will understand.

mod amounts;
mod channel;
mod host;
mod invoice;
mod label;
mod offer;
mod peer;
mod text;

pub(crate) use amounts::{MsatOrAny, PositiveMsat, PositiveSat, SatOrAll};
pub(crate) use channel::ChannelRef;
pub(crate) use host::Host;
pub(crate) use invoice::InvoiceString;
pub(crate) use label::Label;
pub(crate) use offer::OfferString;
pub(crate) use peer::PeerId;
pub(crate) use text::{Description, Message};
