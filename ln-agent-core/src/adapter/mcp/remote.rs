//! One tool of the server process.

use std::sync::Arc;

use serde_json::Value;

use super::McpClient;
use crate::tool::{Tool, ToolError, ToolSpec};
use crate::types::Object;

/// A tool that is called through an [`McpClient`].
pub(super) struct RemoteTool {
    client: Arc<McpClient>,
    spec: ToolSpec,
}

impl RemoteTool {
    pub(super) fn new(client: Arc<McpClient>, spec: ToolSpec) -> Self {
        Self { client, spec }
    }
}

#[async_trait::async_trait]
impl Tool for RemoteTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, args: Object) -> Result<Value, ToolError> {
        let effect = self.spec.effect_of(&args);
        self.client.call(&self.spec.name, args, effect, self.spec.budget).await
    }
}
