//! Which members a task has.

use crate::offline::wish::Task;

/// The members of a task: what it cannot be without, and what it may have.
pub(super) struct Form {
    pub(super) tasks: &'static [Task],
    pub(super) required: &'static [&'static str],
    pub(super) optional: &'static [&'static str],
}

const fn form(
    tasks: &'static [Task],
    required: &'static [&'static str],
    optional: &'static [&'static str],
) -> Form {
    Form { tasks, required, optional }
}

use Task::{
    BlockHeight, BtcTxList, ChannelCount, CloseChannel, Connect, CreateInvoice, CreateNode, CreateOffer,
    DecodeInvoice, DeleteNode, EnsureWallet, FeeEstimate, FetchInvoice, FetchUrl, ForwardList, FundList,
    FundNode, InvoiceList, Keysend, LnAddress, LnFeeRates, LnTxList, MempoolInfo, MineBlocks, NetInfo,
    NetworkHealth, NodeInfo, NodeList, NodeStatus, OfferList, OpenChannel, Pay, PaymentList, PeerList,
    ReachLan, Recall, RestartNode, SendOnchain, SetFee, ShowTransaction, SignMessage, StartNode, StopNode,
    WaitAnyInvoice, WaitInvoice, WalletAddress, WalletBalance, Withdraw,
};

/// Every task, in groups that have the same members.
pub(super) const FORMS: &[Form] = &[
    form(&[NetworkHealth, BlockHeight, MempoolInfo, NodeList, NetInfo], &[], &[]),
    form(
        &[
            NodeInfo,
            ChannelCount,
            PeerList,
            FundList,
            PaymentList,
            InvoiceList,
            LnFeeRates,
            LnAddress,
            LnTxList,
            OfferList,
            ForwardList,
            NodeStatus,
            StartNode,
            StopNode,
            RestartNode,
            CreateNode,
            DeleteNode,
            ReachLan,
            WaitAnyInvoice,
        ],
        &["node"],
        &[],
    ),
    form(&[WalletBalance, BtcTxList, WalletAddress, EnsureWallet], &[], &["wallet"]),
    form(&[FeeEstimate], &[], &["blocks"]),
    form(&[MineBlocks], &["blocks"], &[]),
    form(&[SignMessage], &["node", "message"], &[]),
    form(&[Recall], &[], &["query", "outcome", "last_n"]),
    form(&[Connect], &["from_node", "to_node"], &[]),
    form(&[OpenChannel], &["from_node", "to_node", "amount"], &[]),
    form(&[CloseChannel], &["from_node"], &["to_node", "every", "where"]),
    form(&[SetFee], &["node"], &["to_node", "feebase", "feeppm", "every"]),
    form(&[CreateInvoice], &["node", "amount"], &["label", "description"]),
    form(&[CreateOffer], &["node", "amount"], &["description"]),
    form(&[Pay], &["from_node"], &["to_node", "amount", "bolt11", "offer", "every", "where"]),
    form(&[Keysend], &["from_node", "to_node", "amount"], &[]),
    form(&[FundNode], &["node", "amount"], &[]),
    form(&[Withdraw], &["from_node", "amount"], &["to_node", "address"]),
    form(&[SendOnchain], &["address", "amount"], &[]),
    form(&[FetchInvoice], &["node"], &["offer", "amount"]),
    form(&[DecodeInvoice], &["node"], &["bolt11"]),
    form(&[ShowTransaction], &["txid"], &[]),
    form(&[WaitInvoice], &["node", "label"], &[]),
    form(&[FetchUrl], &["url"], &[]),
];

/// The form of a task.
pub(super) fn of(task: Task) -> &'static Form {
    FORMS.iter().find(|form| form.tasks.contains(&task)).unwrap_or(&FORMS[0])
}

/// The task of this name.
pub(super) fn named(name: &str) -> Option<Task> {
    FORMS.iter().flat_map(|form| form.tasks).copied().find(|task| task.name() == name)
}

impl Form {
    pub(super) fn has(&self, member: &str) -> bool {
        self.required.contains(&member) || self.optional.contains(&member)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_task_has_one_form() {
        let all: Vec<Task> = FORMS.iter().flat_map(|form| form.tasks).copied().collect();
        let distinct: HashSet<Task> = all.iter().copied().collect();
        // `FetchInvoice` is the last of the enumeration.
        assert_eq!((all.len(), distinct.len()), (FetchInvoice as usize + 1, FetchInvoice as usize + 1));
        for task in all {
            assert_eq!(named(&task.name()), Some(task));
        }
    }
}
