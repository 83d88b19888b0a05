use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::AddressKind;

/// What a wallet remembers; everything else follows from it and the chain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    /// The chain's clock when the wallet was made, in seconds.
    pub(super) birth_secs: u32,
    /// How many addresses were given out, by kind and whether for change.
    pub(super) issued: Vec<(AddressKind, bool, u32)>,
    /// Labels by address; an address given out without one has the empty label.
    pub(super) labels: BTreeMap<String, String>,
    /// What the user noted on sending, by transaction id.
    pub(super) notes: BTreeMap<String, Note>,
}

/// A user's words for a transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Note {
    pub(super) comment: String,
    pub(super) to: String,
}
