//! A run as it happens.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use ln_agent_core::observe::Observer;
use ln_agent_core::types::{RunEvent, StepId};

use super::paint::Paint;

/// One line per stage and step on standard error; silent where that is no terminal.
pub(crate) struct Progress {
    shown: bool,
    /// The terminal can take a line back.
    transient: bool,
    paint: Paint,
    started: Mutex<BTreeMap<StepId, (String, Instant)>>,
}

/// Every event as a JSON line on standard output.
pub(crate) struct JsonLines;

impl Progress {
    pub(crate) fn on_terminal() -> Self {
        let shown = std::io::stderr().is_terminal();
        let transient = shown && std::env::var_os("TERM").is_some_and(|term| term != "dumb");
        Self { shown, transient, paint: Paint::stderr(), started: Mutex::default() }
    }

    fn step_ended(&self, step_id: StepId, ok: bool, summary: &str) {
        let started = self.started.lock().unwrap_or_else(PoisonError::into_inner).remove(&step_id);
        let Some((tool, start)) = started else { return };
        let mark = if ok { self.paint.green("✓") } else { self.paint.red("✗") };
        let millis = self.paint.dim(&format!("{} ms", start.elapsed().as_millis()));
        let reason = if ok { String::new() } else { format!("  {summary}") };
        super::note(&format!("  {mark} {:>3}  {tool}  {millis}{reason}", step_id.0));
    }
}

impl Observer for Progress {
    fn observe(&self, event: &RunEvent) {
        if !self.shown {
            return;
        }
        let stage = |name: &str, text: &str| {
            super::note(&format!("{} {text}", self.paint.bold(&format!("{name:<10}"))))
        };
        match event {
            // An open question is the answer; it need not be said twice.
            RunEvent::IntentParsed { intent } if intent.clarifications_needed.is_empty() => {
                stage("understood", &intent.human_summary);
            }
            RunEvent::PlanParsed { steps, .. } if *steps > 0 => {
                let plural = if *steps == 1 { "step" } else { "steps" };
                stage("planned", &format!("{steps} {plural}"));
            }
            RunEvent::StepStart { step_id, tool } => {
                let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
                started.insert(*step_id, (tool.clone(), Instant::now()));
                if self.transient {
                    super::transient(&self.paint.dim(&format!("  … {:>3}  {tool}", step_id.0)));
                }
            }
            RunEvent::ToolResult { step_id, ok, summary } => self.step_ended(*step_id, *ok, summary),
            RunEvent::StepSkipped { step_id, reason } => {
                let number = format!("– {:>3}  ", step_id.0);
                super::note(&format!("  {}", self.paint.dim(&format!("{number}{reason}"))));
            }
            RunEvent::GoalVerify { ok, detail, .. } => {
                stage(if *ok { "confirmed" } else { "not seen" }, detail);
            }
            RunEvent::LlmFallback { reason, .. } => stage("offline", reason),
            RunEvent::LlmWarning { warning, .. } => stage("note", warning),
            RunEvent::GoalVerifyFailed { error, .. } => stage("unverified", error),
            _ => {}
        }
    }
}

impl Observer for JsonLines {
    fn observe(&self, event: &RunEvent) {
        super::json(event);
    }
}
