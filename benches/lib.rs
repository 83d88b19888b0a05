//! What the benches share: tools that cost nothing, and tools that cost a known time.

use std::sync::Arc;
use std::time::Duration;

use ln_agent_core::tool::{Effect, Tool, ToolError, ToolSpec};
use ln_agent_core::types::Object;
use serde_json::{Value, json};

/// A read that answers after a pause; a pause of zero answers at once.
#[derive(Debug)]
pub struct Pausing {
    spec: ToolSpec,
    pause: Duration,
}

impl Pausing {
    /// A tool of this name and pause.
    #[must_use]
    pub fn tool(name: &str, pause: Duration) -> Arc<dyn Tool> {
        let mut spec = ToolSpec::new(name, "Answers after a pause.", Effect::Read);
        spec.repeatable = true;
        Arc::new(Self { spec, pause })
    }
}

#[async_trait::async_trait]
impl Tool for Pausing {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, _args: Object) -> Result<Value, ToolError> {
        if !self.pause.is_zero() {
            tokio::time::sleep(self.pause).await;
        }
        Ok(json!({ "blocks": 111, "chain": "regtest" }))
    }
}
