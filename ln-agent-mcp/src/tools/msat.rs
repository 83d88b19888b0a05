//! Amounts in a node's answers.

use ln_agent_core::Msat;
use serde::Deserialize;
use serde_json::Value;

/// An amount as a node spells it: `123`, or `"123msat"` on older ones.
pub(crate) fn read(value: &Value) -> Option<Msat> {
    Msat::deserialize(value).ok()
}
