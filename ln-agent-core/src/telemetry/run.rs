//! The spans of one run, from its events.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use tracing::field::Empty;
use tracing::{Instrument as _, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use super::chat::whole;
use super::{TARGET, content, names};
use crate::observe::Observer;
use crate::types::{Object, PipelineResult, RunEvent, StepId};

/// Watches one run: an `invoke_agent` span from [`around`](Self::around) the run, and an `execute_tool` span for each
/// call of a tool.
///
/// One value is for one run: make it the observer of that run's `Ask`, and the run happen in `around`. Steps that are
/// carried out side by side have spans side by side. What a tool does by itself has no span inside of `execute_tool`:
/// events tell that a call begins and ends, not where it runs.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::{PipelineResult, RunEvent, Stage};
/// # use ln_agent_core::observe::Observer;
/// use ln_agent_core::telemetry::Spans;
///
/// # async fn run(pipeline: ln_agent_core::pipeline::Pipeline) -> Result<(), ln_agent_core::pipeline::AskError> {
/// use ln_agent_core::pipeline::Ask;
///
/// let spans = Spans::new("ln-agent");
/// let ask = Ask { observer: Some(&spans), ..Ask::new("what is the block height?") };
/// let result = spans.around(pipeline.run(ask)).await?;
/// # Ok(())
/// # }
/// ```
pub struct Spans {
    state: Mutex<State>,
    content: bool,
}

struct State {
    /// Closed, with the run, when it is dropped.
    run: Option<Span>,
    calls: HashMap<StepId, Call>,
}

struct Call {
    span: Span,
    timed_out: bool,
}

impl Spans {
    /// Opens the span of a run of this agent, within the current span.
    #[must_use]
    pub fn new(agent: &str) -> Self {
        let run = tracing::info_span!(
            target: TARGET,
            "invoke_agent",
            otel.name = format!("invoke_agent {agent}"),
            otel.kind = "internal",
            otel.status_code = Empty,
            { names::ERROR_TYPE } = Empty,
            { names::OPERATION_NAME } = "invoke_agent",
            { names::AGENT_NAME } = agent,
            { names::AGENT_VERSION } = env!("CARGO_PKG_VERSION"),
            { names::CONVERSATION_ID } = Empty,
            { names::REQUEST_ID } = Empty,
            { names::RUN_ID } = Empty,
            { names::OUTCOME } = Empty,
            { names::WORST_CASE_SPEND_MSAT } = Empty,
            { names::USAGE_INPUT_TOKENS } = Empty,
            { names::USAGE_OUTPUT_TOKENS } = Empty,
        );
        Self { state: Mutex::new(State { run: Some(run), calls: HashMap::new() }), content: false }
    }

    /// The session that the run belongs to. Default: not said.
    #[must_use]
    pub fn with_conversation(self, id: &str) -> Self {
        self.span().record(names::CONVERSATION_ID, id);
        self
    }

    /// Whether the prompt, the answer, arguments and results go into spans, secrets and invoices taken out.
    /// Default: no.
    #[must_use]
    pub const fn with_content(mut self, content: bool) -> Self {
        self.content = content;
        self
    }

    /// Carries the run out within its span, and closes the span with the result.
    ///
    /// # Errors
    ///
    /// Those of the run.
    pub async fn around<E>(
        &self,
        run: impl Future<Output = Result<PipelineResult, E>>,
    ) -> Result<PipelineResult, E> {
        let span = self.span();
        let outcome = run.instrument(span.clone()).await;
        match &outcome {
            Ok(result) => self.finish(&span, result),
            Err(_) => fail(&span, "no_run"),
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.calls.clear();
        state.run = None;
        drop(state);
        outcome
    }

    fn finish(&self, span: &Span, result: &PipelineResult) {
        span.record(names::RUN_ID, result.run_id.0.as_str());
        let outcome = serde_json::to_value(result.outcome).unwrap_or_default();
        span.record(names::OUTCOME, outcome.as_str());
        let spend = result.certificate.as_ref().and_then(|certificate| certificate.worst_case_spend_msat);
        span.record(names::WORST_CASE_SPEND_MSAT, spend.map(|spend| whole(spend.0)));
        let mut usage = result.usage.translator;
        usage.add(result.usage.planner);
        usage.add(result.usage.summarizer);
        span.record(names::USAGE_INPUT_TOKENS, whole(usage.prompt_tokens));
        span.record(names::USAGE_OUTPUT_TOKENS, whole(usage.output_tokens));
        if self.content {
            span.set_attribute(names::OUTPUT_MESSAGES, content::said("assistant", &result.content));
        }
    }

    /// The span of the run; one that does nothing once the run is over.
    fn span(&self) -> Span {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.run.clone().unwrap_or_else(Span::none)
    }

    fn call(&self, step: StepId, tool: &str, args: &Object, attempt: u32) {
        let run = self.span();
        let span = tracing::info_span!(
            target: TARGET,
            parent: &run,
            "execute_tool",
            otel.name = format!("execute_tool {tool}"),
            otel.kind = "internal",
            otel.status_code = Empty,
            { names::ERROR_TYPE } = Empty,
            { names::OPERATION_NAME } = "execute_tool",
            { names::TOOL_NAME } = tool,
            { names::TOOL_TYPE } = "function",
            { names::TOOL_CALL_ID } = format!("step{step}"),
            { names::ATTEMPT } = i64::from(attempt),
            { names::AMOUNT_MSAT } = amount_msat(args),
        );
        if self.content {
            let args = content::written(&Value::Object(args.clone()));
            span.set_attribute(names::TOOL_CALL_ARGUMENTS, args);
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.calls.insert(step, Call { span, timed_out: false });
    }

    fn result(&self, step: StepId, ok: bool, summary: &str) {
        let call = self.state.lock().unwrap_or_else(PoisonError::into_inner).calls.remove(&step);
        let Some(Call { span, timed_out }) = call else { return };
        if !ok {
            fail(&span, if timed_out { "timeout" } else { "tool_error" });
        }
        if self.content {
            span.set_attribute(names::TOOL_CALL_RESULT, content::clean(summary));
        }
    }
}

impl Observer for Spans {
    fn observe(&self, event: &RunEvent) {
        match event {
            RunEvent::PromptStart { request_id, user_text, .. } => {
                let span = self.span();
                span.record(names::REQUEST_ID, whole(*request_id));
                if self.content {
                    span.set_attribute(names::INPUT_MESSAGES, content::said("user", user_text));
                }
            }
            RunEvent::ToolCall { step_id, tool, args, attempt } => self.call(*step_id, tool, args, *attempt),
            RunEvent::ToolTimeout { step_id, .. } => {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(call) = state.calls.get_mut(step_id) {
                    call.timed_out = true;
                }
            }
            RunEvent::ToolResult { step_id, ok, summary } => self.result(*step_id, *ok, summary),
            RunEvent::StageFailed { stage, .. } => {
                let stage = serde_json::to_value(stage).unwrap_or_default();
                fail(&self.span(), &format!("{}_failed", stage.as_str().unwrap_or("stage")));
            }
            _ => {}
        }
    }
}

impl fmt::Debug for Spans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spans").field("content", &self.content).finish_non_exhaustive()
    }
}

fn fail(span: &Span, kind: &str) {
    span.record(names::ERROR_TYPE, kind);
    span.record("otel.status_code", "ERROR");
}

/// The amount that a tool is to move, if its arguments say one as a number.
fn amount_msat(args: &Object) -> Option<i64> {
    let msat = args.get("amount_msat").and_then(Value::as_u64);
    let sat = || args.get("amount_sat").and_then(Value::as_u64)?.checked_mul(1_000);
    msat.or_else(sat).map(whole)
}
