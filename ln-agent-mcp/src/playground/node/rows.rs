use bitcoin::OutPoint;
use serde::{Deserialize, Serialize};

/// An invoice that this node issued.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct InvoiceRow {
    pub(crate) label: String,
    pub(crate) description: Option<String>,
    pub(crate) bolt11: Option<String>,
    pub(crate) bolt12: Option<String>,
    /// The offer it was made for, in hex.
    pub(crate) offer_id: Option<String>,
    pub(crate) payment_hash: String,
    /// Known from the start only if the caller chose it.
    pub(crate) preimage: Option<String>,
    /// `None` means any amount.
    pub(crate) amount_msat: Option<u64>,
    /// Seconds since 1970 on the network's clock.
    pub(crate) expires_at: u64,
    pub(crate) paid: Option<Paid>,
    pub(crate) updated_index: Option<u64>,
}

/// How an invoice was settled.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Paid {
    /// Counts this node's paid invoices from 1.
    pub(crate) pay_index: u64,
    pub(crate) received_msat: u64,
    pub(crate) at: u64,
    pub(crate) preimage: String,
}

/// Where a payment stands.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PayStatus {
    Pending,
    Complete,
    Failed,
}

/// One route's share of a payment.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Part {
    pub(crate) amount_msat: u64,
    pub(crate) fee_msat: u64,
    pub(crate) status: PayStatus,
}

/// Why a payment failed, in Core Lightning's terms.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Failure {
    pub(crate) code: i64,
    pub(crate) message: String,
}

/// A payment that this node sends.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct PayRow {
    pub(crate) payment_hash: String,
    /// LDK's name for this attempt, in hex: a failed payment can be tried again under a new one.
    pub(crate) payment_id: String,
    pub(crate) destination: Option<String>,
    pub(crate) amount_msat: u64,
    pub(crate) fee_msat: u64,
    pub(crate) status: PayStatus,
    pub(crate) created_at: u64,
    pub(crate) completed_at: Option<u64>,
    pub(crate) preimage: Option<String>,
    pub(crate) bolt11: Option<String>,
    pub(crate) bolt12: Option<String>,
    pub(crate) label: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) parts: Vec<Part>,
    pub(crate) failure: Option<Failure>,
    pub(crate) updated_index: Option<u64>,
}

/// An offer that this node made.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct OfferRow {
    pub(crate) offer_id: String,
    pub(crate) bolt12: String,
    pub(crate) label: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) active: bool,
    pub(crate) single_use: bool,
    pub(crate) used: bool,
    pub(crate) absolute_expiry: Option<u64>,
}

/// A payment that went through this node, or tried to.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct ForwardRow {
    pub(crate) in_channel: String,
    pub(crate) out_channel: Option<String>,
    pub(crate) in_msat: Option<u64>,
    pub(crate) out_msat: Option<u64>,
    pub(crate) fee_msat: Option<u64>,
    /// `settled`, `failed` or `local_failed`.
    pub(crate) status: String,
    pub(crate) received_time: u64,
    pub(crate) resolved_time: Option<u64>,
    pub(crate) failcode: Option<u16>,
    pub(crate) failreason: Option<String>,
}

/// One entry of the `datastore`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Datum {
    pub(crate) key: Vec<String>,
    /// How often it was changed.
    pub(crate) generation: u64,
    /// The bytes, in hex.
    pub(crate) hex: String,
}

/// One entry of `state_changes`.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct StateChange {
    pub(crate) at: u64,
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) cause: String,
    pub(crate) message: String,
}

/// How a channel ended.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Closing {
    /// `local` or `remote`.
    pub(crate) closer: String,
    /// The transaction that spends the funding output, once it is known.
    pub(crate) txid: Option<String>,
    pub(crate) mutual: bool,
    /// This node's balance when the channel ended, in millisatoshis.
    pub(crate) to_us_msat: u64,
}

/// Payments counted per channel.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Counters {
    pub(crate) in_count: u64,
    pub(crate) in_msat: u64,
    pub(crate) out_count: u64,
    pub(crate) out_msat: u64,
}

/// A channel of this node, from its first message to long after its end.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct ChannelRow {
    pub(crate) channel_id: String,
    pub(crate) peer_id: String,
    pub(crate) funding_txid: String,
    pub(crate) funding_outnum: u32,
    pub(crate) capacity_sat: u64,
    pub(crate) push_msat: u64,
    /// `local` or `remote`.
    pub(crate) opener: String,
    pub(crate) private: bool,
    pub(crate) scid: Option<String>,
    pub(crate) opened_at: u64,
    pub(crate) state: String,
    pub(crate) state_changes: Vec<StateChange>,
    pub(crate) counters: Counters,
    pub(crate) closing: Option<Closing>,
}

impl ChannelRow {
    /// The output that holds the channel's money.
    pub(crate) fn funding(&self) -> Option<OutPoint> {
        Some(OutPoint::new(self.funding_txid.parse().ok()?, self.funding_outnum))
    }
}
