//! Reads: one tool each.

use super::builder::{Builder, also};
use super::guard::observe;
use crate::offline::OfflineError;
use crate::offline::wish::{Clause, Task};
use crate::types::Object;

pub(super) fn read(plan: &mut Builder, clause: &Clause) -> Result<(), OfflineError> {
    let (tool, names): (&str, &[&str]) = match clause.task {
        Task::NetworkHealth => ("network_health", &[]),
        Task::BlockHeight => ("btc_getblockchaininfo", &[]),
        Task::NodeInfo => ("ln_getinfo", &["node"]),
        Task::ChannelCount => ("ln_listchannels", &["node"]),
        Task::PeerList => ("ln_listpeers", &["node"]),
        Task::FundList => ("ln_listfunds", &["node"]),
        Task::PaymentList => ("ln_listpays", &["node", "status"]),
        Task::InvoiceList => ("ln_listinvoices", &["node", "label"]),
        Task::WalletBalance => ("btc_getbalance", &["wallet"]),
        Task::FeeEstimate => ("btc_estimatefee", &["conf_target"]),
        Task::MempoolInfo => ("btc_getmempoolinfo", &[]),
        Task::LnFeeRates => ("ln_feerates", &["node"]),
        Task::LnAddress => ("ln_newaddr", &["node"]),
        Task::BtcTxList => ("btc_listtransactions", &["wallet", "count"]),
        Task::LnTxList => ("ln_listtransactions", &["node"]),
        Task::OfferList => ("ln_listoffers", &["node"]),
        Task::Recall => ("memory_lookup", &["query", "last_n", "outcome"]),
        Task::ForwardList => ("ln_listforwards", &["node", "status"]),
        Task::NodeList => ("ln_listnodes", &[]),
        Task::NodeStatus => ("ln_node_status", &["node"]),
        Task::NetInfo => ("sys_netinfo", &[]),
        Task::DecodeInvoice => ("ln_decodepay", &["node", "string"]),
        Task::ShowTransaction => ("btc_gettransaction", &["txid"]),
        Task::WaitInvoice => ("ln_waitinvoice", &["node", "label"]),
        Task::WaitAnyInvoice => ("ln_waitanyinvoice", &["node"]),
        Task::FetchUrl => ("http_fetch", &["url"]),
        _ => return Err(OfflineError::NoRecipe(clause.task.name())),
    };
    let call = also(Object::new(), clause, names);
    if plan.when.is_empty()
        && !matches!(clause.task, Task::LnAddress | Task::WaitInvoice | Task::WaitAnyInvoice | Task::FetchUrl)
    {
        observe(plan, tool, call);
    } else {
        plan.add(tool, call);
    }
    Ok(())
}
