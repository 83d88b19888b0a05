//! A tool whose calls are recorded.

use std::sync::Arc;

use serde_json::Value;

use super::line::{Line, ToolExchange};
use super::tape::Tape;
use crate::tool::{Tool, ToolError, ToolSpec};
use crate::types::Object;

pub(super) struct RecordedTool {
    pub(super) tape: Arc<Tape>,
    pub(super) inner: Arc<dyn Tool>,
}

/// A call under way; it is written when it is dropped, answered or not.
struct Open<'a> {
    tape: &'a Tape,
    exchange: ToolExchange,
}

#[async_trait::async_trait]
impl Tool for RecordedTool {
    fn spec(&self) -> &ToolSpec {
        self.inner.spec()
    }

    async fn call(&self, args: Object) -> Result<Value, ToolError> {
        let exchange = ToolExchange {
            seq: self.tape.next(),
            tool: self.spec().name.clone(),
            args: Value::Object(args.clone()),
            response: None,
            error: None,
        };
        let mut open = Open { tape: &self.tape, exchange };
        let answer = self.inner.call(args).await;
        match &answer {
            Ok(payload) => open.exchange.response = Some(payload.clone()),
            Err(error) => open.exchange.error = Some(error.clone()),
        }
        answer
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.tape.write(&Line::Tool(self.exchange.clone()));
    }
}
