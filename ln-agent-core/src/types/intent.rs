//! What the user wants, as the translator understood it.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::Object;

/// The typed reading of one prompt: the translator's artefact.
///
/// Every member may be missing on the wire and then takes its default.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::{IntentBlock, IntentType};
/// let intent: IntentBlock = serde_json::from_str(r#"{"goal": "read the height", "intent_type": "surprise"}"#)?;
/// assert_eq!(intent.intent_type, IntentType::Freeform);
/// assert!(intent.context.is_empty());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default)]
pub struct IntentBlock {
    /// What is to be reached, in one sentence.
    pub goal: String,
    /// The kind of wish; decides dispatch and verification.
    pub intent_type: IntentType,
    /// Entities of the prompt by canonical name (`node`, `from_node`, `to_node`, `amount_msat`, `bolt11`, …) and
    /// the dispatch tags `read_target` and `action_target`.
    pub context: Object,
    /// What must hold afterwards, in sentences.
    pub success_criteria: Vec<String>,
    /// Questions that must be answered before anything may change. Not empty: nothing is executed.
    pub clarifications_needed: Vec<String>,
    /// One sentence for the user.
    pub human_summary: String,
    /// The prompt as it was typed.
    pub raw_prompt: String,
}

/// The kinds of wish. A name that is not known reads as [`Freeform`](Self::Freeform).
#[derive(Clone, Copy, Debug, Default, Eq, Hash, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IntentType {
    /// A channel between two nodes.
    OpenChannel,
    /// Another fee policy for a channel.
    SetFee,
    /// Liquidity moved between channels.
    Rebalance,
    /// A payment: a BOLT 11 or BOLT 12 invoice, or a stated amount.
    PayInvoice,
    /// A question about earlier runs.
    Recall,
    /// A job for another agent's node (multi-agent mode).
    Route,
    /// An explanation is wanted, not an action.
    Informational,
    /// Nothing to do: a greeting, or out of the domain.
    Noop,
    /// Anything else that can be read or done.
    #[default]
    Freeform,
}

impl IntentType {
    /// Every kind, in declaration order.
    pub const ALL: [Self; 9] = [
        Self::OpenChannel,
        Self::SetFee,
        Self::Rebalance,
        Self::PayInvoice,
        Self::Recall,
        Self::Route,
        Self::Informational,
        Self::Noop,
        Self::Freeform,
    ];

    /// Whether nothing is to be read or done: it is [`Informational`](Self::Informational) or [`Noop`](Self::Noop).
    #[must_use]
    pub const fn is_idle(self) -> bool {
        matches!(self, Self::Informational | Self::Noop)
    }

    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenChannel => "open_channel",
            Self::SetFee => "set_fee",
            Self::Rebalance => "rebalance",
            Self::PayInvoice => "pay_invoice",
            Self::Recall => "recall",
            Self::Route => "route",
            Self::Informational => "informational",
            Self::Noop => "noop",
            Self::Freeform => "freeform",
        }
    }
}

impl<'de> Deserialize<'de> for IntentType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ok(Self::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_written_and_read_by_its_name() {
        for kind in IntentType::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
            assert_eq!(serde_json::from_value::<IntentType>(kind.name().into()).unwrap(), kind);
        }
    }
}
