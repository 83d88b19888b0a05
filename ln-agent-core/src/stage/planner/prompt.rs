//! What the planner's model reads: rules, recipes and tools that fit, then the network and the intent.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::arguments::type_name;
use super::shortlist::Shortlist;
use crate::llm::{Message, Role};
use crate::tool::ToolSpec;
use crate::types::IntentBlock;

/// The conversation of a first attempt. The rules come first and are the same for every intent, so that a provider's
/// prompt cache has them.
pub(super) fn messages(intent: &IntentBlock, shown: &Shortlist<'_>, node_count: u32) -> Vec<Message> {
    let mut part = String::new();
    if shown.conditions {
        part.push_str(CONDITIONS);
        part.push('\n');
    }
    let recipes = recipes(shown);
    if !recipes.is_empty() {
        // Writing into a string cannot fail.
        let _ = writeln!(part, "# Recipes\n{recipes}");
    }
    let _ = writeln!(part, "# Tools\n{}", tool_text(&shown.tools));
    let _ =
        write!(part, "# Network\nNodes of this network are numbered 1 to {node_count}. Use no other number.");
    let intent = serde_json::to_string(intent).expect("an intent has text keys only");
    vec![
        Message::new(Role::System, RULES),
        Message::new(Role::System, part),
        Message::new(Role::User, format!("Plan this intent:\n{intent}")),
    ]
}

/// The recipes that fit, without their names.
fn recipes(shown: &Shortlist<'_>) -> String {
    let fits = |name: &str| shown.recipes.as_ref().is_none_or(|names| names.contains(name));
    let lines = RECIPES.lines().filter_map(|line| {
        let (name, text) = line.strip_prefix("- [")?.split_once("] ")?;
        fits(name).then(|| format!("- {text}\n"))
    });
    lines.collect()
}

/// What goes back to the model after a reply that is no plan.
pub(super) fn correction(fault: &str) -> String {
    format!(
        "That is not a valid plan: {fault}. Answer with the whole corrected JSON object and nothing else."
    )
}

/// One tool a line: `name(argument: type, optional?: type) [effect] – description`, then its arguments' meaning.
fn tool_text(tools: &[&ToolSpec]) -> String {
    let mut text = String::new();
    for spec in tools {
        let required: Vec<&str> = spec.required().collect();
        let signature: Vec<String> = spec
            .arguments()
            .map(|(name, schema)| {
                let mark = if required.contains(&name) { "" } else { "?" };
                format!("{name}{mark}: {}", type_name(schema))
            })
            .collect();
        let (name, effect) = (&spec.name, spec.effect.name());
        // Writing into a string cannot fail.
        let _ = writeln!(text, "- {name}({}) [{effect}] – {}", signature.join(", "), line(&spec.description));
        for (name, schema) in spec.arguments() {
            if let Some(meaning) = schema.get("description").and_then(Value::as_str) {
                let _ = writeln!(text, "    {name}: {}", line(meaning));
            }
        }
    }
    text
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The form of a reply: one form of step for each tool that is shown, with its own arguments, each of which may be a
/// placeholder as well.
pub(super) fn reply_schema(tools: &[&ToolSpec]) -> Value {
    let steps: Vec<Value> = tools.iter().map(|spec| step_schema(spec)).collect();
    json!({
        "type": "object",
        "properties": {
            "plan_rationale": { "type": "string" },
            "steps": { "type": "array", "items": { "anyOf": steps } },
        },
        "required": ["plan_rationale", "steps"],
        "additionalProperties": false,
    })
}

fn step_schema(spec: &ToolSpec) -> Value {
    // Not by a pattern: several grammars know none. What is no placeholder is refused when the plan is read.
    let placeholder = json!({ "type": "string" });
    let arguments: serde_json::Map<String, Value> = spec
        .arguments()
        .map(|(name, schema)| {
            let text = schema.get("type").and_then(Value::as_str) == Some("string");
            let schema = if text { schema.clone() } else { json!({ "anyOf": [schema, placeholder] }) };
            (name.to_owned(), schema)
        })
        .collect();
    let required: Vec<&str> = spec.required().collect();
    let side = json!({ "anyOf": [{ "type": "string" }, { "type": "number" }, { "type": "boolean" }] });
    let conditions = json!({ "type": "array", "items": {
        "type": "object",
        "properties": { "left": side, "op": { "type": "string", "enum": OPS }, "right": side },
        "required": ["left", "op"],
        "additionalProperties": false,
    } });
    json!({
        "type": "object",
        "properties": {
            "step_id": { "type": "integer" },
            "tool": { "type": "string", "enum": [spec.name] },
            "args": {
                "type": "object", "properties": arguments, "required": required, "additionalProperties": false,
            },
            "depends_on": { "type": "array", "items": { "type": "integer" } },
            "on_error": { "type": "string", "enum": ["abort", "retry", "skip"] },
            "max_retries": { "type": "integer" },
            "when": conditions,
            "for_each": {
                "type": "object",
                "properties": { "in": { "type": "string" }, "where": conditions, "max": { "type": "integer" } },
                "required": ["in", "max"],
                "additionalProperties": false,
            },
        },
        "required": ["step_id", "tool", "args"],
        "additionalProperties": false,
    })
}

const OPS: [&str; 11] = ["==", "!=", "<", "<=", ">", ">=", "len", "contains", "matches", "exists", "absent"];
const RULES: &str = include_str!("../../../prompts/planner.md");
const CONDITIONS: &str = include_str!("../../../prompts/planner_conditions.md");
const RECIPES: &str = include_str!("../../../prompts/planner_recipes.md");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::{Effect, Registry, Tool, ToolError, ToolSpec};
    use crate::types::Object;

    struct Pay(ToolSpec);

    #[async_trait::async_trait]
    impl Tool for Pay {
        fn spec(&self) -> &ToolSpec {
            &self.0
        }

        async fn call(&self, _args: Object) -> Result<Value, ToolError> {
            Ok(Value::Null)
        }
    }

    #[test]
    fn the_prompt_lists_every_tool_with_its_arguments() {
        let mut spec = ToolSpec::new("ln_pay", "Pays an\n  invoice.", Effect::Spend);
        spec.input_schema = json!({
            "properties": {
                "bolt11": { "type": "string", "description": "The invoice." },
                "maxfee": { "type": ["integer", "null"] }
            },
            "required": ["bolt11"]
        });
        let tools = Registry::new([std::sync::Arc::new(Pay(spec)) as std::sync::Arc<dyn Tool>]).unwrap();

        let messages = messages(&IntentBlock::default(), &Shortlist::whole(&tools), 3);

        let expected = "- ln_pay(bolt11: string, maxfee?: integer) [spend] – Pays an invoice.\n    bolt11: The invoice.\n";
        assert!(messages[1].content.contains(expected), "{}", messages[1].content);
        assert!(messages[1].content.contains("1 to 3"), "{}", messages[1].content);
        assert_eq!(messages[0].content, RULES);
    }
}
