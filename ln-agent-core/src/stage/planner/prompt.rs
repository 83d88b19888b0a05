//! What the planner's model reads: rules, tools, intent.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::arguments::type_name;
use crate::llm::{Message, Role};
use crate::tool::Registry;
use crate::types::IntentBlock;

/// The conversation of a first attempt.
pub(super) fn messages(intent: &IntentBlock, tools: &Registry, node_count: u32) -> Vec<Message> {
    let system = RULES.replace("{NODE_COUNT}", &node_count.to_string()).replace("{TOOLS}", &tool_text(tools));
    let intent = serde_json::to_string_pretty(intent).expect("an intent has text keys only");
    vec![Message::new(Role::System, system), Message::new(Role::User, format!("Plan this intent:\n{intent}"))]
}

/// What goes back to the model after a reply that is no plan.
pub(super) fn correction(fault: &str) -> String {
    format!(
        "That is not a valid plan: {fault}. Answer with the whole corrected JSON object and nothing else."
    )
}

/// One tool a line: `name(argument: type, optional?: type) [effect] – description`, then its arguments' meaning.
fn tool_text(tools: &Registry) -> String {
    let mut text = String::new();
    for spec in tools.specs() {
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

/// The form of a reply.
pub(super) fn reply_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "plan_rationale": { "type": "string" },
            "steps": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "step_id": { "type": "integer", "minimum": 1 },
                        "tool": { "type": "string" },
                        "args": { "type": "object" },
                        "depends_on": { "type": "array", "items": { "type": "integer" } },
                        "on_error": { "enum": ["abort", "retry", "skip"] },
                        "max_retries": { "type": "integer", "minimum": 0, "maximum": 5 },
                        "expected_outcome": { "type": "string" },
                        "when": { "type": "array", "items": { "type": "object" } },
                        "for_each": { "type": "object" }
                    },
                    "required": ["step_id", "tool", "args"]
                }
            }
        },
        "required": ["plan_rationale", "steps"]
    })
}

const RULES: &str = include_str!("../../../prompts/planner.md");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::{Effect, Tool, ToolError, ToolSpec};
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

        let messages = messages(&IntentBlock::default(), &tools, 3);

        let expected = "- ln_pay(bolt11: string, maxfee?: integer) [spend] – Pays an invoice.\n    bolt11: The invoice.\n";
        assert!(messages[0].content.contains(expected), "{}", messages[0].content);
        assert!(messages[0].content.contains("1 to 3"), "{}", messages[0].content);
        assert!(!messages[0].content.contains("{TOOLS}"));
    }
}
