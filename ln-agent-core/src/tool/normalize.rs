//! Brings planned arguments into the form that a tool declares.

use serde_json::Value;

use super::coerce::{accepts, coerce};
use super::{ToolError, ToolErrorKind, ToolSpec};
use crate::types::{NodeIndex, Object};

/// Arguments in their declared form.
#[derive(Clone, Debug, PartialEq)]
pub struct Normalized {
    /// What is sent.
    pub args: Object,
    /// Whether that differs from what was planned.
    pub changed: bool,
}

/// Unwraps nested `{"tool", "args"}` forms, coerces toward declared types, drops nulls of optional arguments, and
/// checks node numbers (1 to `node_count`; one more for `ln_node_create`), declared ranges and required arguments.
///
/// # Errors
///
/// [`ToolError`] of kind `InvalidArguments` that names the argument, what came, and what is accepted.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::tool::{Effect, ToolSpec, normalize};
/// # use serde_json::json;
/// let mut spec = ToolSpec::new("ln_getinfo", "Reads a node.", Effect::Read);
/// spec.input_schema = json!({ "type": "object", "properties": { "node": { "type": "integer" } }, "required": ["node"] });
///
/// let wrapped = json!({ "tool": "ln_getinfo", "args": { "node": "1" } });
/// assert_eq!(serde_json::Value::Object(normalize(&spec, &wrapped, 2)?.args), json!({ "node": 1 }));
/// assert_eq!(
///     normalize(&spec, &json!({ "node": 3 }), 2).unwrap_err().message,
///     "argument `node` was 3: expected a node from 1 to 2"
/// );
/// # Ok::<(), ln_agent_core::tool::ToolError>(())
/// ```
pub fn normalize(spec: &ToolSpec, args: &Value, node_count: u32) -> Result<Normalized, ToolError> {
    let mut sent = match coerce(args.clone(), &spec.input_schema) {
        Value::Object(planned) => unwrap_nested(spec, planned)?,
        _ => Object::new(),
    };
    let optional_null = |name: &str, value: &Value| value.is_null() && !spec.required().any(|r| r == name);
    sent.retain(|name, value| !optional_null(name, value));
    for (name, schema) in spec.arguments() {
        let Some(value) = sent.get_mut(name) else { continue };
        *value = coerce(value.take(), schema);
        if (name == "node" || name == "from_node") && accepts(schema, "integer") {
            check_node(spec, name, value, node_count)?;
        }
        check_range(name, value, schema)?;
    }
    if let Some(missing) = spec.required().find(|name| sent.get(*name).is_none_or(Value::is_null)) {
        return Err(missing_argument(spec, missing));
    }
    let changed = args.as_object() != Some(&sent);
    Ok(Normalized { args: sent, changed })
}

/// Lifts the members of an inner `args` object up (the inner ones win) and drops the `tool` beside it. Where the
/// tool itself has an argument named `args`, that happens only when required arguments are missing.
fn unwrap_nested(spec: &ToolSpec, mut args: Object) -> Result<Object, ToolError> {
    let declared = |name: &str| spec.arguments().any(|(argument, _)| argument == name);
    loop {
        if let Some(tool) = args.get("tool").filter(|_| !declared("tool")) {
            if tool != spec.name.as_str() {
                return Err(ToolError::invalid_argument(
                    "tool",
                    tool,
                    &format!("no other tool than {}", spec.name),
                ));
            }
            args.shift_remove("tool");
        }
        let complete = spec.required().all(|name| args.contains_key(name));
        if declared("args") && complete {
            return Ok(args);
        }
        match args.shift_remove("args") {
            Some(Value::Object(inner)) => args.extend(inner),
            Some(other) => {
                args.insert("args".to_owned(), other);
                return Ok(args);
            }
            None => return Ok(args),
        }
    }
}

/// A node that exists, as a number; `node-2` is read, too.
fn check_node(spec: &ToolSpec, name: &str, value: &mut Value, node_count: u32) -> Result<(), ToolError> {
    // Creating the next node is how a network grows.
    let last = if spec.name == "ln_node_create" { node_count.saturating_add(1) } else { node_count };
    let named =
        value.as_str().and_then(|text| text.strip_prefix("node-")).and_then(|n| n.parse::<u32>().ok());
    let number = named.or_else(|| value.as_u64().and_then(|number| u32::try_from(number).ok()));
    match number.and_then(|number| NodeIndex::new(number).ok()).filter(|node| node.get() <= last) {
        Some(node) => {
            *value = node.get().into();
            Ok(())
        }
        None if last == 0 => Err(ToolError::invalid_argument(name, value, "a node, and there is none yet")),
        None => Err(ToolError::invalid_argument(name, value, &format!("a node from 1 to {last}"))),
    }
}

/// The schema's `minimum` and `maximum`, for whole numbers.
fn check_range(name: &str, value: &Value, schema: &Value) -> Result<(), ToolError> {
    let whole = |value: &Value| value.as_u64().map(i128::from).or_else(|| value.as_i64().map(i128::from));
    let limit = |key: &str| schema.get(key).and_then(whole);
    let Some(number) = whole(value) else { return Ok(()) };
    let (minimum, maximum) = (limit("minimum"), limit("maximum"));
    if minimum.is_none_or(|minimum| number >= minimum) && maximum.is_none_or(|maximum| number <= maximum) {
        return Ok(());
    }
    let expected = match (minimum, maximum) {
        (Some(minimum), Some(maximum)) => format!("a whole number from {minimum} to {maximum}"),
        (Some(minimum), None) => format!("a whole number, at least {minimum}"),
        (None, Some(maximum)) => format!("a whole number, at most {maximum}"),
        (None, None) => return Ok(()),
    };
    Err(ToolError::invalid_argument(name, value, &expected))
}

fn missing_argument(spec: &ToolSpec, name: &str) -> ToolError {
    let schema = spec.arguments().find(|(argument, _)| *argument == name).map(|(_, schema)| schema);
    let described = schema.and_then(|schema| schema.get("description").or_else(|| schema.get("type")));
    let expected = described.and_then(Value::as_str).unwrap_or("a value");
    ToolError::new(
        ToolErrorKind::InvalidArguments,
        format!("argument `{name}` of {} is missing: expected {expected}", spec.name),
    )
}

#[cfg(test)]
mod tests {
    #![expect(clippy::needless_pass_by_value, reason = "json! literals read best as values")]

    use serde_json::json;

    use super::*;
    use crate::tool::Effect;

    fn spec(name: &str, properties: Value, required: &[&str]) -> ToolSpec {
        let mut spec = ToolSpec::new(name, "For tests.", Effect::Read);
        spec.input_schema = json!({ "type": "object", "properties": properties, "required": required });
        spec
    }

    fn getinfo() -> ToolSpec {
        spec("ln_getinfo", json!({ "node": { "type": "integer", "minimum": 1 } }), &["node"])
    }

    fn raw() -> ToolSpec {
        spec(
            "ln_raw",
            json!({ "node": { "type": "integer" }, "command": { "type": "string" }, "args": {} }),
            &["node", "command"],
        )
    }

    fn sent(spec: &ToolSpec, args: Value) -> Value {
        Value::Object(normalize(spec, &args, 2).unwrap().args)
    }

    fn refusal(spec: &ToolSpec, args: Value) -> String {
        let error = normalize(spec, &args, 2).unwrap_err();
        assert_eq!(error.kind, ToolErrorKind::InvalidArguments);
        error.message
    }

    #[test]
    fn wrapped_and_nested_arguments_are_unwrapped() {
        for args in [
            json!({ "node": 1 }),
            json!({ "args": { "node": "1" } }),
            json!({ "tool": "ln_getinfo", "args": { "node": "1" } }),
            json!({ "args": { "args": { "node": 1 } } }),
            json!({ "node": 2, "args": { "node": 1 } }),
            json!({ "tool": "ln_getinfo", "node": "node-1" }),
            json!("{\"node\": 1}"),
        ] {
            assert_eq!(sent(&getinfo(), args.clone()), json!({ "node": 1 }), "{args}");
        }
    }

    #[test]
    fn an_argument_that_is_named_args_stays_where_it_is() {
        let whole = json!({ "node": 1, "command": "pay", "args": { "bolt11": "lnbcrt1" } });
        assert_eq!(sent(&raw(), whole.clone()), whole);
        assert!(!normalize(&raw(), &whole, 2).unwrap().changed);
        let wrapped = json!({ "tool": "ln_raw", "args": whole });
        assert_eq!(
            sent(&raw(), wrapped),
            json!({ "node": 1, "command": "pay", "args": { "bolt11": "lnbcrt1" } })
        );
        let list = json!({ "node": 1, "args": [1, 2] });
        assert_eq!(refusal(&raw(), list), "argument `command` of ln_raw is missing: expected string");
    }

    #[test]
    fn another_tool_in_the_wrapping_is_refused() {
        let args = json!({ "tool": "ln_pay", "args": { "node": 1 } });
        assert_eq!(
            refusal(&getinfo(), args),
            "argument `tool` was \"ln_pay\": expected no other tool than ln_getinfo"
        );
    }

    #[test]
    fn node_numbers_are_checked_against_the_network() {
        for (node, shown) in
            [(json!(0), "0"), (json!(3), "3"), (json!("x"), "\"x\""), (json!(-1), "-1"), (json!(1.5), "1.5")]
        {
            let expected = format!("argument `node` was {shown}: expected a node from 1 to 2");
            assert_eq!(refusal(&getinfo(), json!({ "node": node })), expected);
        }
        let create = spec("ln_node_create", json!({ "node": { "type": "integer" } }), &["node"]);
        assert_eq!(sent(&create, json!({ "node": "3" })), json!({ "node": 3 }));
        assert_eq!(
            refusal(&create, json!({ "node": 4 })),
            "argument `node` was 4: expected a node from 1 to 3"
        );
        let route = spec("route", json!({ "to_node": { "type": "integer" } }), &[]);
        assert_eq!(
            sent(&route, json!({ "to_node": 9 })),
            json!({ "to_node": 9 }),
            "only node and from_node are checked"
        );
    }

    #[test]
    fn declared_ranges_and_required_arguments_are_checked() {
        let mine = spec(
            "mine",
            json!({ "blocks": { "type": "integer", "minimum": 1, "maximum": 2016 } }),
            &["blocks"],
        );
        assert_eq!(
            refusal(&mine, json!({ "blocks": "0" })),
            "argument `blocks` was 0: expected a whole number from 1 to 2016"
        );
        assert_eq!(refusal(&mine, json!({})), "argument `blocks` of mine is missing: expected integer");
        assert_eq!(
            refusal(&mine, json!({ "blocks": null })),
            "argument `blocks` of mine is missing: expected integer"
        );
        assert_eq!(refusal(&mine, json!(null)), "argument `blocks` of mine is missing: expected integer");
    }

    #[test]
    fn nulls_of_optional_arguments_are_dropped() {
        let balance = spec("balance", json!({ "wallet": { "type": "string" } }), &[]);
        assert_eq!(
            normalize(&balance, &json!({ "wallet": null }), 2).unwrap(),
            Normalized { args: Object::new(), changed: true }
        );
        assert_eq!(
            normalize(&balance, &json!({}), 2).unwrap(),
            Normalized { args: Object::new(), changed: false }
        );
    }
}
