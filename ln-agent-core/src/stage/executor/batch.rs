//! Which neighbouring steps run side by side, and running them.

use std::collections::BTreeSet;

use futures_util::StreamExt;
use futures_util::stream;

use super::Executor;
use super::execute::Ordered;
use super::state::{State, Stop};
use super::step::Prepared;
use crate::observe::Observer;
use crate::tool::Effect;
use crate::types::{ExecutionPlan, StepId};

impl Executor {
    /// How many of the next steps run together: neighbouring reads that do not wait for each other, else one.
    pub(super) fn batch_width(&self, rest: &[Ordered<'_>]) -> usize {
        let mut together: BTreeSet<StepId> = BTreeSet::new();
        for (step, waits) in rest {
            let reads = self.tools.effect_of(&step.tool, &step.args) == Effect::Read;
            if !reads || !waits.is_disjoint(&together) {
                break;
            }
            together.insert(step.step_id);
        }
        together.len().max(1)
    }

    /// Runs a batch. Everything that depends on order (conditions, placeholders, repetition of reads) is decided
    /// before the first call; results are kept in order, and none after the first that ends the plan.
    pub(super) async fn run_batch(
        &self,
        batch: &[Ordered<'_>],
        plan: &ExecutionPlan,
        node_count: u32,
        state: &mut State,
        observer: &dyn Observer,
    ) -> Option<Stop> {
        let mut prepared = Vec::with_capacity(batch.len());
        for (step, waits) in batch {
            prepared.push(self.prepare(step, waits, &plan.intent.context, node_count, state, observer));
        }
        let changes = prepared.iter().any(Prepared::changes_state);
        let finished: Vec<_> = stream::iter(prepared)
            .map(|step| self.finish(step, observer))
            .buffered(self.config.max_workers.max(1))
            .collect()
            .await;
        for step in finished {
            if changes && (step.result.ok || step.result.iterations.iter().any(|one| one.ok)) {
                state.oscillation.reset();
            }
            let stop = state.keep(step);
            if stop.is_some() {
                return stop;
            }
        }
        None
    }
}
