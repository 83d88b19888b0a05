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
