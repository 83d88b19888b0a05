//! One call of one tool: its deadline, its attempts, and what a missing answer means.

use std::time::Duration;

use serde_json::Value;

use super::Executor;
use super::summary::beginning;
use crate::observe::Observer;
use crate::tool::{Effect, Tool, ToolError, ToolErrorKind};
use crate::types::{Object, OnError, PlanStep, RunEvent};

/// What came of a call and its retries.
pub(super) struct Called {
    pub(super) outcome: Result<Value, ToolError>,
    pub(super) retries_used: u32,
}

impl Executor {
    /// Calls the tool until it succeeds, its attempts are used up, or another attempt could do harm.
    pub(super) async fn call(
        &self,
        step: &PlanStep,
        tool: &dyn Tool,
        args: &Object,
        observer: &dyn Observer,
    ) -> Called {
        let effect = tool.spec().effect_of(args);
        let extra = if step.on_error == OnError::Retry { step.max_retries } else { 0 };
        let mut retries_used = 0;
        loop {
            observer.observe(&RunEvent::ToolCall {
                step_id: step.step_id,
                tool: step.tool.clone(),
                args: args.clone(),
                attempt: retries_used + 1,
            });
            let outcome = self.attempt(step, tool, args, effect, observer).await;
            report(step, &outcome, observer);
            match outcome {
                Err(error) if retries_used < extra && may_retry(&error, effect) => {
                    retries_used += 1;
                    self.clock.sleep(self.config.retry_delay).await;
                }
                outcome => return Called { outcome, retries_used },
            }
        }
    }

    async fn attempt(
        &self,
        step: &PlanStep,
        tool: &dyn Tool,
        args: &Object,
        effect: Effect,
        observer: &dyn Observer,
    ) -> Result<Value, ToolError> {
        let deadline = self.deadline(tool);
        let wait = if self.at_once { Duration::ZERO } else { deadline };
        match tokio::time::timeout(wait, tool.call(args.clone())).await {
            Ok(outcome) => outcome,
            Err(_) => {
                let seconds = deadline.as_secs();
                observer.observe(&RunEvent::ToolTimeout {
                    step_id: step.step_id,
                    tool: step.tool.clone(),
                    seconds,
                });
                let kind =
                    if effect.changes_state() { ToolErrorKind::Unknown } else { ToolErrorKind::Failed };
                let message = format!(
                    "`{}` did not answer within {seconds} s (MCP_CALL_TIMEOUT_S sets the deadline)",
                    step.tool
                );
                Err(ToolError::new(kind, message))
            }
        }
    }

    fn deadline(&self, tool: &dyn Tool) -> Duration {
        let budget = tool.spec().budget.map_or(Duration::ZERO, |budget| budget + BUDGET_MARGIN);
        self.config.call_timeout.max(budget)
    }
}

/// What a tool needs beyond its own budget to say that it failed.
const BUDGET_MARGIN: Duration = Duration::from_secs(5);
const SUMMARY_CHARS: usize = 400;

/// Another attempt is made only where the first one certainly did nothing. Reads do nothing anyhow.
fn may_retry(error: &ToolError, effect: Effect) -> bool {
    match error.kind {
        ToolErrorKind::Unreachable | ToolErrorKind::Failed => true,
        ToolErrorKind::Unknown => !effect.changes_state(),
        ToolErrorKind::InvalidArguments | ToolErrorKind::Refused => false,
    }
}

fn report(step: &PlanStep, outcome: &Result<Value, ToolError>, observer: &dyn Observer) {
    let step_id = step.step_id;
    match outcome {
        Ok(payload) => {
            observer.observe(&RunEvent::ToolResult {
                step_id,
                ok: true,
                summary: beginning(payload, SUMMARY_CHARS),
            });
        }
        Err(error) => {
            observer.observe(&RunEvent::ToolError { step_id, error: error.message.clone() });
            observer.observe(&RunEvent::ToolResult { step_id, ok: false, summary: error.message.clone() });
        }
    }
}
