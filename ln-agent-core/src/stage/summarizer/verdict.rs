//! ✓ or ✗, computed.

use super::guard::wants_change;
use crate::tool::Registry;
use crate::types::{ExecutionPlan, IntentBlock, StepResult, Verdict, Verification, VerificationStatus};

/// Whether the goal was reached, and why.
///
/// All steps must have succeeded or been waived, none may be unknown, nothing that was looked at may contradict them,
/// and a wish for a change needs one, or a condition that did not call for it.
#[must_use]
pub fn verdict(
    intent: &IntentBlock,
    plan: &ExecutionPlan,
    results: &[StepResult],
    verification: &[Verification],
    tools: &Registry,
) -> Verdict {
    let no = |reason: String| Verdict { ok: false, reason };
    if let Some(step) = results.iter().find(|step| step.unknown) {
        return no(format!("the outcome of step {} ({}) is not known", step.step_id, step.tool));
    }
    if let Some(step) = results.iter().find(|step| !step.ok && !step.skipped) {
        let why = step.error.as_deref().unwrap_or("it gave no reason");
        return no(format!("step {} ({}) failed: {why}", step.step_id, step.tool));
    }
    if results.len() < plan.steps.len() {
        return no(format!("{} of {} steps were carried out", results.len(), plan.steps.len()));
    }
    let contradicted = verification.iter().find(|seen| seen.status == VerificationStatus::Contradicted);
    if let Some(seen) = contradicted {
        return no(format!("the tools succeeded, but the goal was not seen: {}", seen.detail));
    }
    if wants_change(intent) && !changed(results, tools) && !was_not_called_for(plan, results, tools) {
        return no("something was to be changed, and no step that changes anything succeeded".to_owned());
    }
    Verdict { ok: true, reason: reason(plan, results, verification) }
}

fn changed(results: &[StepResult], tools: &Registry) -> bool {
    results.iter().any(|step| {
        let calls = step.iterations.iter().map(|one| (one.ok, &one.args));
        let calls = calls.chain(std::iter::once((step.ok && step.iterations.is_empty(), &step.args)));
        // A fresh address is a write, but nobody's goal by itself.
        step.tool != "btc_getnewaddress"
            && calls.into_iter().any(|(ok, args)| ok && tools.effect_of(&step.tool, args).changes_state())
    })
}

/// Every step that would have changed something had a condition or a filter that did not call for it.
fn was_not_called_for(plan: &ExecutionPlan, results: &[StepResult], tools: &Registry) -> bool {
    let changes = plan.steps.iter().filter(|step| tools.effect_of(&step.tool, &step.args).changes_state());
    let mut any = false;
    for step in changes {
        any = true;
        let Some(result) = results.iter().find(|result| result.step_id == step.step_id) else { return false };
        let nothing_matched = step.for_each.is_some() && result.ok && result.iterations.is_empty();
        if result.not_needed.is_none() && !nothing_matched {
            return false;
        }
    }
    any
}

fn reason(plan: &ExecutionPlan, results: &[StepResult], verification: &[Verification]) -> String {
    if plan.steps.is_empty() {
        return "nothing needed to be done".to_owned();
    }
    let done = results.iter().filter(|step| step.ok).count();
    let skipped = results.len() - done;
    let seen = verification.iter().filter(|seen| seen.status == VerificationStatus::Confirmed).count();
    let mut reason = format!("{done} of {} steps succeeded", results.len());
    if skipped > 0 {
        reason.push_str(&format!(", {skipped} left out"));
    }
    if seen > 0 {
        reason.push_str(&format!(", {seen} confirmed on the nodes"));
    }
    reason
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tool::{Effect, Tool, ToolError, ToolSpec};
    use crate::types::{IntentType, Object, StepId};

    struct Named(ToolSpec);

    #[async_trait::async_trait]
    impl Tool for Named {
        fn spec(&self) -> &ToolSpec {
            &self.0
        }

        async fn call(&self, _args: Object) -> Result<serde_json::Value, ToolError> {
            Ok(serde_json::Value::Null)
        }
    }

    fn tools() -> Registry {
        let named = |name: &str, effect| std::sync::Arc::new(Named(ToolSpec::new(name, "", effect))) as _;
        Registry::new([named("look", Effect::Read), named("pay", Effect::Spend)]).unwrap()
    }

    fn step(id: u32, tool: &str) -> StepResult {
        StepResult { step_id: StepId(id), tool: tool.into(), ok: true, ..StepResult::default() }
    }

    fn judge(kind: IntentType, results: &[StepResult], status: Option<VerificationStatus>) -> Verdict {
        let steps: Vec<_> = results.iter().map(|r| json!({ "step_id": r.step_id, "tool": r.tool })).collect();
        let plan: ExecutionPlan = serde_json::from_value(json!({ "steps": steps })).unwrap();
        let intent = IntentBlock { intent_type: kind, ..IntentBlock::default() };
        let seen: Vec<Verification> = status
            .map(|status| Verification {
                step_id: None,
                tool: "look".into(),
                args: Object::new(),
                ok: status == VerificationStatus::Confirmed,
                detail: "no channel".into(),
                status,
                observed: serde_json::Value::Null,
            })
            .into_iter()
            .collect();
        verdict(&intent, &plan, results, &seen, &tools())
    }

    #[test]
    fn a_verdict_follows_from_steps_and_what_was_seen() {
        use IntentType::{Freeform, PayInvoice};
        let failed = StepResult { ok: false, error: Some("no route".into()), ..step(1, "pay") };
        let waived = StepResult { skipped: true, ..failed.clone() };
        let unknown = StepResult { ok: false, unknown: true, ..step(1, "pay") };
        let idle = StepResult {
            ok: false,
            skipped: true,
            not_needed: Some("3 is not below 2".into()),
            ..step(2, "pay")
        };
        let cases = [
            (judge(PayInvoice, &[step(1, "pay")], Some(VerificationStatus::Confirmed)), true),
            (judge(PayInvoice, &[step(1, "pay")], Some(VerificationStatus::Unavailable)), true),
            (judge(PayInvoice, &[step(1, "pay")], Some(VerificationStatus::Contradicted)), false),
            (judge(PayInvoice, &[failed], None), false),
            (judge(PayInvoice, &[unknown], None), false),
            (judge(PayInvoice, &[step(1, "look")], None), false),
            (judge(PayInvoice, &[step(1, "look"), waived], None), false),
            (judge(PayInvoice, &[step(1, "look"), idle], None), true),
            (judge(Freeform, &[step(1, "look")], None), true),
        ];
        for (index, (verdict, expected)) in cases.into_iter().enumerate() {
            assert_eq!(verdict.ok, expected, "case {index}: {}", verdict.reason);
        }
    }
}
