//! Conditions of tasks, held against the words.

use serde_json::{Value, json};

use super::adopt::TaskFault;
use super::said::Said;
use crate::offline::grammar::amount_of;
use crate::offline::text;
use crate::offline::wish::Test;

/// One bitcoin, in msat.
const BTC: u64 = 100_000_000_000;

pub(super) fn tests(said: &Said, given: Option<&Value>, known: &[&str]) -> Result<Vec<Test>, TaskFault> {
    let list = match given {
        Some(Value::Array(list)) => list.as_slice(),
        _ => &[],
    };
    list.iter().map(|raw| test(said, raw, known)).collect()
}

/// A comparison with a number of the message, or with one and none where existence is asked.
fn test(said: &Said, raw: &Value, known: &[&str]) -> Result<Test, TaskFault> {
    let fault = || TaskFault::Test(raw.to_string());
    let mut raw_test = raw.as_object().ok_or_else(fault)?.clone();
    if let Some(text) = raw_test.get("value").and_then(Value::as_str) {
        let plain = text.trim().parse::<u64>().ok();
        let read = amount_of(&text::read(text)).or(plain).map(Value::from);
        raw_test.insert("value".to_owned(), read.unwrap_or_else(|| json!(text)));
    }
    let mut test: Test = serde_json::from_value(Value::Object(raw_test)).map_err(|_| fault())?;
    if test.of == "wallet_balance" {
        // The wallet counts in bitcoin.
        let amounts = &said.words.amounts;
        let btc = amounts.iter().find(|msat| msat.is_multiple_of(BTC)).map(|msat| msat / BTC);
        test.value = btc.map(Value::from).ok_or_else(fault)?;
    }
    let grounded = match &test.value {
        Value::Number(number) => {
            number.as_u64().is_some_and(|n| n <= 1 || said.number(n) || said.words.amounts.contains(&n))
        }
        Value::Bool(_) => true,
        Value::String(word) => matches!(word.as_str(), "unpaid" | "paid" | "expired" | "ok" | "degraded"),
        _ => false,
    };
    let node = test.node.is_none_or(|node| said.words.nodes.contains(&node));
    if !known.contains(&test.of.as_str()) || !grounded || !node && test.of != "wallet_balance" {
        return Err(fault());
    }
    if test.of == "network_health" && !said.has(&["network", "health", "healthy", "degraded"]) {
        return Err(fault());
    }
    let about_node = test.of.ends_with("_count") || test.of == "node_running";
    test.node = match (about_node, test.node, said.words.nodes.as_slice()) {
        (false, ..) => None,
        (true, None, [first, ..]) => Some(*first),
        (true, node, _) => node,
    };
    Ok(test)
}
