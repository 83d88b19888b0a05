//! A tool's specification in the words of the protocol.

use std::sync::Arc;

use ln_agent_core::tool::{Effect, ToolSpec};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::page::CURSOR;

/// The entry of `tools/list`. All four annotations derive from our own effect.
pub(super) fn describe(spec: &ToolSpec) -> Tool {
    let annotations = ToolAnnotations::from_raw(
        Some(spec.title.clone()),
        Some(spec.effect == Effect::Read),
        Some(spec.effect == Effect::Spend),
        Some(spec.idempotent),
        Some(spec.open_world),
    );
    Tool::new(spec.name.clone(), spec.description.clone(), Arc::new(arguments(spec)))
        .with_title(spec.title.clone())
        .with_raw_output_schema(Arc::new(object(&spec.output_schema)))
        .with_annotations(annotations)
}

/// The argument schema; reads also take the cursor that continues a long answer.
fn arguments(spec: &ToolSpec) -> Map<String, Value> {
    let mut schema = object(&spec.input_schema);
    let required: Vec<&str> = spec.required().collect();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for (_, argument) in properties.iter_mut().filter(|(name, _)| !required.contains(&name.as_str())) {
            without_null(argument);
        }
    }
    if spec.effect == Effect::Read {
        let properties = schema.entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            let cursor = json!({
                "type": "string",
                "description": "Continues an answer that was too long: the cursor it came with.",
            });
            properties.insert(CURSOR.to_owned(), cursor);
        }
    }
    schema
}

/// An optional argument is left out or null, which means the same; of the two, the list tells only the first. Clients
/// that know one type per argument would refuse the tool otherwise.
fn without_null(argument: &mut Value) {
    let Some(kind) = argument.get_mut("type") else { return };
    if let Some([one, Value::String(null)] | [Value::String(null), one]) = kind.as_array().map(Vec::as_slice)
        && null == "null"
    {
        *kind = one.clone();
    }
}

fn object(schema: &Value) -> Map<String, Value> {
    schema.as_object().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::{Nodes, NodesConfig};
    use crate::tools;

    fn listing() -> Vec<Tool> {
        let registry = tools::registry(&Nodes::new(NodesConfig::at("/nowhere".as_ref())));
        registry.specs().map(describe).collect()
    }

    #[test]
    fn names_and_hints_are_what_clients_were_promised() {
        let lines = listing().into_iter().map(|tool| {
            let hints = tool.annotations.unwrap_or_default();
            let said = [
                (hints.read_only_hint, "read-only"),
                (hints.destructive_hint, "destructive"),
                (hints.idempotent_hint, "idempotent"),
                (hints.open_world_hint, "open-world"),
            ];
            let said: Vec<&str> =
                said.iter().filter(|(hint, _)| *hint == Some(true)).map(|(_, word)| *word).collect();
            format!("{} ({}): {}", tool.name, hints.title.unwrap_or_default(), said.join(", "))
        });

        insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
    }

    #[test]
    fn arguments_are_objects_of_plain_types_that_every_client_knows() {
        for tool in listing() {
            let schema = Value::Object(tool.input_schema.as_ref().clone());
            assert_eq!(schema["type"], "object", "{}", tool.name);
            assert!(!schema.to_string().contains("$ref"), "{}", tool.name);
            for (name, argument) in schema["properties"].as_object().into_iter().flatten() {
                assert!(!argument["type"].is_array(), "{} {name}: {argument}", tool.name);
                assert!(argument["description"].is_string(), "{} {name}: {argument}", tool.name);
            }
            assert_eq!(
                tool.output_schema.as_ref().map(|schema| schema["type"].clone()),
                Some(json!("object"))
            );
        }
    }
}
