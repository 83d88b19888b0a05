//! How large a lowered schema is, in what OpenAI counts.

use serde_json::Value;

use super::SchemaError;
use super::dialect::Limits;

/// What OpenAI counts in a lowered schema.
#[derive(Default)]
pub(super) struct Size {
    levels: usize,
    properties: usize,
    enum_values: usize,
    characters: usize,
    level: usize,
}

impl Size {
    pub(super) fn of(lowered: &Value) -> Self {
        let mut size = Self::default();
        size.count(lowered);
        size
    }

    pub(super) fn check(&self, limits: &Limits) -> Result<(), SchemaError> {
        if self.levels > limits.levels {
            return Err(SchemaError::TooDeep { path: "(root)".to_owned(), limit: limits.levels });
        }
        let bounded = [
            ("properties", self.properties, limits.properties),
            ("fixed values", self.enum_values, limits.enum_values),
            ("characters in names and fixed values", self.characters, limits.characters),
        ];
        match bounded.into_iter().find(|(_, size, limit)| size > limit) {
            Some((what, _, limit)) => Err(SchemaError::TooLarge { what, limit }),
            None => Ok(()),
        }
    }

    fn count(&mut self, schema: &Value) {
        let is_level = schema.get("properties").is_some() || schema.get("items").is_some();
        self.level += usize::from(is_level);
        self.levels = self.levels.max(self.level);
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            self.properties += 1;
            self.characters += name.chars().count();
            self.count(member);
        }
        let values = schema["enum"].as_array().into_iter().flatten().chain(schema.get("const"));
        for value in values {
            self.enum_values += 1;
            self.characters += value.to_string().chars().count();
        }
        for inner in schema["anyOf"].as_array().into_iter().flatten().chain(schema.get("items")) {
            self.count(inner);
        }
        self.level -= usize::from(is_level);
    }
}
