//! Spans and metrics in the form of OpenTelemetry's conventions for generative AI (feature `otel`).
//!
//! ```text
//! invoke_agent ln-agent                       Spans, one per run
//! ├── chat gpt-x                              Traced, one per model call
//! ├── execute_tool ln_getinfo                 Spans, one per attempt of a step
//! └── chat gpt-x
//! ```
//!
//! - [`Traced`] wraps a backend: a `chat` span with what was asked, what came back and how many tokens it took, and
//!   the histograms `gen_ai.client.token.usage` and `gen_ai.client.operation.duration`.
//! - [`Spans`] watches one run: the `invoke_agent` span around it, and an `execute_tool` span for each call.
//! - [`layer`] turns those `tracing` spans into OpenTelemetry's. Exporters are the embedder's: this room knows the
//!   API only, and sends nothing anywhere.
//!
//! Prompts, answers, arguments and results stay out of spans unless `with_content(true)` asks for them; then secrets
//! and invoices are taken out first. Amounts have names of their own, see [`names`].
//!
//! The conventions are in development; [`names`] follows semantic conventions 1.41. `docs/telemetry.md` shows how to
//! install it all.

mod chat;
mod content;
mod layer;
mod metrics;
pub mod names;
mod run;
mod traced;

pub use layer::layer;
pub use run::Spans;
pub use traced::Traced;

/// The target of every span of this room, for filters.
pub const TARGET: &str = "ln_agent::otel";
