//! The result while it is being written, and the ways in which a run ends.

use std::sync::{Mutex, PoisonError};

use time::OffsetDateTime;

use crate::observe::Observer;
use crate::types::{
    Failure, Outcome, PipelineResult, RunEvent, RunId, Stage, StageUsage, StepResult, Timings, Verdict,
};

/// Version of the crate that ran a prompt.
pub(super) const BUILD: &str = concat!("ln-agent-core ", env!("CARGO_PKG_VERSION"));

/// A result that is being written.
pub(super) struct Draft<'a> {
    pub(super) result: PipelineResult,
    pub(super) started_millis: u64,
    pub(super) watch: Watch<'a>,
}

/// Those who watch: the pipeline's observer, and the one that came with the request.
pub(super) struct Watch<'a> {
    shared: &'a dyn Observer,
    own: Option<&'a dyn Observer>,
    /// What the result will warn of.
    warnings: Mutex<Vec<String>>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(shared: &'a dyn Observer, own: Option<&'a dyn Observer>) -> Self {
        Self { shared, own, warnings: Mutex::default() }
    }

    /// What was warned of so far.
    pub(super) fn warnings(&self) -> Vec<String> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Observer for Watch<'_> {
    fn observe(&self, event: &RunEvent) {
        if let RunEvent::LlmFallback { reason: warning, .. } | RunEvent::LlmWarning { warning, .. } = event {
            self.warnings.lock().unwrap_or_else(PoisonError::into_inner).push(warning.clone());
        }
        self.shared.observe(event);
        if let Some(own) = self.own {
            own.observe(event);
        }
    }
}

/// Why a run ends before its last stage.
pub(super) struct Stop {
    outcome: Outcome,
    failure: Option<Failure>,
    stage: Option<Stage>,
    error: Option<String>,
    /// The answer, where it is known already.
    answer: Option<String>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(request_id: u64, unix_millis: u64, started_millis: u64, watch: Watch<'a>) -> Self {
        let ts = unix_millis / 1_000;
        let result = PipelineResult {
            kind: "pipeline_report".to_owned(),
            request_id,
            run_id: run_id(ts, request_id),
            ts,
            pipeline_build: BUILD.to_owned(),
            success: false,
            outcome: Outcome::Failed,
            stage_failed: None,
            error: None,
            failure: None,
            intent: None,
            plan: None,
            certificate: None,
            step_results: Vec::new(),
            verification: Vec::new(),
            verdict: Verdict { ok: false, reason: String::new() },
            content: String::new(),
            human_summary: String::new(),
            usage: StageUsage::default(),
            guards: Vec::new(),
            warnings: Vec::new(),
            timings_ms: Timings::default(),
        };
        Self { result, started_millis, watch }
    }

    /// Writes how the run ended. The computed verdict stands unless the run stopped before it had a meaning.
    pub(super) fn conclude(&mut self, ended: Result<(), Stop>, verdict: Verdict) {
        let result = &mut self.result;
        match ended {
            Ok(()) => {
                result.outcome = outcome_of(&verdict, &result.step_results);
                result.failure = (!verdict.ok).then_some(match result.outcome {
                    Outcome::Unknown => Failure::Unknown,
                    _ => Failure::Unconfirmed,
                });
                result.error = (!verdict.ok).then(|| verdict.reason.clone());
                result.verdict = verdict;
            }
            Err(stop) => {
                result.outcome = stop.outcome;
                result.failure = stop.failure;
                result.stage_failed = stop.stage;
                result.verdict = match &stop.error {
                    Some(error) => Verdict { ok: false, reason: error.clone() },
                    None => Verdict { ok: true, reason: "planned; nothing was executed".to_owned() },
                };
                result.error = stop.error;
                result.content = stop.answer.unwrap_or_default();
            }
        }
        result.success = result.verdict.ok;
    }
}

impl Stop {
    /// A plan was wanted, and is there.
    pub(super) fn planned() -> Self {
        let answer = Some("The plan is ready; nothing was executed.".to_owned());
        Self { outcome: Outcome::Ok, failure: None, stage: None, error: None, answer }
    }

    /// A stage broke.
    pub(super) fn failed(failure: Failure, stage: Stage, error: String) -> Self {
        let answer = Some(format!("Nothing was done: {error}."));
        Self {
            outcome: Outcome::Failed,
            failure: Some(failure),
            stage: Some(stage),
            error: Some(error),
            answer,
        }
    }

    /// Turned away before anything changed.
    pub(super) fn refused(failure: Failure, stage: Stage, error: String) -> Self {
        let answer = Some(format!("Refused, nothing was changed: {error}."));
        Self {
            outcome: Outcome::Refused,
            failure: Some(failure),
            stage: Some(stage),
            error: Some(error),
            answer,
        }
    }

    /// Only the user can say.
    pub(super) fn question(questions: &[String]) -> Self {
        let questions = questions.join(" ");
        Self {
            outcome: Outcome::Refused,
            failure: Some(Failure::Clarification),
            stage: None,
            error: Some(format!("a question is open: {questions}")),
            answer: Some(format!("{questions} Nothing was done.")),
        }
    }

    /// A step ended the plan; the answer tells what was done before.
    pub(super) fn executor(result: &PipelineResult, error: String, unreachable: bool) -> Self {
        let unknown = result.step_results.iter().any(|step| step.unknown);
        let done = result.step_results.iter().any(|step| step.ok || step.skipped);
        let outcome = match (unknown, done) {
            (true, _) => Outcome::Unknown,
            (false, true) => Outcome::Partial,
            (false, false) => Outcome::Failed,
        };
        let failure = match (unknown, unreachable) {
            (true, _) => Failure::Unknown,
            (false, true) => Failure::Unreachable,
            (false, false) => Failure::Tool,
        };
        Self {
            outcome,
            failure: Some(failure),
            stage: Some(Stage::Executor),
            error: Some(error),
            answer: None,
        }
    }
}

fn outcome_of(verdict: &Verdict, results: &[StepResult]) -> Outcome {
    let unknown = results.iter().any(|step| step.unknown);
    let done = results.iter().any(|step| step.ok);
    match (verdict.ok, unknown, done) {
        (_, true, _) => Outcome::Unknown,
        (true, false, _) => Outcome::Ok,
        (false, false, true) => Outcome::Partial,
        (false, false, false) => Outcome::Failed,
    }
}

/// `YYYYMMDD-HHMMSS-NNNN` in UTC.
fn run_id(unix_secs: u64, request_id: u64) -> RunId {
    let secs = i64::try_from(unix_secs).unwrap_or(i64::MAX);
    let start = OffsetDateTime::from_unix_timestamp(secs).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let (year, month, day) = start.to_calendar_date();
    let (hour, minute, second) = start.to_hms();
    RunId(format!("{year:04}{:02}{day:02}-{hour:02}{minute:02}{second:02}-{request_id:04}", u8::from(month)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_named_by_its_start_and_number() {
        let cases = [
            (0, "19700101-000000-0007"),
            (951_782_400, "20000229-000000-0007"),
            (1_796_083_199, "20261130-235959-0007"),
        ];
        for (secs, expected) in cases {
            assert_eq!(run_id(secs, 7).0, expected);
        }
    }
}
