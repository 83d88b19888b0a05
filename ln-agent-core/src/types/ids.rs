//! Names of things: nodes, steps and runs.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A node of the network, counted **from 1**.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::NodeIndex;
/// assert_eq!(NodeIndex::new(2).unwrap().get(), 2);
/// assert_eq!(NodeIndex::new(0).unwrap_err().to_string(), "node 0 does not exist: nodes are counted from 1");
/// assert_eq!("node-3".parse(), NodeIndex::new(3));
/// ```
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct NodeIndex(u32);

/// Why a value names no node.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeIndexError {
    /// Nodes are counted from 1.
    #[error("node 0 does not exist: nodes are counted from 1")]
    Zero,
    /// Neither a number nor `node-N`.
    #[error("`{0}` is not a node: expected a number from 1, or node-N")]
    NotANode(String),
}

impl NodeIndex {
    /// Node 1.
    pub const FIRST: Self = Self(1);

    /// The node with this number.
    ///
    /// # Errors
    ///
    /// [`NodeIndexError::Zero`] for 0.
    pub const fn new(number: u32) -> Result<Self, NodeIndexError> {
        if number == 0 { Err(NodeIndexError::Zero) } else { Ok(Self(number)) }
    }

    /// Its number, at least 1.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl JsonSchema for NodeIndex {
    fn schema_name() -> Cow<'static, str> {
        "NodeIndex".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 1 })
    }
}

impl TryFrom<u32> for NodeIndex {
    type Error = NodeIndexError;

    fn try_from(number: u32) -> Result<Self, NodeIndexError> {
        Self::new(number)
    }
}

impl From<NodeIndex> for u32 {
    fn from(node: NodeIndex) -> Self {
        node.0
    }
}

impl FromStr for NodeIndex {
    type Err = NodeIndexError;

    fn from_str(text: &str) -> Result<Self, NodeIndexError> {
        let number = text.strip_prefix("node-").unwrap_or(text);
        Self::new(number.parse().map_err(|_| NodeIndexError::NotANode(text.to_owned()))?)
    }
}

impl fmt::Display for NodeIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A step of a plan, counted **from 1**; the `N` of `$stepN`.
#[derive(
    Clone, Copy, Debug, Default, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(transparent)]
#[schemars(transparent)]
pub struct StepId(pub u32);

impl fmt::Display for StepId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A run, unique within its runtime directory: `YYYYMMDD-HHMMSS-NNNN` in UTC, where `NNNN` is the request id.
#[derive(Clone, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
#[schemars(transparent)]
pub struct RunId(pub String);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
