//! What a call may do to the world.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a call may do. Policy, approval, verification, the oscillation detector and MCP annotations all derive
/// from it. Ordered by weight.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Looks only.
    Read,
    /// Changes state, but no money leaves the user's nodes.
    Write,
    /// Money can leave.
    Spend,
}

impl Effect {
    /// Write or Spend.
    #[must_use]
    pub const fn changes_state(self) -> bool {
        !matches!(self, Self::Read)
    }

    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Spend => "spend",
        }
    }
}
