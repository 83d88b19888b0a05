//! Running a battery.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::check::faults;
use super::render::fill;
use super::state;
use super::{Battery, Case, CaseReport, Report};
use crate::clock::Clock;
use crate::tool::Registry;
use crate::types::{Op, PipelineResult};

/// Who is tested: anything that turns a prompt into a result.
#[async_trait::async_trait]
pub trait Respondent: Send + Sync {
    /// Answers one prompt of a session.
    ///
    /// # Errors
    ///
    /// One line, when there is no result at all.
    async fn respond(&self, prompt: &str, session: &str) -> Result<PipelineResult, String>;
}

/// Runs batteries and counts over repeats.
#[derive(Debug, Default)]
pub struct Runner {
    reports: BTreeMap<String, CaseReport>,
    order: Vec<String>,
    repeats: u32,
}

impl Runner {
    /// Runs every case once. `tools` reach the same nodes and are used for the state checks.
    pub async fn run_once(
        &mut self,
        battery: &Battery,
        respondent: &dyn Respondent,
        tools: &Registry,
        clock: &dyn Clock,
    ) {
        self.repeats += 1;
        let mut passed: BTreeSet<&str> = BTreeSet::new();
        let mut captured: BTreeMap<String, String> = BTreeMap::new();
        for case in &battery.cases {
            let found = match case.needs.iter().find(|id| !passed.contains(id.as_str())) {
                Some(missing) => vec![format!("skipped: `{missing}` did not pass")],
                None => self.run_case(case, respondent, tools, clock, &mut captured).await,
            };
            let report = self.report(&case.id);
            report.runs += 1;
            if found.is_empty() {
                report.passed += 1;
                passed.insert(&case.id);
            }
            report.faults.extend(found);
        }
    }

    /// What was found so far.
    #[must_use]
    pub fn report_of(&self, battery: &Battery, backend: &str) -> Report {
        let cases = self.order.iter().filter_map(|id| self.reports.get(id).cloned()).collect();
        Report {
            battery: battery.head.name.clone(),
            backend: backend.to_owned(),
            repeats: self.repeats,
            cases,
        }
    }

    async fn run_case(
        &mut self,
        case: &Case,
        respondent: &dyn Respondent,
        tools: &Registry,
        clock: &dyn Clock,
        captured: &mut BTreeMap<String, String>,
    ) -> Vec<String> {
        let mut found = Vec::new();
        let mut before: Vec<Option<Value>> = Vec::new();
        for check in &case.state {
            before.push(match check.op {
                Op::Delta => state::look(check, tools).await.map_err(|fault| found.push(fault)).ok(),
                _ => None,
            });
        }
        let prompt = captured
            .iter()
            .fold(case.prompt.clone(), |prompt, (name, value)| prompt.replace(&format!("{{{name}}}"), value));
        // A case without a session has one of its own, so that nothing leaks into it.
        let session = case.session.clone().unwrap_or_else(|| format!("case-{}", case.id));
        let start = clock.monotonic_millis();
        let result = match respondent.respond(&prompt, &session).await {
            Ok(result) => result,
            Err(error) => {
                found.push(format!("no result: {error}"));
                return found;
            }
        };
        self.note(case, &result, clock.monotonic_millis() - start);
        found.extend(faults(case, &result, tools));
        for (check, before) in case.state.iter().zip(&before) {
            match state::look(check, tools).await {
                Ok(after) => found.extend(state::fault(check, before.as_ref(), &after)),
                Err(fault) => found.push(fault),
            }
        }
        for (name, template) in &case.capture {
            match fill(template, &result) {
                Ok(value) => drop(captured.insert(name.clone(), value)),
                Err(missing) => found.push(format!("capture: {missing}")),
            }
        }
        found
    }

    fn note(&mut self, case: &Case, result: &PipelineResult, latency_ms: u64) {
        let report = self.report(&case.id);
        report.latency_ms.push(latency_ms);
        for usage in [result.usage.translator, result.usage.planner, result.usage.summarizer] {
            report.model_calls += u64::from(usage.calls);
            report.tokens += usage.prompt_tokens + usage.output_tokens;
        }
    }

    fn report(&mut self, id: &str) -> &mut CaseReport {
        if !self.reports.contains_key(id) {
            self.order.push(id.to_owned());
        }
        self.reports.entry(id.to_owned()).or_insert_with(|| CaseReport {
            id: id.to_owned(),
            passed: 0,
            runs: 0,
            latency_ms: Vec::new(),
            model_calls: 0,
            tokens: 0,
            faults: Vec::new(),
        })
    }
}
