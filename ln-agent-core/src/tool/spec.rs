//! What is known of a tool without calling it.

use std::time::Duration;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Effect;
use crate::types::Object;

/// Name, schemas and effect of a tool.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ToolSpec {
    /// Its name: 1 to 64 of `a-z`, `0-9` and `_`.
    pub name: String,
    /// A short title for people.
    pub title: String,
    /// What it does, for people and models. Units are named.
    pub description: String,
    /// The most it can do, whatever the arguments.
    pub effect: Effect,
    /// The same call twice has no further effect.
    pub idempotent: bool,
    /// It reaches beyond the configured nodes.
    pub open_world: bool,
    /// Asking again with the same arguments is meaningful (a fresh address, a wait), so the oscillation detector
    /// leaves it alone.
    pub repeatable: bool,
    /// The longest it may work by itself, where that exceeds an ordinary call.
    pub budget: Option<Duration>,
    /// JSON schema of its arguments: an object.
    pub input_schema: Value,
    /// JSON schema of its envelope `{ok, payload}`.
    pub output_schema: Value,
    /// The effect of one call, where the arguments decide. `None`: always [`effect`](Self::effect).
    #[serde(skip)]
    pub classify: Option<fn(&Object) -> Effect>,
}

impl ToolSpec {
    /// A tool without arguments whose payload may be anything.
    #[must_use]
    pub fn new(name: &str, description: &str, effect: Effect) -> Self {
        Self {
            name: name.to_owned(),
            title: name.to_owned(),
            description: description.to_owned(),
            effect,
            idempotent: effect == Effect::Read,
            open_world: false,
            repeatable: false,
            budget: None,
            input_schema: json!({ "type": "object", "properties": {}, "additionalProperties": false }),
            output_schema: envelope_schema(&json!({})),
            classify: None,
        }
    }

    /// What a call with these arguments may do.
    #[must_use]
    pub fn effect_of(&self, args: &Object) -> Effect {
        self.classify.map_or(self.effect, |classify| classify(args))
    }

    /// Names of the arguments, in schema order.
    pub fn arguments(&self) -> impl Iterator<Item = (&str, &Value)> {
        let properties = self.input_schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema))
    }

    /// Names of the arguments that must be given.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        let required = self.input_schema.get("required").and_then(Value::as_array);
        required.into_iter().flatten().filter_map(Value::as_str)
    }
}

/// The schema of an argument type: draft 2020-12, no references, an object at the root.
#[must_use]
pub fn input_schema<T: JsonSchema>() -> Value {
    inlined::<T>()
}

/// The schema of the envelope around a payload type.
#[must_use]
pub fn output_schema<T: JsonSchema>() -> Value {
    envelope_schema(&inlined::<T>())
}

fn inlined<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema: Schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema.to_value()
}

fn envelope_schema(payload: &Value) -> Value {
    json!({
        "type": "object",
        "properties": { "ok": { "type": "boolean", "const": true }, "payload": payload },
        "required": ["ok", "payload"],
    })
}
