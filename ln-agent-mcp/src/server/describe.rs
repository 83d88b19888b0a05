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

fn object(schema: &Value) -> Map<String, Value> {
    schema.as_object().cloned().unwrap_or_default()
}
