//! Earlier prompts and answers of a session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Object;

/// One line of `history.jsonl`.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Turn {
    /// `user` or `assistant`.
    pub role: String,
    /// The prompt, or the answer.
    pub content: String,
    /// What an answer left behind for follow-ups. Empty for a prompt.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub artefacts: Object,
}

/// A prompt and its answer, with what a follow-up may refer to.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Exchange {
    /// What the user said.
    pub prompt: String,
    /// What the agent answered.
    pub answer: String,
    /// Values "that invoice", "the channel", "it" may mean, by canonical context name (`bolt11`, `offer`, `txid`,
    /// `node`, `from_node`, `to_node`, `peer_id`, `amount_msat`, `label`, `address`, …).
    #[serde(default)]
    pub artefacts: Object,
}
