//! One Lightning node: LDK's protocol code, an on-chain wallet, and the tables that LDK does not keep.
//!
//! A [`Node`] is what survives: its keys, wallet and [`Book`]. While it runs it also has a [`Live`] part, built
//! from LDK's own serialisation, which is dropped when the node stops.

mod book;
mod chain_view;
mod journal;
mod keys;
mod live;
mod messages;
mod monitors;
mod offer_desk;
mod parts;
mod resident;
mod restore;
mod rows;
mod table;
mod wallet;

pub(crate) use book::Book;
pub(crate) use chain_view::SharedChain;
pub(crate) use journal::Journal;
pub(crate) use keys::NodeSeed;
pub(crate) use live::{Live, PathEnd, user_config};
pub(crate) use parts::{FEERATE_PER_KW, Socket};
pub(crate) use resident::Node;
pub(crate) use rows::{
    ChannelRow, Closing, Datum, Failure, ForwardRow, InvoiceRow, OfferRow, Paid, Part, PayRow, PayStatus,
    StateChange,
};
pub(crate) use wallet::{Coins, Funding, Wallet, WalletError};
