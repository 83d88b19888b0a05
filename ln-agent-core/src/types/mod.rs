//! The nouns: plain data that every floor speaks. No I/O, no async.
//!
//! The five artefacts of a run ([`IntentBlock`], [`PlanStep`], [`ExecutionPlan`], [`StepResult`],
//! [`PipelineResult`]) are frozen: a stage receives them by shared reference and returns a new noun; nothing in
//! this crate takes one by `&mut` once it exists.

mod amount;
mod causes;
mod certificate;
mod compare;
mod condition;
mod event;
mod exchange;
mod guard;
mod ids;
mod intent;
mod path;
mod plan;
mod report;
mod step_result;

pub use amount::{AmountError, Msat, Sat};
pub use causes::with_causes;
pub use certificate::{Certificate, Recipient};
pub use compare::ConditionError;
pub use condition::{Condition, Op};
pub use event::RunEvent;
pub use exchange::{Exchange, Turn};
pub use guard::{Circuit, GuardReport};
pub use ids::{NodeIndex, NodeIndexError, RunId, StepId};
pub use intent::{IntentBlock, IntentType};
pub use path::{Path, Placeholder, PlaceholderError, PlaceholderRoot};
pub use plan::{ExecutionPlan, ForEach, OnError, PlanStep};
pub use report::{
    Failure, Outcome, PipelineResult, Stage, StageUsage, Timings, TokenUsage, Verdict, Verification,
    VerificationStatus,
};
pub use step_result::{Iteration, StepResult};

/// A JSON object, in the order in which its members were written.
pub type Object = serde_json::Map<String, serde_json::Value>;
