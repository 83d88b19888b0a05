//! bitcoind: the chain, the mempool and wallets.

pub(crate) mod address;
mod amount;
mod answer;
mod estimatefee;
mod family;
mod generatetoaddress;
mod getbalance;
mod getblockchaininfo;
mod getmempoolinfo;
mod getnewaddress;
mod gettransaction;
mod listtransactions;
mod sendtoaddress;
mod wallet_ensure;
pub(crate) mod wallet_name;

pub use family::tools;
