//! What a Lightning node says of itself; nothing here moves money.

mod decodepay;
mod family;
mod feerates;
mod getinfo;
mod listchannels;
mod listforwards;
mod listfunds;
mod listoffers;
mod listpays;
mod listpeers;
mod listtransactions;
mod newaddr;
mod waitanyinvoice;

pub use family::tools;
