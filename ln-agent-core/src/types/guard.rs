//! What a guard did between the agent and a model provider.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the guard before one model let through and held back: since the process started, in whole milliseconds.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(default)]
pub struct GuardReport {
    /// The provider, such as `openai`.
    pub provider: String,
    /// Its model.
    pub model: String,
    /// Whether calls pass.
    pub circuit: Circuit,
    /// Unix time in milliseconds until which an open circuit refuses calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_until_ms: Option<u64>,
    /// Failures in a row.
    pub consecutive_failures: u32,
    /// Requests that were sent, retries included.
    pub sent: u64,
    /// Requests that were sent again after a failure.
    pub retries: u64,
    /// Calls that were refused without sending anything.
    pub refused: u64,
    /// Time spent waiting for turn, limits and retries.
    pub waited_ms: u64,
    /// The last failure, in words; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_failure: String,
}

/// Whether calls pass a guard.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Hash, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Circuit {
    /// Calls pass.
    #[default]
    Closed,
    /// Calls fail at once.
    Open,
    /// One call is let through to see whether the provider is back.
    HalfOpen,
}
