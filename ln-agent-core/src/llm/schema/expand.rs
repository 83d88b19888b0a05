//! Taking a schema apart: references, `allOf`, `oneOf`.

use serde_json::{Value, json};

use super::SchemaError;
use super::dialect::is_annotation;
use super::merge::merge;
use crate::types::Object;

/// References that are followed at most, one inside the other.
const MAX_REFERENCES: usize = 64;

/// A schema with the references that are being inlined around the place that is looked at.
pub(super) struct Source<'s> {
    root: &'s Value,
    open: Vec<String>,
}

impl<'s> Source<'s> {
    pub(super) fn new(root: &'s Value) -> Self {
        Self { root, open: vec!["#".to_owned()] }
    }

    /// How many references are open; [`close`](Self::close) takes it.
    pub(super) const fn mark(&self) -> usize {
        self.open.len()
    }

    /// Leaves the references that were opened since.
    pub(super) fn close(&mut self, mark: usize) {
        self.open.truncate(mark);
    }

    /// The same schema without `$ref`, `allOf` and `oneOf` at its top. A choice has no other keywords beside it but
    /// annotations.
    pub(super) fn expand(&mut self, schema: &Value, path: &str) -> Result<Object, SchemaError> {
        let mut flat = self.join(schema, path)?;
        if let Some(choice) = flat.remove("oneOf") {
            merge(&mut flat, Object::from_iter([("anyOf".to_owned(), choice)]), path)?;
        }
        let Some(choice) = flat.get("anyOf") else { return Ok(flat) };
        let branches = choice.as_array().ok_or_else(|| malformed(path, "anyOf"))?.clone();
        flat.remove("anyOf");
        if let [only] = &branches[..] {
            return self.expand(&json!({ "allOf": [flat, only] }), path);
        }
        let (mut kept, shared): (Object, Object) =
            flat.into_iter().partition(|(keyword, _)| is_annotation(keyword));
        let branches = if shared.is_empty() {
            branches
        } else {
            branches.into_iter().map(|branch| json!({ "allOf": [branch, shared] })).collect()
        };
        kept.insert("anyOf".to_owned(), Value::Array(branches));
        Ok(kept)
    }

    /// The same schema without `$ref` and `allOf` at its top.
    fn join(&mut self, schema: &Value, path: &str) -> Result<Object, SchemaError> {
        let mut flat = match schema {
            Value::Object(flat) => flat.clone(),
            Value::Bool(true) => Object::new(),
            _ => return Err(malformed(path, &schema.to_string())),
        };
        if let Some(reference) = flat.shift_remove("$ref") {
            let reference = reference.as_str().ok_or_else(|| malformed(path, "$ref"))?;
            let target = self.open(reference, path)?;
            let target = self.join(target, path)?;
            merge(&mut flat, target, path)?;
        }
        if let Some(parts) = flat.shift_remove("allOf") {
            for part in parts.as_array().ok_or_else(|| malformed(path, "allOf"))? {
                let part = self.join(part, path)?;
                merge(&mut flat, part, path)?;
            }
        }
        Ok(flat)
    }

    fn open(&mut self, reference: &str, path: &str) -> Result<&'s Value, SchemaError> {
        let (path, named) = (path.to_owned(), reference.to_owned());
        if self.open.contains(&named) {
            return Err(SchemaError::Recursive { path, reference: named });
        }
        if self.open.len() == MAX_REFERENCES {
            return Err(SchemaError::TooDeep { path, limit: MAX_REFERENCES });
        }
        let target = resolve(self.root, reference);
        self.open.push(named.clone());
        target.ok_or(SchemaError::UnknownReference { path, reference: named })
    }
}

/// What a reference within this schema means.
pub(super) fn resolve<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    root.pointer(reference.strip_prefix('#')?)
}

pub(super) fn malformed(path: &str, keyword: &str) -> SchemaError {
    SchemaError::Malformed { path: path.to_owned(), keyword: keyword.to_owned() }
}
