//! The plan from its first step to its last.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::ExecutorConfig;
use super::order::ordered;
use super::state::State;
use crate::clock::Clock;
use crate::observe::Observer;
use crate::tool::{Registry, ToolErrorKind};
use crate::types::{ExecutionPlan, PlanStep, StepId, StepResult, Verification};

/// Carries out plans. Cheap to share.
pub struct Executor {
    pub(super) tools: Registry,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) config: ExecutorConfig,
    /// Tools answer at their first poll or never.
    pub(super) at_once: bool,
}

/// What came of a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Execution {
    /// The steps that were reached, in order.
    pub results: Vec<StepResult>,
    /// What read-only calls saw afterwards, in the order of the steps they confirm.
    pub verification: Vec<Verification>,
    /// Why the plan ended before its last step.
    pub error: Option<String>,
    /// The step that ended it could not reach its node or tool server.
    pub unreachable: bool,
}

/// One step with what it waits for.
pub(super) type Ordered<'p> = (&'p PlanStep, BTreeSet<StepId>);

impl Executor {
    /// An executor over these tools.
    #[must_use]
    pub fn new(tools: Registry, clock: Arc<dyn Clock>, config: ExecutorConfig) -> Self {
        Self { tools, clock, config, at_once: false }
    }

    /// For tools that answer at their first poll or never, as those of a record do: a deadline is told as it is, but
    /// not waited for.
    pub(crate) fn over_tools_that_answer_at_once(mut self) -> Self {
        self.at_once = true;
        self
    }

    /// Carries out a plan. A failed plan is an [`Execution`], too. Dropping the future makes no further call.
    pub async fn execute(&self, plan: &ExecutionPlan, node_count: u32, observer: &dyn Observer) -> Execution {
        let order = match ordered(plan) {
            Ok(order) => order,
            Err(error) => return Execution { error: Some(error.to_string()), ..Execution::default() },
        };
        let mut state = State { node_count, ..State::default() };
        let mut rest = order.as_slice();
        let mut stop = None;
        while let (Some(_), None) = (rest.first(), &stop) {
            let width = self.batch_width(rest, state.node_count);
            let (batch, later) = rest.split_at(width);
            stop = self.run_batch(batch, plan, &mut state, observer).await;
            rest = later;
        }
        let (results, verification) = state.into_results();
        let unreachable = stop.as_ref().is_some_and(|stop| stop.kind == Some(ToolErrorKind::Unreachable));
        Execution { results, verification, error: stop.map(|stop| stop.error), unreachable }
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor")
            .field("tools", &self.tools)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
