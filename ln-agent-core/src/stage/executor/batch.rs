//! Which neighbouring steps run side by side, and running them.

use std::collections::BTreeSet;
use std::pin::pin;

use futures_util::StreamExt;
use futures_util::stream;
use serde_json::Value;

use super::Executor;
use super::execute::Ordered;
use super::state::{State, Stop};
use crate::observe::Observer;
use crate::tool::{Effect, normalize};
use crate::types::{ExecutionPlan, Placeholder, PlanStep, StepId};

impl Executor {
    /// How many of the next steps run together: neighbouring reads that do not wait for each other, else one.
    pub(super) fn batch_width(&self, rest: &[Ordered<'_>], node_count: u32) -> usize {
        if self.config.max_workers <= 1 {
            return 1;
        }
        let mut together: BTreeSet<StepId> = BTreeSet::new();
        for (step, waits) in rest {
            if !self.only_reads(step, node_count) || !waits.is_disjoint(&together) {
                break;
            }
            together.insert(step.step_id);
        }
        together.len().max(1)
    }

    /// Whether a step certainly changes nothing. Where the arguments decide, they must be known already.
    fn only_reads(&self, step: &PlanStep, node_count: u32) -> bool {
        let Some(spec) = self.tools.spec(&step.tool) else { return false };
        if spec.classify.is_none() {
            return spec.effect == Effect::Read;
        }
        let args = Value::Object(step.args.clone());
        let known = Placeholder::all_in(&args).is_ok_and(|placeholders| placeholders.is_empty());
        known
            && normalize(spec, &args, node_count).is_ok_and(|sent| spec.effect_of(&sent.args) == Effect::Read)
    }

    /// Runs a batch. Everything that depends on order (conditions, placeholders, repetition of reads) is decided
    /// before the first call; results are kept in order, and none after the first that ends the plan.
    pub(super) async fn run_batch(
        &self,
        batch: &[Ordered<'_>],
        plan: &ExecutionPlan,
        state: &mut State,
        observer: &dyn Observer,
    ) -> Option<Stop> {
        let mut prepared = Vec::with_capacity(batch.len());
        for (step, waits) in batch {
            let next = self.prepare(step, waits, &plan.intent.context, state, observer);
            let ends = next.ends_the_plan();
            prepared.push(next);
            if ends {
                break;
            }
        }
        let workers = self.config.max_workers.max(1);
        // Futures first, stream afterwards: a closure inside the stream would make the run unfit for `spawn`.
        let calls: Vec<_> = prepared.into_iter().map(|step| self.finish(step, observer)).collect();
        let finished = stream::iter(calls).buffered(workers);
        // Dropping the stream at a failure gives up the reads that are still under way.
        let mut finished = pin!(finished);
        while let Some(step) = finished.next().await {
            if let Some(stop) = state.keep(step) {
                return Some(stop);
            }
        }
        None
    }
}
