//! What a run leaves behind for follow-ups.

use serde_json::Value;

use crate::types::{IntentBlock, Object, StepResult};

/// Values that "that invoice", "the channel" or "it" may mean in a follow-up, by canonical context name: the
/// entities of the intent, and over them what the steps that worked made or used, the last one winning.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::{IntentBlock, StepResult, memory::artefacts};
/// # use serde_json::json;
/// let step: StepResult = serde_json::from_value(json!({
///     "step_id": 1, "tool": "ln_invoice", "args": {"node": 2, "label": "tea"}, "ok": true,
///     "raw_result": {"id": 1, "result": {"ok": true, "payload": {"bolt11": "lnbcrt1"}}},
/// }))?;
/// let left = artefacts(&IntentBlock::default(), &[step]);
/// assert_eq!(serde_json::Value::Object(left), json!({"node": 2, "label": "tea", "bolt11": "lnbcrt1"}));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn artefacts(intent: &IntentBlock, results: &[StepResult]) -> Object {
    let mut kept = Object::new();
    for name in ENTITIES {
        keep(&mut kept, name, intent.context.get(name));
    }
    for step in results.iter().filter(|step| step.ok) {
        let Some((_, fields)) = LEFT_BY.iter().find(|(tool, _)| *tool == step.tool) else { continue };
        for name in ["node", "from_node", "label", "amount_msat", "amount_sat", "peer_id"] {
            keep(&mut kept, name, step.args.get(name));
        }
        for (path, name) in *fields {
            keep(&mut kept, name, step.payload().pointer(path));
        }
    }
    kept
}

/// Lists and objects are no single thing that a word could mean.
fn keep(kept: &mut Object, name: &str, value: Option<&Value>) {
    if let Some(value) = value.filter(|value| value.is_string() || value.is_number()) {
        kept.insert(name.to_owned(), value.clone());
    }
}

/// Entities of an intent that a follow-up may mean.
const ENTITIES: [&str; 17] = [
    "node",
    "from_node",
    "to_node",
    "amount_msat",
    "amount_sat",
    "amount_btc",
    "bolt11",
    "bolt12",
    "offer",
    "address",
    "txid",
    "peer_id",
    "short_channel_id",
    "label",
    "description",
    "message",
    "wallet",
];

/// Where the thing that a tool makes stands in its payload, and its canonical name.
const LEFT_BY: [(&str, &[(&str, &str)]); 13] = [
    ("btc_getnewaddress", &[("", "address")]),
    ("btc_sendtoaddress", &[("", "txid")]),
    ("ln_closechannel", &[("/txids/0", "txid"), ("/txid", "txid")]),
    ("ln_connect", &[]),
    ("ln_fetchinvoice", &[("/invoice", "bolt12")]),
    ("ln_invoice", &[("/bolt11", "bolt11"), ("/payment_hash", "payment_hash")]),
    ("ln_keysend", &[("/payment_hash", "payment_hash")]),
    ("ln_newaddr", &[("/p2tr", "address"), ("/bech32", "address"), ("/address", "address")]),
    ("ln_offer", &[("/bolt12", "offer"), ("/offer", "offer"), ("/offer_id", "offer_id")]),
    ("ln_openchannel", &[("/txid", "txid"), ("/channel_id", "channel_id")]),
    ("ln_pay", &[("/payment_hash", "payment_hash")]),
    ("ln_setchannel", &[]),
    ("ln_withdraw", &[("/txid", "txid")]),
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn step(tool: &str, args: &Value, ok: bool, payload: &Value) -> StepResult {
        let args = args.as_object().unwrap().clone();
        let raw_result = json!({"id": 1, "result": {"ok": ok, "payload": payload}});
        StepResult { tool: tool.into(), args, ok, raw_result, ..StepResult::default() }
    }

    #[test]
    fn entities_and_what_steps_made_are_kept() {
        let context = json!({"from_node": 1, "amount_msat": "10000", "clauses": [1], "read_target": "x"});
        let intent = IntentBlock { context: context.as_object().unwrap().clone(), ..IntentBlock::default() };
        let results = [
            step("ln_getinfo", &json!({"node": 2}), true, &json!({"id": "02ab"})),
            step("ln_offer", &json!({"node": 2}), true, &json!({"bolt12": "lno1a", "offer": "lno1a"})),
            step("ln_invoice", &json!({"label": "x"}), false, &json!({"bolt11": "never"})),
            step("btc_sendtoaddress", &json!({"amount_btc": "1"}), true, &json!("ab12")),
            step("ln_closechannel", &json!({"peer_id": "03cd"}), true, &json!({"txids": ["cd34"]})),
        ];
        let expected = json!({
            "from_node": 1, "amount_msat": "10000", "node": 2, "offer": "lno1a", "txid": "cd34", "peer_id": "03cd",
        });
        assert_eq!(Value::Object(artefacts(&intent, &results)), expected);
    }
}
