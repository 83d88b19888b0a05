//! The family in one list.

use std::sync::Arc;

use ln_agent_core::tool::{Tool, typed};

use super::decodepay::DecodePay;
use super::feerates::FeeRates;
use super::getinfo::GetInfo;
use super::listchannels::ListChannels;
use super::listforwards::ListForwards;
use super::listfunds::ListFunds;
use super::listoffers::ListOffers;
use super::listpays::ListPays;
use super::listpeers::ListPeers;
use super::listtransactions::ListTransactions;
use super::newaddr::NewAddr;
use super::waitanyinvoice::WaitAnyInvoice;
use crate::node::Nodes;

/// The twelve tools that read a Lightning node.
#[must_use]
pub fn tools(nodes: &Nodes) -> Vec<Arc<dyn Tool>> {
    let nodes = || nodes.clone();
    vec![
        typed(GetInfo { nodes: nodes() }),
        typed(ListPeers { nodes: nodes() }),
        typed(ListFunds { nodes: nodes() }),
        typed(ListChannels { nodes: nodes() }),
        typed(NewAddr { nodes: nodes() }),
        typed(ListForwards { nodes: nodes() }),
        typed(FeeRates { nodes: nodes() }),
        typed(ListPays { nodes: nodes() }),
        typed(DecodePay { nodes: nodes() }),
        typed(WaitAnyInvoice { nodes: nodes() }),
        typed(ListOffers { nodes: nodes() }),
        typed(ListTransactions { nodes: nodes() }),
    ]
}
