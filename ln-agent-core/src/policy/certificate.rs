//! The price tag of a plan.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::price::price;
use crate::tool::{Effect, Registry};
use crate::types::{Certificate, ExecutionPlan, Msat, Placeholder, PlaceholderRoot, PlanStep, Recipient};

/// The certificate of a plan: its hash, its worst-case spend, who is paid, and what cannot be undone.
///
/// The hash is taken over the canonical JSON (RFC 8785) of the steps and, where steps read `$context`, of the context
/// fields they read: whitespace, key order and members at their default make no difference, every value does.
#[must_use]
pub fn certify(plan: &ExecutionPlan, tools: &Registry) -> Certificate {
    let mut spend = Some(Msat(0));
    let mut recipients = Vec::new();
    let mut irreversible_steps = Vec::new();
    for step in &plan.steps {
        let spends = tools.effect_of(&step.tool, &step.args) == Effect::Spend;
        if spends {
            let price = price(step, plan);
            spend = spend.zip(price.most).and_then(|(sum, most)| sum.checked_add(most));
            recipients.push(Recipient {
                step_id: step.step_id,
                destination: price.destination,
                amount_msat: price.amount,
            });
        }
        if spends || IRREVERSIBLE.contains(&step.tool.as_str()) {
            irreversible_steps.push(step.step_id);
        }
    }
    Certificate { hash: hash(plan), worst_case_spend_msat: spend, recipients, irreversible_steps }
}

/// Tools that cost nothing and still cannot be undone.
const IRREVERSIBLE: [&str; 2] = ["ln_closechannel", "ln_node_delete"];

fn hash(plan: &ExecutionPlan) -> String {
    let steps = serde_json::to_value(&plan.steps).expect("steps have text keys only");
    let read = context_read(&plan.steps, &plan.intent.context);
    let meaning = if read.is_empty() { steps } else { json!([steps, read]) };
    let canonical =
        serde_json_canonicalizer::to_vec(&exact(meaning)).expect("plain JSON has a canonical form");
    Sha256::digest(canonical).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The context fields that some step reads.
fn context_read(steps: &[PlanStep], context: &Map<String, Value>) -> Map<String, Value> {
    let mut read = Map::new();
    for step in steps {
        let step = serde_json::to_value(step).expect("steps have text keys only");
        let found = Placeholder::all_in(&step).unwrap_or_default();
        for placeholder in found.iter().filter(|found| found.root == PlaceholderRoot::Context) {
            let field = placeholder.path.parts().next().and_then(|name| context.get_key_value(name));
            read.extend(field.map(|(name, value)| (name.clone(), value.clone())));
        }
    }
    read
}

/// RFC 8785 writes numbers as doubles, which would let two large amounts share one hash. Whole numbers beyond what a
/// double holds exactly are written as texts.
fn exact(value: Value) -> Value {
    const LARGEST: u64 = 1 << 53;
    match value {
        Value::Number(number) => {
            let too_large = number.as_u64().is_some_and(|n| n > LARGEST)
                || number.as_i64().is_some_and(|n| n.unsigned_abs() > LARGEST);
            if too_large { Value::String(number.to_string()) } else { Value::Number(number) }
        }
        Value::Array(list) => list.into_iter().map(exact).collect(),
        Value::Object(object) => Value::Object(object.into_iter().map(|(k, v)| (k, exact(v))).collect()),
        other => other,
    }
}
