//! What a plan can cost, and when two plans are the same.

use ln_agent_core::policy::certificate::certify;
use ln_agent_core::types::Certificate;
use ln_agent_core::{ExecutionPlan, Msat, StepId};
use serde_json::{Value, json};

use crate::toolbox;

fn certificate(steps: &Value, context: &Value) -> Certificate {
    let plan: ExecutionPlan =
        serde_json::from_value(json!({ "steps": steps, "intent": { "context": context } })).unwrap();
    certify(&plan, &toolbox::registry())
}

fn spend(steps: &Value) -> Option<u64> {
    certificate(steps, &json!({ "amount_msat": 7_000 })).worst_case_spend_msat.map(|amount| amount.0)
}

fn step(id: u32, tool: &str, args: impl Into<Value>) -> Value {
    let args = args.into();
    json!({ "step_id": id, "tool": tool, "args": args })
}

#[test]
fn the_worst_case_is_the_sum_of_amounts_and_fee_caps() {
    let invoice =
        step(1, "ln_invoice", json!({"node": 2, "amount_msat": 10_000, "label": "l", "description": "d"}));
    let pay = |bolt11: &str| step(2, "ln_pay", json!({"from_node": 1, "bolt11": bolt11}));
    let cases = [
        (json!([step(1, "ln_getinfo", json!({"node": 1}))]), Some(0)),
        (json!([pay("lnbcrt10u1pexample")]), Some(1_000_000 + 10_000)),
        (
            json!([step(1, "ln_pay", json!({"from_node": 1, "bolt11": "lnbcrt10u1p", "maxfee": 7}))]),
            Some(1_000_007),
        ),
        (json!([pay("lnbcrt1pnoamount")]), None),
        (json!([invoice, pay("$step1.result.payload.bolt11")]), Some(10_000 + 5_000)),
        (json!([invoice, pay("$step1.result.payload.label")]), None),
        (
            json!([step(
                1,
                "ln_keysend",
                json!({"from_node": 1, "destination": "02", "amount_msat": "2000000"})
            )]),
            Some(2_020_000),
        ),
        (
            json!([step(
                1,
                "ln_keysend",
                json!({"from_node": 1, "destination": "02", "amount_msat": "$context.amount_msat"})
            )]),
            Some(12_000),
        ),
        (
            json!([step(
                1,
                "ln_withdraw",
                json!({"node": 1, "destination": "bcrt1q", "amount_sat": 20_000})
            )]),
            Some(20_000_000),
        ),
        (
            json!([step(1, "ln_withdraw", json!({"node": 1, "destination": "bcrt1q", "amount_sat": "all"}))]),
            None,
        ),
        (
            json!([step(1, "btc_sendtoaddress", json!({"address": "bcrt1q", "amount_btc": "0.00000001"}))]),
            Some(1_000),
        ),
        (
            json!([step(1, "ln_openchannel", json!({"from_node": 1, "peer_id": "02", "amount_sat": 5}))]),
            Some(100_000_000),
        ),
        (json!([step(1, "ln_raw", json!({"node": 1, "command": "pay"}))]), None),
        (json!([step(1, "teleport", json!({}))]), None),
    ];
    for (steps, expected) in cases {
        assert_eq!(spend(&steps), expected, "{steps}");
    }
}

#[test]
fn an_offer_bounds_the_invoice_that_is_fetched_for_it() {
    let chain = |offer: Value, fetch: Value| {
        let mut fetch = fetch;
        fetch["node"] = json!(1);
        fetch["offer"] = json!("$step1.result.payload.offer");
        spend(&json!([
            step(1, "ln_offer", json!({"node": 2, "amount_msat": offer, "description": "d"})),
            step(2, "ln_fetchinvoice", fetch),
            step(3, "ln_pay", json!({"from_node": 1, "bolt11": "$step2.result.payload.invoice"})),
        ]))
    };
    assert_eq!(chain(json!(9_000), json!({})), Some(14_000));
    assert_eq!(chain(json!("any"), json!({"amount_msat": 8_000})), Some(13_000));
    assert_eq!(chain(json!("any"), json!({})), None);
}

#[test]
fn repetition_is_priced_at_its_maximum() {
    let mut keysend =
        step(1, "ln_keysend", json!({"from_node": 1, "destination": "$item.id", "amount_msat": 1_000}));
    keysend["for_each"] = json!({"in": "$context.peers", "max": 3});
    assert_eq!(spend(&json!([keysend])), Some(3 * 6_000));
    keysend["args"]["amount_msat"] = json!("$item.amount_msat");
    assert_eq!(spend(&json!([keysend])), None);
}

#[test]
fn recipients_and_what_cannot_be_undone_are_named() {
    let found = certificate(
        &json!([
            step(1, "ln_getinfo", json!({"node": 2})),
            step(
                2,
                "ln_openchannel",
                json!({"from_node": 1, "peer_id": "$step1.result.payload.id", "amount_sat": 200_000})
            ),
            step(3, "ln_closechannel", json!({"from_node": 1, "peer_id": "$step1.result.payload.id"})),
            step(4, "ln_raw", json!({"node": 1, "command": "pay"})),
        ]),
        &json!({}),
    );
    let recipients: Vec<_> =
        found.recipients.iter().map(|r| (r.step_id.0, r.destination.as_str(), r.amount_msat)).collect();
    assert_eq!(
        recipients,
        [(2, "$step1.result.payload.id", Some(Msat(200_000_000))), (4, "anyone, by ln_raw pay", None)]
    );
    assert_eq!(found.irreversible_steps, [StepId(2), StepId(3), StepId(4)]);
}

#[test]
fn order_of_keys_defaults_and_rationale_do_not_change_the_hash() {
    let one: ExecutionPlan = serde_json::from_str(
        r#"{"plan_rationale": "a", "steps": [{"step_id":1,"tool":"ln_getinfo","args":{"node":1,"b":"x"},"on_error":"abort"}]}"#,
    )
    .unwrap();
    let two: ExecutionPlan = serde_json::from_str(
        r#"{ "steps": [ {"args": {"b": "x", "node": 1}, "tool": "ln_getinfo", "depends_on": [], "step_id": 1} ] }"#,
    )
    .unwrap();
    let tools = toolbox::registry();
    let hash = certify(&one, &tools).hash;
    assert_eq!(hash, certify(&two, &tools).hash);
    assert_eq!(hash.len(), 64);
}

#[test]
fn every_difference_in_meaning_changes_the_hash() {
    let base = json!({"step_id": 1, "tool": "ln_keysend", "args": {"from_node": 1, "destination": "02", "amount_msat": 9_007_199_254_740_993_u64}});
    let changes: [(&str, Value); 9] = [
        ("step_id", json!(2)),
        ("tool", json!("ln_pay")),
        ("depends_on", json!([3])),
        ("on_error", json!("skip")),
        ("max_retries", json!(1)),
        ("expected_outcome", json!("paid")),
        ("when", json!([{"left": "$step1.ok", "op": "exists"}])),
        ("for_each", json!({"in": "$step1.result.payload", "max": 2})),
        ("args", json!({"from_node": 1, "destination": "02", "amount_msat": 9_007_199_254_740_992_u64})),
    ];
    let mut hashes = vec![certificate(&json!([base]), &json!({})).hash];
    for (member, value) in changes {
        let mut other = base.clone();
        other[member] = value;
        hashes.push(certificate(&json!([other]), &json!({})).hash);
    }
    let mut distinct = hashes.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), hashes.len());
}

#[test]
fn a_context_value_that_a_step_reads_is_part_of_the_hash() {
    let steps = json!([step(1, "ln_pay", json!({"from_node": 1, "bolt11": "$context.bolt11"}))]);
    let hash = |context: Value| certificate(&steps, &context).hash;
    assert_ne!(hash(json!({"bolt11": "lnbcrt1a"})), hash(json!({"bolt11": "lnbcrt1b"})));
    assert_eq!(hash(json!({"bolt11": "lnbcrt1a", "note": 1})), hash(json!({"bolt11": "lnbcrt1a"})));
}
