//! The family in one list.

use std::sync::Arc;

use ln_agent_core::tool::{Tool, typed};

use super::estimatefee::EstimateFee;
use super::generatetoaddress::GenerateToAddress;
use super::getbalance::GetBalance;
use super::getblockchaininfo::GetBlockchainInfo;
use super::getmempoolinfo::GetMempoolInfo;
use super::getnewaddress::GetNewAddress;
use super::gettransaction::GetTransaction;
use super::listtransactions::ListTransactions;
use super::sendtoaddress::SendToAddress;
use super::wallet_ensure::WalletEnsure;
use crate::node::Nodes;

/// The six tools that read bitcoind and the four that write.
#[must_use]
pub fn tools(nodes: &Nodes) -> Vec<Arc<dyn Tool>> {
    let nodes = || nodes.clone();
    vec![
        typed(GetBlockchainInfo { nodes: nodes() }),
        typed(GetBalance { nodes: nodes() }),
        typed(ListTransactions { nodes: nodes() }),
        typed(GetTransaction { nodes: nodes() }),
        typed(GetMempoolInfo { nodes: nodes() }),
        typed(EstimateFee { nodes: nodes() }),
        typed(WalletEnsure { nodes: nodes() }),
        typed(GetNewAddress { nodes: nodes() }),
        typed(SendToAddress { nodes: nodes() }),
        typed(GenerateToAddress { nodes: nodes() }),
    ]
}
