//! What a run leaves behind for follow-ups: "pay that invoice", "close it again".

use serde_json::Value;

use crate::types::{Object, PipelineResult, StepResult};

/// The values a later prompt may refer to, by canonical context name. A later step overrides an earlier one.
pub(super) fn of(result: &PipelineResult) -> Object {
    let mut artefacts = Object::new();
    if let Some(intent) = &result.intent {
        keep(&mut artefacts, &intent.context, FROM_CONTEXT);
    }
    for step in result.step_results.iter().filter(|step| step.ok) {
        keep(&mut artefacts, &step.args, FROM_ARGS);
        from_payload(&mut artefacts, step);
    }
    artefacts
}

const FROM_CONTEXT: &[&str] =
    &["node", "from_node", "to_node", "amount_msat", "amount_sat", "amount_btc", "label", "description", "wallet"];
const FROM_ARGS: &[&str] = &[
    "node", "from_node", "peer_id", "amount_msat", "amount_sat", "amount_btc", "label", "description", "wallet",
    "address", "destination", "bolt11", "offer", "message",
];
const FROM_PAYLOAD: &[&str] =
    &["bolt11", "offer", "invoice", "txid", "address", "payment_hash", "payment_preimage", "zbase", "channel_id"];

fn keep(artefacts: &mut Object, from: &Object, names: &[&str]) {
    for name in names {
        if let Some(value) = from.get(*name).filter(|value| is_short(value)) {
            artefacts.insert((*name).to_owned(), value.clone());
        }
    }
}

fn from_payload(artefacts: &mut Object, step: &StepResult) {
    match step.payload() {
        Value::Object(payload) => keep(artefacts, payload, FROM_PAYLOAD),
        // A tool whose whole answer is one text names it by what it makes.
        text @ Value::String(_) => {
            let name = match step.tool.as_str() {
                "btc_getnewaddress" => "address",
                "btc_sendtoaddress" => "txid",
                _ => return,
            };
            artefacts.insert(name.to_owned(), text.clone());
        }
        _ => {}
    }
}

/// Texts and numbers only, and no longer than an invoice can be.
fn is_short(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty() && text.len() <= 4_096,
        Value::Number(_) => true,
        _ => false,
    }
}
