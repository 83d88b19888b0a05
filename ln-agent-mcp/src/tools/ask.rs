//! One question to a Lightning node, with an answer that is an object and an error that says what to do.

use std::time::Duration;

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, ToolErrorKind};
use ln_agent_core::types::Object;
use serde_json::Value;

use super::explain::explain;
use crate::node::Nodes;

/// A Lightning node to ask, and how long an answer may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'a> {
    nodes: &'a Nodes,
    node: NodeIndex,
    deadline: Duration,
}

impl<'a> Ask<'a> {
    /// With the deadline of an ordinary command.
    pub(crate) fn new(nodes: &'a Nodes, node: NodeIndex) -> Self {
        Self { nodes, node, deadline: nodes.config().call_timeout }
    }

    /// With another deadline.
    pub(crate) const fn within(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    /// Asks what changes nothing.
    pub(crate) async fn read(self, method: &str, params: Value) -> Result<Object, ToolError> {
        self.call(method, params, Effect::Read).await
    }

    /// Asks for what changes state.
    pub(crate) async fn write(self, method: &str, params: Value) -> Result<Object, ToolError> {
        self.call(method, params, Effect::Write).await
    }

    /// Asks for what moves money.
    pub(crate) async fn spend(self, method: &str, params: Value) -> Result<Object, ToolError> {
        self.call(method, params, Effect::Spend).await
    }

    async fn call(self, method: &str, params: Value, effect: Effect) -> Result<Object, ToolError> {
        let answer =
            self.nodes.lightning(self.node, method, params, self.deadline, effect).await.map_err(explain)?;
        match answer {
            Value::Object(object) => Ok(object),
            other => Err(no_object(method, &other, effect)),
        }
    }
}

/// lightningd's code for a command it does not have: nothing was done.
pub(crate) const UNKNOWN_COMMAND: i64 = -32601;
/// What a call may take beyond the time the node was given for the work itself.
pub(crate) const SLACK: Duration = Duration::from_secs(5);

/// An answer of the wrong shape says nothing about what was done.
fn no_object(method: &str, answer: &Value, effect: Effect) -> ToolError {
    let kind = if effect.changes_state() { ToolErrorKind::Unknown } else { ToolErrorKind::Failed };
    let shown: String = answer.to_string().chars().take(80).collect();
    ToolError::new(kind, format!("{method} answered {shown} where an object was expected"))
}
