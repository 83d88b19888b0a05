//! What one clause of a prompt asks for. Its JSON is `context.clauses` of an intent.
//!
//! `{"task": "pay", "args": {"from_node": 1, "invoice_of": 1}, "when": [Test], "where": [Test], "every": true}`:
//! `when` are conditions on the world that must hold, `where` filters the things of a plural. A [`Test`] is
//! `{"of": "channel_count", "node": 1, "op": "lt", "value": 5}`. Operators are words, because the safety gate
//! refuses `<` and `>` in contexts. `invoice_of` counts clauses from 1.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::types::{Object, Op};

/// One clause.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Clause {
    /// What to do or read.
    pub(super) task: Task,
    /// Entities by canonical name.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub(super) args: Object,
    /// Conditions on the world.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) when: Vec<Test>,
    /// Filters on the elements of a plural.
    #[serde(default, rename = "where", skip_serializing_if = "Vec::is_empty")]
    pub(super) filter: Vec<Test>,
    /// It is about every element that passes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) every: bool,
}

/// One comparison.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Test {
    /// What is looked at: a [`Fact`] in `when`, a field of the element in `where`.
    pub(super) of: String,
    /// Whose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) node: Option<u32>,
    /// Only what is shared with this node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) peer: Option<u32>,
    /// How it is compared.
    pub(super) op: Comparison,
    /// With what.
    pub(super) value: Value,
}

/// A comparison in words.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Comparison {
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

impl Comparison {
    pub(super) const fn op(self) -> Op {
        match self {
            Self::Lt => Op::Less,
            Self::Le => Op::LessOrEqual,
            Self::Gt => Op::Greater,
            Self::Ge => Op::GreaterOrEqual,
            Self::Eq => Op::Equal,
            Self::Ne => Op::NotEqual,
        }
    }

    /// What holds exactly when this does not.
    pub(super) const fn negated(self) -> Self {
        match self {
            Self::Lt => Self::Ge,
            Self::Le => Self::Gt,
            Self::Gt => Self::Le,
            Self::Ge => Self::Lt,
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
        }
    }

    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Lt => "less than",
            Self::Le => "at most",
            Self::Gt => "more than",
            Self::Ge => "at least",
            Self::Eq => "exactly",
            Self::Ne => "not",
        }
    }
}

/// What a clause asks for. Reads carry the name of their dispatch tag where they have one.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Task {
    #[default]
    NetworkHealth,
    BlockHeight,
    NodeInfo,
    ChannelCount,
    PeerList,
    FundList,
    PaymentList,
    InvoiceList,
    WalletBalance,
    FeeEstimate,
    MempoolInfo,
    LnFeeRates,
    LnAddress,
    BtcTxList,
    LnTxList,
    OfferList,
    Recall,
    ForwardList,
    NodeList,
    NodeStatus,
    NetInfo,
    DecodeInvoice,
    ShowTransaction,
    WaitInvoice,
    WaitAnyInvoice,
    FetchUrl,
    SignMessage,
    StartNode,
    StopNode,
    RestartNode,
    CreateNode,
    DeleteNode,
    ReachLan,
    MineBlocks,
    WalletAddress,
    EnsureWallet,
    SendOnchain,
    FundNode,
    Withdraw,
    Connect,
    OpenChannel,
    CloseChannel,
    SetFee,
    CreateInvoice,
    Pay,
    Keysend,
    CreateOffer,
    FetchInvoice,
}

impl Task {
    /// Its name on the wire.
    pub(super) fn name(self) -> String {
        match serde_json::to_value(self) {
            Ok(Value::String(name)) => name,
            _ => String::new(),
        }
    }

    /// Whether it changes nothing.
    pub(super) const fn is_read(self) -> bool {
        (self as u8) <= (Self::SignMessage as u8)
    }

    /// Whether its recipe mines blocks to confirm what it did.
    pub(super) const fn mines(self) -> bool {
        matches!(
            self,
            Self::OpenChannel | Self::CloseChannel | Self::FundNode | Self::SendOnchain | Self::Withdraw
        )
    }

    /// The dispatch tag's key, when the table has a row of this name.
    pub(super) const fn tag(self) -> Option<&'static str> {
        match self {
            Self::SignMessage | Self::StartNode | Self::StopNode | Self::RestartNode | Self::MineBlocks => {
                Some("action_target")
            }
            _ if (self as u8) <= (Self::Recall as u8) => Some("read_target"),
            _ => None,
        }
    }

    /// Whether it is about one node, named `node`.
    pub(super) const fn needs_node(self) -> bool {
        matches!(
            self,
            Self::NodeInfo
                | Self::ChannelCount
                | Self::PeerList
                | Self::FundList
                | Self::PaymentList
                | Self::InvoiceList
                | Self::LnFeeRates
                | Self::LnAddress
                | Self::LnTxList
                | Self::OfferList
                | Self::ForwardList
                | Self::NodeStatus
                | Self::SignMessage
                | Self::StartNode
                | Self::StopNode
                | Self::RestartNode
                | Self::CreateNode
                | Self::DeleteNode
                | Self::ReachLan
                | Self::CreateInvoice
                | Self::CreateOffer
                | Self::WaitInvoice
                | Self::WaitAnyInvoice
        )
    }
}
