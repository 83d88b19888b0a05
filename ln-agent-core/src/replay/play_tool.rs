//! A tool that answers from a cassette.

use std::sync::Arc;

use serde_json::Value;

use super::line::{Line, ToolExchange};
use super::player::Deck;
use super::{difference, scrubbed};
use crate::tool::{Tool, ToolError, ToolErrorKind, ToolSpec};
use crate::types::Object;

pub(super) struct PlayedTool {
    pub(super) deck: Arc<Deck>,
    pub(super) spec: ToolSpec,
}

impl PlayedTool {
    /// The recorded call with these arguments; calls that run side by side may come in any order.
    fn find(&self, args: &Value) -> Result<ToolExchange, ToolError> {
        let name = &self.spec.name;
        let call = |line: &Line| match line {
            Line::Tool(call) if call.tool == *name => Some(call.clone()),
            _ => None,
        };
        if let Some(same) = self.deck.take(|line| call(line).filter(|call| call.args == *args)) {
            return Ok(same);
        }
        // The nearest call is used up, so that the calls after it are compared with their own.
        let text = match self.deck.take(call) {
            Some(other) => self.deck.note(
                format!("exchange {}, tool {name}: called with other arguments than recorded", other.seq),
                difference(&other.args, args),
            ),
            None => self.deck.note(format!("tool {name} is called once more than recorded, with {args}"), ""),
        };
        Err(ToolError::new(ToolErrorKind::Refused, text))
    }
}

#[async_trait::async_trait]
impl Tool for PlayedTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, args: Object) -> Result<Value, ToolError> {
        let call = self.find(&scrubbed(Value::Object(args)))?;
        match (call.response, call.error) {
            (Some(payload), _) => Ok(payload),
            (None, Some(error)) => Err(error),
            // The run gave up waiting, and so it will now.
            (None, None) => std::future::pending().await,
        }
    }
}
