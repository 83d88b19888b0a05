//! Does an answer state things that nobody said?

use serde_json::json;

use crate::offline::answer::unsupported;
use crate::types::PipelineResult;

/// Every number, transaction id, invoice, node id and address of the answer that stands neither in the results, the
/// verification, the prompt nor the plan.
///
/// A number may be formatted (`1,234`), counted (the length of a list), summed over a list, or converted between msat,
/// sat and BTC.
#[must_use]
pub fn fabricated(result: &PipelineResult) -> Vec<String> {
    let run = json!([result.step_results, result.verification, result.plan, result.intent, result.error]);
    unsupported(&result.content, &[run])
}
