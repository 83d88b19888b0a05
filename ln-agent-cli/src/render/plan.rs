//! A plan that a person can read before it runs.

use ln_agent_core::tool::{Effect, Registry};
use ln_agent_core::types::{Certificate, Condition, ExecutionPlan, ForEach, PlanStep};
use serde_json::Value;

use super::paint::Paint;

/// The plan with its price, one step a line.
pub(crate) fn plan(plan: &ExecutionPlan, certificate: Option<&Certificate>, tools: &Registry) -> String {
    let paint = Paint::stdout();
    if plan.steps.is_empty() {
        return "The plan is empty: nothing needs to be done.\n".to_owned();
    }
    let mut text = String::new();
    if !plan.plan_rationale.is_empty() {
        text.push_str(&format!("{}\n", plan.plan_rationale));
    }
    let width = plan.steps.iter().map(|step| step.tool.len()).max().unwrap_or_default();
    for step in &plan.steps {
        text.push_str(&step_lines(step, width, tools.effect_of(&step.tool, &step.args), paint));
    }
    if let Some(certificate) = certificate {
        text.push_str(&price(certificate, paint));
    }
    text
}

fn step_lines(step: &PlanStep, width: usize, effect: Effect, paint: Paint) -> String {
    let mark = match effect {
        Effect::Read => paint.dim("read "),
        Effect::Write => paint.yellow("write"),
        Effect::Spend => paint.red("spend"),
    };
    let args: Vec<String> =
        step.args.iter().map(|(name, value)| format!("{name}={}", short(value))).collect();
    let after = match step.depends_on.as_slice() {
        [] => String::new(),
        ids => {
            let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            paint.dim(&format!("  after {}", ids.join(", ")))
        }
    };
    let mut text =
        format!("{:>3}  {mark}  {:width$}  {}{after}\n", step.step_id.0, step.tool, args.join(" "));
    if !step.when.is_empty() {
        text.push_str(&format!("              only if {}\n", conditions(&step.when)));
    }
    if let Some(repeat) = &step.for_each {
        text.push_str(&format!("              {}\n", repetition(repeat)));
    }
    text
}

fn repetition(repeat: &ForEach) -> String {
    let filter = match repeat.filter.as_slice() {
        [] => String::new(),
        filter => format!(" where {}", conditions(filter)),
    };
    format!("for each of {}{filter}, at most {}", repeat.list, repeat.max)
}

fn conditions(conditions: &[Condition]) -> String {
    let words: Vec<String> = conditions.iter().map(condition).collect();
    words.join(" and ")
}

fn condition(condition: &Condition) -> String {
    let op = serde_json::to_value(condition.op).unwrap_or_default();
    let op = op.as_str().unwrap_or("?");
    match &condition.right {
        Value::Null => format!("{} {op}", short(&condition.left)),
        right => format!("{} {op} {}", short(&condition.left), short(right)),
    }
}

fn price(certificate: &Certificate, paint: Paint) -> String {
    let spend = match certificate.worst_case_spend_msat {
        Some(amount) if amount.0 == 0 => "spends nothing".to_owned(),
        Some(amount) => format!("spends at most {} msat", grouped(amount.0)),
        None => "spends an amount that is only known while it runs".to_owned(),
    };
    let mut text = format!("\n{spend}");
    if !certificate.irreversible_steps.is_empty() {
        let ids: Vec<String> = certificate.irreversible_steps.iter().map(ToString::to_string).collect();
        text.push_str(&format!(" · cannot be undone: step {}", ids.join(", ")));
    }
    for recipient in &certificate.recipients {
        let amount = recipient.amount_msat.map_or_else(|| "?".to_owned(), |amount| grouped(amount.0));
        text.push_str(&format!(
            "\n  step {} pays {amount} msat to {}",
            recipient.step_id,
            reference(&recipient.destination)
        ));
    }
    text.push_str(&format!("\n{}\n", paint.dim(&format!("hash {}", certificate.hash))));
    text
}

/// A number with commas between thousands.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A value in at most 48 characters; texts without quotes where they are plain words.
fn short(value: &Value) -> String {
    let text = match value {
        Value::String(text) if !text.is_empty() && !text.contains(char::is_whitespace) => text.clone(),
        other => other.to_string(),
    };
    if text.starts_with('$') {
        return reference(&text);
    }
    if text.chars().count() <= 48 {
        return text;
    }
    let head: String = text.chars().take(32).collect();
    let tail: String = text.chars().skip(text.chars().count() - 8).collect();
    format!("{head}…{tail}")
}

/// A placeholder without the part that all of them share: `$step1.id` for `$step1.result.payload.id`.
fn reference(placeholder: &str) -> String {
    placeholder.replacen(".result.payload", "", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn a_placeholder_is_never_cut() {
        let path = "x".repeat(80);
        let placeholder = Value::String(format!("$step1.result.payload.{path}"));
        assert_eq!(short(&placeholder), format!("$step1.{path}"));
        assert_eq!(short(&Value::String("a".repeat(60))), format!("{}…{}", "a".repeat(32), "a".repeat(8)));
    }
}
