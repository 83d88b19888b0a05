//! From an answer in a strict dialect back to the source schema.

use serde_json::Value;

use super::expand::resolve;
use crate::types::Object;

/// References and choices that are followed for one value.
const MAX_HOPS: usize = 64;

/// The answer without the nulls that stand for members left out.
///
/// A strict schema makes optional members required and nullable. A member is taken out when it is null and the
/// source schema has it optional and never null; everything else stays as it is, at every level.
///
/// # Examples
///
/// ```
/// use ln_agent_core::llm::schema::raise;
/// use serde_json::json;
///
/// let schema = json!({
///     "type": "object",
///     "properties": { "node": { "type": "integer" }, "label": { "type": "string" } },
///     "required": ["node"],
/// });
///
/// assert_eq!(raise(json!({ "node": 1, "label": null }), &schema), json!({ "node": 1 }));
/// ```
#[must_use]
pub fn raise(value: Value, schema: &Value) -> Value {
    Raising { root: schema }.value(value, schema, 0)
}

struct Raising<'s> {
    root: &'s Value,
}

impl Raising<'_> {
    fn value(&self, value: Value, schema: &Value, hops: usize) -> Value {
        let Some(schema) = schema.as_object().filter(|_| hops < MAX_HOPS) else { return value };
        let mut value = match self.target(schema) {
            Some(target) => self.value(value, target, hops + 1),
            None => value,
        };
        for part in list(schema, "allOf") {
            value = self.value(value, part, hops + 1);
        }
        // Of several forms, the first that the raised value fulfils is the one that was meant.
        let raised = list(schema, "anyOf").chain(list(schema, "oneOf")).find_map(|form| {
            let raised = self.value(value.clone(), form, hops + 1);
            self.fits(&raised, form, hops + 1).then_some(raised)
        });
        match raised.unwrap_or(value) {
            Value::Object(object) => Value::Object(self.object(object, schema)),
            Value::Array(items) => Value::Array(self.items(items, schema)),
            scalar => scalar,
        }
    }

    fn object(&self, object: Object, schema: &Object) -> Object {
        let properties = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        let is_required = |name: &str| list(schema, "required").any(|required| required == name);
        let keep = |(name, value): (String, Value)| {
            let declared = properties.and_then(|properties| properties.get(&name));
            match declared.or(others) {
                Some(member) if value.is_null() && declared.is_some() => {
                    (is_required(&name) || self.allows_null(member, 0)).then_some((name, value))
                }
                Some(member) => Some((name, self.value(value, member, 0))),
                None => Some((name, value)),
            }
        };
        object.into_iter().filter_map(keep).collect()
    }

    fn items(&self, items: Vec<Value>, schema: &Object) -> Vec<Value> {
        let places: Vec<&Value> = list(schema, "prefixItems").collect();
        let form = |index: usize| places.get(index).copied().or_else(|| schema.get("items"));
        let raise = |(index, item)| match form(index) {
            Some(form) => self.value(item, form, 0),
            None => item,
        };
        items.into_iter().enumerate().map(raise).collect()
    }

    fn allows_null(&self, schema: &Value, hops: usize) -> bool {
        self.fits(&Value::Null, schema, hops)
    }

    /// Whether the value has this form, as far as types, fixed values, members and items go.
    fn fits(&self, value: &Value, schema: &Value, hops: usize) -> bool {
        let schema = match schema {
            Value::Object(schema) if hops < MAX_HOPS => schema,
            schema => return schema != &Value::Bool(false),
        };
        let fits = |form: &Value| self.fits(value, form, hops + 1);
        let one_of = |keyword| list(schema, keyword).next().is_none() || list(schema, keyword).any(fits);
        self.target(schema).is_none_or(fits)
            && list(schema, "allOf").all(fits)
            && one_of("anyOf")
            && one_of("oneOf")
            && has_type(value, schema.get("type"))
            && schema.get("const").is_none_or(|fixed| fixed == value)
            && (!schema.contains_key("enum") || list(schema, "enum").any(|fixed| fixed == value))
            && self.fits_inside(value, schema)
    }

    fn fits_inside(&self, value: &Value, schema: &Object) -> bool {
        match value {
            Value::Object(object) => {
                let properties = schema.get("properties").and_then(Value::as_object);
                let has = |name: &Value| name.as_str().is_some_and(|name| object.contains_key(name));
                let fits = |(name, value): (&String, &Value)| {
                    let declared = properties.and_then(|properties| properties.get(name));
                    let form = declared.or_else(|| schema.get("additionalProperties"));
                    form.is_none_or(|form| self.fits(value, form, 0))
                };
                list(schema, "required").all(has) && object.iter().all(fits)
            }
            Value::Array(items) => {
                let form = schema.get("items");
                form.is_none_or(|form| items.iter().all(|item| self.fits(item, form, 0)))
            }
            _ => true,
        }
    }

    fn target(&self, schema: &Object) -> Option<&Value> {
        resolve(self.root, schema.get("$ref")?.as_str()?)
    }
}

fn has_type(value: &Value, kind: Option<&Value>) -> bool {
    match kind {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| has_type(value, Some(kind))),
        Some(kind) => match kind.as_str().unwrap_or_default() {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "string" => value.is_string(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => true,
        },
    }
}

fn list<'v>(schema: &'v Object, keyword: &str) -> impl Iterator<Item = &'v Value> {
    schema.get(keyword).and_then(Value::as_array).into_iter().flatten()
}
