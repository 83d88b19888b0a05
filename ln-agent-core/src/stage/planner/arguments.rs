//! Are these the arguments of this tool?

use regex_lite::Regex;
use serde_json::Value;

use super::fault::{PlanFault, shown};
use crate::tool::{Registry, ToolSpec};
use crate::types::{Msat, Object, PlanStep};

/// The step, its arguments held against the tool's schema; optional arguments that are null are left out.
pub(super) fn checked(mut step: PlanStep, tools: &Registry) -> Result<PlanStep, PlanFault> {
    let spec =
        tools.spec(&step.tool).ok_or_else(|| PlanFault::UnknownTool(step.step_id, step.tool.clone()))?;
    let required: Vec<&str> = spec.required().collect();
    let absent = |args: &Object, name: &str| args.get(name).is_none_or(Value::is_null);
    if let Some(missing) = required.iter().find(|name| absent(&step.args, name)) {
        return Err(PlanFault::MissingArgument {
            step: step.step_id,
            tool: step.tool.clone(),
            argument: (*missing).to_owned(),
        });
    }
    step.args = std::mem::take(&mut step.args).into_iter().filter(|(_, value)| !value.is_null()).collect();
    for (name, value) in &step.args {
        argument(&step, spec, name, value)?;
    }
    Ok(step)
}

fn argument(step: &PlanStep, spec: &ToolSpec, name: &str, value: &Value) -> Result<(), PlanFault> {
    let Some((_, schema)) = spec.arguments().find(|(argument, _)| *argument == name) else {
        let known: Vec<&str> = spec.arguments().map(|(argument, _)| argument).collect();
        return Err(PlanFault::UnknownArgument {
            step: step.step_id,
            tool: step.tool.clone(),
            argument: name.to_owned(),
            known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
        });
    };
    let wrong = |expected: String| {
        Err(PlanFault::Argument {
            step: step.step_id,
            argument: name.to_owned(),
            received: shown(value),
            expected,
        })
    };
    if is_placeholder(value) {
        return Ok(());
    }
    if name == "peer_id" && TAKE_PEERS.contains(&step.tool.as_str()) && !is_node_id(value) {
        return wrong(
            "a node id of 66 hexadecimal digits, or $stepN.result.payload.id of an ln_getinfo step".into(),
        );
    }
    if NODES.contains(&name) && whole(value).is_some_and(|n| n < 1) {
        return wrong("a node number from 1".into());
    }
    let amount = name.ends_with("_msat") || name.ends_with("_sat");
    if !fits(schema, value, amount) {
        return wrong(describe(schema));
    }
    Ok(())
}

/// Arguments that name a node of the network.
pub(super) const NODES: [&str; 3] = ["node", "from_node", "to_node"];

const TAKE_PEERS: [&str; 2] = ["ln_connect", "ln_openchannel"];

/// A whole number, written as one or as digits in a text.
pub(super) fn whole(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) => number.as_i128(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A string in place of any value; its form is checked with the other references.
fn is_placeholder(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with('$'))
}

fn is_node_id(value: &Value) -> bool {
    value.as_str().is_some_and(|id| {
        id.len() == 66
            && (id.starts_with("02") || id.starts_with("03"))
            && id.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Whether the value has the schema's form, or the normaliser can bring it there. `amount` accepts a text with a
/// unit (`10sat`) for a number.
fn fits(schema: &Value, value: &Value, amount: bool) -> bool {
    if is_placeholder(value) {
        return true;
    }
    if let Some(choices) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array) {
        return choices.iter().any(|choice| fits(choice, value, amount));
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        return allowed.contains(value);
    }
    if let Some(only) = schema.get("const") {
        return only == value;
    }
    match schema.get("type") {
        Some(Value::String(kind)) => fits_type(kind, schema, value, amount),
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).any(|kind| fits_type(kind, schema, value, amount))
        }
        _ => true,
    }
}

fn fits_type(kind: &str, schema: &Value, value: &Value, amount: bool) -> bool {
    match kind {
        "integer" => match whole(value) {
            Some(number) => within(schema, number),
            None => amount && value.as_str().is_some_and(|text| text.parse::<Msat>().is_ok()),
        },
        "number" => {
            value.is_number() || value.as_str().is_some_and(|text| text.trim().parse::<f64>().is_ok())
        }
        "boolean" => value.is_boolean() || matches!(value.as_str(), Some("true" | "false")),
        "string" => value.as_str().is_some_and(|text| fits_text(schema, text)),
        "array" => value.as_array().is_some_and(|list| {
            schema.get("items").is_none_or(|items| list.iter().all(|element| fits(items, element, false)))
        }),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    }
}

fn fits_text(schema: &Value, text: &str) -> bool {
    let bound = |name: &str| schema.get(name).and_then(Value::as_u64);
    let length = text.chars().count() as u64;
    // A pattern that this engine cannot read is left to the tool, which reads it as it was meant.
    let pattern = schema.get("pattern").and_then(Value::as_str).and_then(|pattern| Regex::new(pattern).ok());
    bound("minLength").is_none_or(|least| length >= least)
        && bound("maxLength").is_none_or(|most| length <= most)
        && pattern.is_none_or(|pattern| pattern.is_match(text))
}

fn within(schema: &Value, number: i128) -> bool {
    let bound = |name: &str| schema.get(name).and_then(Value::as_number).and_then(|n| n.as_i128());
    bound("minimum").is_none_or(|least| number >= least)
        && bound("maximum").is_none_or(|most| number <= most)
        && bound("exclusiveMinimum").is_none_or(|least| number > least)
        && bound("exclusiveMaximum").is_none_or(|most| number < most)
}

/// The accepted form in a few words.
pub(super) fn describe(schema: &Value) -> String {
    let text = |key: &str| schema.get(key).and_then(Value::as_str);
    match (type_name(schema), text("description")) {
        (kind, Some(description)) => format!("{kind} ({})", description.replace('\n', " ")),
        (kind, None) => kind,
    }
}

/// The type as one word, alternatives separated by `|`.
pub(super) fn type_name(schema: &Value) -> String {
    let list = |values: &[Value], name: &dyn Fn(&Value) -> String| {
        let names: Vec<String> = values.iter().map(name).filter(|name| name != "null").collect();
        names.join("|")
    };
    if let Some(choices) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array) {
        return list(choices, &type_name);
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        return list(allowed, &|value| value.to_string());
    }
    match (schema.get("const"), schema.get("type")) {
        (Some(only), _) => only.to_string(),
        (None, Some(Value::String(kind))) => kind.clone(),
        (None, Some(Value::Array(kinds))) => list(kinds, &|kind| kind.as_str().unwrap_or("any").to_owned()),
        _ => "any".to_owned(),
    }
}
