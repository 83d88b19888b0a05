//! Turns a sentence into Lightning and Bitcoin operations, safely.
//!
//! A prompt becomes an [`IntentBlock`], the intent an [`ExecutionPlan`] of named tools, the plan a list of
//! [`StepResult`]s, and those an answer with a computed [`Verdict`]. Each arrow is a typed, serialisable value
//! that can be read, priced, approved and replayed; no model runs inside the executor.
//!
//! The rooms are laid out in floors; a module may use what lies below it, never beside or above
//! (`tests/it/floors.rs` checks it): [`types`] · [`llm`] [`tool`] [`observe`] [`clock`] [`approve`] · rooms ·
//! stages · pipeline · front door.

pub mod adapter;
pub mod agent;
pub mod approve;
pub mod clock;
pub mod config;
pub mod eval;
pub mod guard;
pub mod llm;
pub mod memory;
pub mod observe;
pub mod offline;
pub mod pipeline;
pub mod policy;
pub mod replay;
pub mod stage;
#[cfg(feature = "otel")]
pub mod telemetry;
pub mod tool;
pub mod types;
pub mod verify;

pub use types::{
    ExecutionPlan, ForEach, IntentBlock, IntentType, Msat, NodeIndex, OnError, Outcome, PipelineResult,
    PlanStep, RunEvent, RunId, Sat, Stage, StepId, StepResult, Verdict, Verification,
};
