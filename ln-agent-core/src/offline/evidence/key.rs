//! Names of values, in contexts and in the arguments of tools, and what kind of value each holds.

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Key {
    /// The number of a node.
    Node,
    /// Money, in a unit with these decimal places in millisatoshis.
    Money(u32),
    /// A text that is copied, never composed: one of these sorts.
    Thing(&'static [Sort]),
    /// A name or a description.
    Text,
    /// A text that is signed or sent as it is.
    Verbatim,
    /// A wallet's name.
    Wallet,
    /// Blocks to mine.
    Blocks,
    /// A number, and those it may be without being said.
    Number(&'static [u64]),
    /// A host name or address.
    Host,
    /// What is searched for.
    Query,
    /// A word of a tool's list.
    Word,
    /// Yes or no.
    Flag,
    /// Yes or no, where yes is destructive and must be said.
    Force,
    /// A dispatch tag, or the topic of a question.
    Target,
    /// Clauses.
    Clauses,
    /// Anything else.
    Unknown,
}

/// What a copied text is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Sort {
    Invoice,
    Bolt12Invoice,
    Offer,
    Address,
    Hash,
    Pubkey,
    ShortChannelId,
    Url,
}

impl Key {
    /// What this name stands for.
    pub(super) fn of(name: &str) -> Self {
        use Sort::{Address, Bolt12Invoice, Hash, Invoice, Offer, Pubkey, ShortChannelId, Url};
        match name {
            "node" | "from_node" | "to_node" | "except_node" => Self::Node,
            "amount_sat" => Self::Money(3),
            "amount_btc" => Self::Money(11),
            "amount_msat" | "amount" | "feebase" | "feebase_msat" | "htlcmin" | "htlcmax" | "maxfee" => {
                Self::Money(0)
            }
            "bolt11" => Self::Thing(&[Invoice, Bolt12Invoice]),
            "bolt12" => Self::Thing(&[Bolt12Invoice, Offer]),
            "offer" => Self::Thing(&[Offer]),
            "string" => Self::Thing(&[Invoice, Bolt12Invoice, Offer]),
            "address" => Self::Thing(&[Address]),
            "destination" => Self::Thing(&[Address, Pubkey]),
            "txid" | "payment_hash" => Self::Thing(&[Hash]),
            "peer_id" => Self::Thing(&[Pubkey, ShortChannelId, Hash]),
            "short_channel_id" => Self::Thing(&[ShortChannelId]),
            "url" => Self::Thing(&[Url]),
            "label" | "description" => Self::Text,
            "message" | "body" | "headers" => Self::Verbatim,
            "wallet" | "wallet_name" => Self::Wallet,
            "blocks" => Self::Blocks,
            "count" => Self::Number(&[10]),
            "conf_target" => Self::Number(&[6]),
            "last_n" => Self::Number(&[5, 1]),
            "feeppm" | "retry_for" | "lastpay_index" => Self::Number(&[]),
            "unilateral_timeout" => Self::Number(&[1, 30]),
            "port" => Self::Number(&[9_735]),
            "host" | "bind_host" | "announce_host" => Self::Host,
            "query" => Self::Query,
            "outcome" | "status" | "style" | "method" => Self::Word,
            "rebalance" => Self::Flag,
            "force" => Self::Force,
            "read_target" | "action_target" | "topic" => Self::Target,
            "clauses" | "would" => Self::Clauses,
            _ if name.ends_with("_msat") => Self::Money(0),
            _ if name.ends_with("_sat") => Self::Money(3),
            _ if name.ends_with("_btc") => Self::Money(11),
            _ => Self::Unknown,
        }
    }
}
