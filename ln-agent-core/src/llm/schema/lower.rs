//! From a source schema down to a dialect.

use serde_json::{Value, json};

use super::choices;
use super::dialect::{Rules, is_annotation, types};
use super::expand::{Source, malformed};
use super::size::Size;
use super::{Dialect, SchemaError, words};
use crate::types::Object;

/// Levels of a schema, references inlined.
const MAX_LEVELS: usize = 64;

/// Parts of a schema, references inlined: a schema that doubles itself at each reference is stopped here.
const MAX_PARTS: usize = 20_000;

/// The schema as this dialect writes it.
///
/// # Errors
///
/// [`SchemaError`] where the dialect cannot say what the schema says; the error names the place. Strict dialects
/// return [`SchemaError::FreeForm`] for a map with free names: a caller may then show the schema in
/// [`Dialect::OpenAiLoose`], which enforces nothing.
///
/// # Examples
///
/// ```
/// use ln_agent_core::llm::schema::{Dialect, lower};
/// use serde_json::json;
///
/// let schema = json!({
///     "type": "object",
///     "properties": { "node": { "type": "integer", "minimum": 1 }, "label": { "type": "string" } },
///     "required": ["node"],
/// });
///
/// let strict = lower(&schema, Dialect::OpenAiStrict)?;
/// assert_eq!(strict["required"], json!(["node", "label"]));
/// assert_eq!(strict["properties"]["label"]["type"], json!(["string", "null"]));
///
/// let words = lower(&schema, Dialect::Anthropic)?;
/// assert_eq!(words["properties"]["node"], json!({ "type": "integer", "description": "At least 1." }));
/// # Ok::<(), ln_agent_core::llm::schema::SchemaError>(())
/// ```
pub fn lower(schema: &Value, dialect: Dialect) -> Result<Value, SchemaError> {
    let rules = dialect.rules();
    let mut lowering = Lowering { source: Source::new(schema), rules, parts: 0, levels: 0 };
    let lowered = lowering.part(schema, "(root)")?;
    if rules.object_root && lowered["type"] != "object" {
        return Err(SchemaError::RootNotObject);
    }
    if let Some(limits) = &rules.limits {
        Size::of(&lowered).check(limits)?;
    }
    Ok(lowered)
}

struct Lowering<'s> {
    source: Source<'s>,
    rules: &'static Rules,
    parts: usize,
    levels: usize,
}

impl Lowering<'_> {
    /// One schema within the source, references inlined.
    fn part(&mut self, schema: &Value, path: &str) -> Result<Value, SchemaError> {
        self.parts += 1;
        self.levels += 1;
        if self.parts > MAX_PARTS {
            return Err(SchemaError::TooLarge { what: "parts", limit: MAX_PARTS });
        }
        if self.levels > MAX_LEVELS {
            return Err(SchemaError::TooDeep { path: path.to_owned(), limit: MAX_LEVELS });
        }
        let mark = self.source.mark();
        let flat = self.source.expand(schema, path)?;
        let lowered = match flat.get("anyOf") {
            Some(branches) => self.choice(&flat, branches, path)?,
            None => self.single(&flat, path)?,
        };
        self.source.close(mark);
        self.levels -= 1;
        Ok(Value::Object(lowered))
    }

    fn choice(&mut self, flat: &Object, branches: &Value, path: &str) -> Result<Object, SchemaError> {
        let mut lowered = Object::new();
        if let Some(description) = flat.get("description") {
            lowered.insert("description".to_owned(), description.clone());
        }
        let mut forms: Vec<Value> = Vec::new();
        for (index, branch) in branches.as_array().into_iter().flatten().enumerate() {
            let form = self.part(branch, &format!("{path}.anyOf[{index}]"))?;
            match form.get("anyOf").and_then(Value::as_array) {
                // A choice in a choice is one choice.
                Some(inner) if form.as_object().is_some_and(|form| form.len() == 1) => {
                    forms.extend(
                        inner.iter().filter(|form| !forms.contains(form)).cloned().collect::<Vec<_>>(),
                    );
                }
                _ if forms.contains(&form) => {}
                _ => forms.push(form),
            }
        }
        if let [Value::Object(only)] = &mut forms[..] {
            let inner = only.shift_remove("description");
            let text = inner.as_ref().and_then(Value::as_str).unwrap_or_default();
            let mut only = std::mem::take(only);
            for description in lowered.values().filter_map(Value::as_str) {
                words::describe(&mut only, description);
            }
            words::describe(&mut only, text);
            return Ok(only);
        }
        lowered.insert("anyOf".to_owned(), Value::Array(forms));
        Ok(lowered)
    }

    fn single(&mut self, flat: &Object, path: &str) -> Result<Object, SchemaError> {
        let kinds = types(flat);
        if kinds.is_empty() && self.rules.closed {
            return Err(SchemaError::FreeForm { path: path.to_owned() });
        }
        let mut lowered = Object::new();
        match &kinds[..] {
            [] => {}
            [one] => drop(lowered.insert("type".to_owned(), json!(one))),
            several => drop(lowered.insert("type".to_owned(), json!(several))),
        }
        if let Some(description) = flat.get("description") {
            lowered.insert("description".to_owned(), description.clone());
        }
        let mut fragments = Vec::new();
        choices::lower(flat, self.rules, &mut lowered, &mut fragments);
        for (keyword, value) in flat {
            if self.rules.keeps(keyword, value) {
                lowered.insert(keyword.clone(), value.clone());
            } else if !is_annotation(keyword) {
                fragments.extend(words::constraint(keyword, value));
            }
        }
        if kinds.iter().any(|kind| kind == "array") {
            self.list(flat, &mut lowered, &mut fragments, path)?;
        }
        if kinds.iter().any(|kind| kind == "object") {
            self.object(flat, &mut lowered, path)?;
        }
        words::append(&mut lowered, &fragments);
        Ok(lowered)
    }

    fn list(
        &mut self,
        flat: &Object,
        lowered: &mut Object,
        fragments: &mut Vec<String>,
        path: &str,
    ) -> Result<(), SchemaError> {
        let path = format!("{}[]", inner(path));
        let places = match flat.get("prefixItems") {
            Some(places) => Some(places.as_array().ok_or_else(|| malformed(&path, "prefixItems"))?),
            None => None,
        };
        if let Some(places) = places.filter(|_| self.rules.tuples) {
            let places = places.iter().map(|place| self.part(place, &path)).collect::<Result<_, _>>()?;
            lowered.insert("prefixItems".to_owned(), Value::Array(places));
        } else if let Some(places) = places {
            let names: Vec<String> = places
                .iter()
                .map(|place| place.as_object().map(types).unwrap_or_default().join(" or "))
                .collect();
            fragments.push(format!("the items are, in this order: {}", names.join(", ")));
            lowered.insert("items".to_owned(), self.part(&json!({ "anyOf": places }), &path)?);
            return Ok(());
        }
        match flat.get("items") {
            Some(Value::Bool(false)) if places.is_some() => {}
            None | Some(Value::Bool(true)) if self.rules.closed => {
                return Err(SchemaError::FreeForm { path });
            }
            None | Some(Value::Bool(true)) => {}
            Some(items) => drop(lowered.insert("items".to_owned(), self.part(items, &path)?)),
        }
        Ok(())
    }

    fn object(&mut self, flat: &Object, lowered: &mut Object, path: &str) -> Result<(), SchemaError> {
        let properties = match flat.get("properties") {
            Some(properties) => Some(properties.as_object().ok_or_else(|| malformed(path, "properties"))?),
            None => None,
        };
        let others = flat.get("additionalProperties");
        let is_closed = others == Some(&Value::Bool(false)) || (others.is_none() && properties.is_some());
        if self.rules.closed && (!is_closed || flat.contains_key("patternProperties")) {
            return Err(SchemaError::FreeForm { path: path.to_owned() });
        }
        let names: Vec<&str> = properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        let required: Vec<&str> = match flat.get("required").and_then(Value::as_array) {
            _ if self.rules.all_required => names.clone(),
            required => required.into_iter().flatten().filter_map(Value::as_str).collect(),
        };
        if properties.is_some() || is_closed {
            let members = self.members(flat, properties, path)?;
            lowered.insert("properties".to_owned(), Value::Object(members));
        }
        if self.rules.all_required || !required.is_empty() {
            lowered.insert("required".to_owned(), json!(required));
        }
        if let Some(others) = self.others(others, path)? {
            lowered.insert("additionalProperties".to_owned(), others);
        }
        if self.rules.ordering && !names.is_empty() {
            lowered.insert("propertyOrdering".to_owned(), json!(names));
        }
        Ok(())
    }

    fn members(
        &mut self,
        flat: &Object,
        properties: Option<&Object>,
        path: &str,
    ) -> Result<Object, SchemaError> {
        let required = flat.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.into_iter().flatten().any(|required| required == name);
        let mut members = Object::new();
        for (name, member) in properties.into_iter().flatten() {
            let path = if path == "(root)" { name.clone() } else { format!("{path}.{name}") };
            let form = self.part(member, &path)?;
            let optional = self.rules.all_required && !is_required(name);
            members.insert(name.clone(), if optional { choices::nullable(form) } else { form });
        }
        Ok(members)
    }

    /// What members may be that are not listed.
    fn others(&mut self, others: Option<&Value>, path: &str) -> Result<Option<Value>, SchemaError> {
        Ok(match others {
            _ if self.rules.closed => Some(Value::Bool(false)),
            Some(Value::Bool(false)) if self.rules.ordering => None,
            Some(Value::Bool(open)) => Some(Value::Bool(*open)),
            Some(others) => Some(self.part(others, &format!("{}{{}}", inner(path)))?),
            None => None,
        })
    }
}

/// The path as the beginning of a longer one.
fn inner(path: &str) -> &str {
    if path == "(root)" { "" } else { path }
}
