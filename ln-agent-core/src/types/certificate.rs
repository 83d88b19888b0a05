//! What a plan can do at worst, bound to its hash.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Msat, StepId};

/// The price tag of a plan. Approval binds to its hash: a plan that differs in meaning has another one.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Certificate {
    /// SHA-256 over the canonical JSON (RFC 8785) of the plan's steps, 64 lower-case hexadecimal digits.
    pub hash: String,
    /// Most that can leave the user's nodes, routing fee caps included, in millisatoshis. `None` when a step's
    /// amount is only known while the plan runs.
    pub worst_case_spend_msat: Option<Msat>,
    /// Who can receive money.
    pub recipients: Vec<Recipient>,
    /// Steps that cannot be undone.
    pub irreversible_steps: Vec<StepId>,
}

/// Who receives money in one step.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Recipient {
    /// The spending step.
    pub step_id: StepId,
    /// Address, invoice, node id, or the placeholder that will name it.
    pub destination: String,
    /// The amount in millisatoshis, where it is known beforehand.
    pub amount_msat: Option<Msat>,
}
