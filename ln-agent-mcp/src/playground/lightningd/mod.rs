//! Core Lightning's JSON-RPC over one node: one file for each method or small family.
//!
//! A method is a function of a [`Call`]; the table in `methods` lists them. What a method lacks it refuses with
//! Core Lightning's own error, and an unknown method is -32601, so that no caller mistakes silence for success.

mod call;
mod error;
mod methods;
mod params;
mod wire;

mod channel_view;
mod close;
mod connect;
mod datastore;
mod decode;
mod feerate;
mod feerates;
mod fetchinvoice;
mod fundchannel;
mod getinfo;
mod getlog;
mod getroute;
mod gossip;
mod help;
mod invoice;
mod keysend;
mod listclosedchannels;
mod listconfigs;
mod listforwards;
mod listfunds;
mod listinvoices;
mod listpays;
mod listpeerchannels;
mod listpeers;
mod listtransactions;
mod newaddr;
mod offer;
mod pay;
mod sending;
mod setchannel;
mod signmessage;
mod stop;
mod waitblockheight;
mod waitinvoice;
mod withdraw;

pub(crate) use call::{Answer, Call, Wait};
pub use error::RpcError;
pub(crate) use methods::method;
pub(crate) use params::Params;
pub(crate) use wire::{Frames, Request};
