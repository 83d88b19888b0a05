//! The offline grammar where a model would be.

use serde_json::json;

use super::answer;
use super::{plan, translate};
use crate::llm::{LlmBackend, LlmError, LlmErrorKind, LlmRequest, LlmResponse, LlmTask};

/// Answers the three questions of a run without any model: no key, no network, no randomness.
///
/// # Examples
///
/// ```
/// use ln_agent_core::llm::LlmBackend;
/// use ln_agent_core::offline::OfflineBackend;
///
/// assert!(OfflineBackend::default().is_offline());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct OfflineBackend;

#[async_trait::async_trait]
impl LlmBackend for OfflineBackend {
    fn name(&self) -> &str {
        "offline"
    }

    async fn step(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        let content = match &request.task {
            LlmTask::Translate { prompt, history, node_count, own_node } => {
                let intent = translate(prompt, history, *node_count, *own_node);
                serde_json::to_string(&intent).map_err(|error| permanent(&error))?
            }
            LlmTask::Plan { intent, node_count } => {
                let plan = plan(intent, *node_count).map_err(|error| permanent(&error))?;
                json!({ "plan_rationale": plan.plan_rationale, "steps": plan.steps }).to_string()
            }
            LlmTask::Summarize { intent, plan, results, verification, verdict } => {
                answer::compose(intent, plan, results, verification, verdict)
            }
        };
        Ok(LlmResponse { content, ..LlmResponse::default() })
    }

    fn is_offline(&self) -> bool {
        true
    }
}

fn permanent(error: &dyn std::error::Error) -> LlmError {
    LlmError::new(LlmErrorKind::Other, "offline", error.to_string())
}
