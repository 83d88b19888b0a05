//! The answer with its verdict.

use ln_agent_core::types::{Outcome, PipelineResult, StepResult, VerificationStatus};

use super::paint::Paint;

/// The answer for standard output: verdict and text; what went wrong below it.
pub(crate) fn result(result: &PipelineResult) -> String {
    let paint = Paint::stdout();
    let mark = match result.outcome {
        Outcome::Ok => paint.green("✓"),
        Outcome::Unknown => paint.yellow("?"),
        Outcome::Partial | Outcome::Failed | Outcome::Refused => paint.red("✗"),
    };
    let mut text = format!("{mark} {}\n", result.content.trim_end());
    for step in result.step_results.iter().filter(|step| !step.ok) {
        if let Some(reason) = &step.error
            && !result.content.contains(reason.as_str())
        {
            text.push_str(&format!("  step {} {}: {reason}\n", step.step_id, step.tool));
        }
    }
    for seen in result.verification.iter().filter(|seen| seen.status == VerificationStatus::Contradicted) {
        if !result.content.contains(seen.detail.as_str()) {
            text.push_str(&format!("  {}: {}\n", seen.tool, seen.detail));
        }
    }
    text
}

/// A whole run for `runs show`.
pub(crate) fn run_line(step: &StepResult) -> String {
    let paint = Paint::stdout();
    let mark = match (step.ok, step.skipped, step.unknown) {
        (_, _, true) => paint.yellow("?"),
        (true, ..) => paint.green("✓"),
        (false, true, _) => paint.dim("–"),
        (false, false, _) => paint.red("✗"),
    };
    let reason = step.error.as_deref().map(|reason| format!("  {reason}")).unwrap_or_default();
    format!("{mark} {:>3}  {}{reason}\n", step.step_id.0, step.tool)
}
