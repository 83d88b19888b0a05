//! Placeholders become values.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use crate::types::{Object, Placeholder, PlaceholderRoot, StepId, StepResult};

/// What placeholders can look into.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) results: &'a BTreeMap<StepId, StepResult>,
    pub(super) context: &'a Object,
    /// The element of `for_each`.
    pub(super) item: Option<&'a Value>,
}

impl<'a> Scope<'a> {
    /// The value with every placeholder in it replaced; its type is that of what was found.
    pub(super) fn resolve(&self, value: &Value) -> Result<Value, String> {
        match value {
            Value::String(text) => match self.lookup(text)? {
                Found::Plain => Ok(value.clone()),
                Found::Value(found) => Ok(found.into_owned()),
                Found::Nothing(why) => Err(why),
            },
            Value::Array(list) => list.iter().map(|element| self.resolve(element)).collect(),
            Value::Object(object) => {
                let members = object.iter().map(|(key, member)| Ok((key.clone(), self.resolve(member)?)));
                members.collect::<Result<Object, String>>().map(Value::Object)
            }
            other => Ok(other.clone()),
        }
    }

    /// The side of a condition: `None` when its placeholder leads nowhere.
    pub(super) fn side(&self, value: &'a Value) -> Result<Option<Cow<'a, Value>>, String> {
        let Value::String(text) = value else { return Ok(Some(Cow::Borrowed(value))) };
        match self.lookup(text)? {
            Found::Plain => Ok(Some(Cow::Borrowed(value))),
            Found::Value(found) => Ok(Some(found)),
            Found::Nothing(_) => Ok(None),
        }
    }

    fn lookup(&self, text: &str) -> Result<Found<'a>, String> {
        let Some(placeholder) = Placeholder::parse(text).map_err(|error| error.to_string())? else {
            return Ok(Found::Plain);
        };
        let nothing =
            |whose: String| Found::Nothing(format!("`{text}` leads nowhere: {whose} has no such field"));
        let found = match placeholder.root {
            PlaceholderRoot::Step(id) => {
                let result =
                    self.results.get(&id).ok_or_else(|| format!("`{text}`: step {id} has not run"))?;
                if !result.ok {
                    return Err(format!("`{text}`: step {id} did not succeed"));
                }
                placeholder
                    .path
                    .lookup_in_answer(&result.raw_result)
                    .ok_or_else(|| format!("step {id}'s answer"))
            }
            PlaceholderRoot::Context => {
                match placeholder.path.parts().next().and_then(|key| self.context.get(key)) {
                    Some(member) => rest_of(&placeholder, member).ok_or_else(|| "the context".to_owned()),
                    None => Err("the context".to_owned()),
                }
            }
            PlaceholderRoot::Item => {
                let item = self.item.ok_or_else(|| format!("`{text}` stands outside of for_each"))?;
                placeholder.path.lookup(item).ok_or_else(|| "the element".to_owned())
            }
        };
        Ok(found.map_or_else(nothing, Found::Value))
    }
}

enum Found<'a> {
    /// The text is no placeholder.
    Plain,
    Value(Cow<'a, Value>),
    /// The placeholder leads nowhere; why.
    Nothing(String),
}

/// The context is an object of its own type, so its first key is taken before the path goes on.
fn rest_of<'a>(placeholder: &Placeholder, member: &'a Value) -> Option<Cow<'a, Value>> {
    let rest: Vec<&str> = placeholder.path.parts().skip(1).collect();
    let length = if placeholder.path.is_length() { ".#" } else { "" };
    let path: crate::types::Path = format!("{}{length}", rest.join(".")).parse().ok()?;
    path.lookup(member)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn placeholders_are_replaced_however_deep_and_keep_their_type() {
        let mut results = BTreeMap::new();
        let raw_result =
            json!({ "id": 1, "result": { "ok": true, "payload": { "port": 9736, "tags": ["a"] } } });
        results.insert(
            StepId(1),
            StepResult { step_id: StepId(1), ok: true, raw_result, ..StepResult::default() },
        );
        results.insert(StepId(2), StepResult { step_id: StepId(2), ..StepResult::default() });
        let context = json!({ "node": 2, "deep": { "list": [1, 2] } });
        let context = context.as_object().unwrap();
        let scope = Scope { results: &results, context, item: None };

        let args = json!({
            "port": "$step1.result.payload.port", "short": "$step1.payload.tags",
            "nested": [{ "node": "$context.node" }, "$context.deep.list.#"], "plain": "text", "number": 7
        });
        assert_eq!(
            scope.resolve(&args),
            Ok(
                json!({ "port": 9736, "short": ["a"], "nested": [{ "node": 2 }, 2], "plain": "text", "number": 7 })
            )
        );
        let failures = [
            (
                "$step1.result.payload.nope",
                "`$step1.result.payload.nope` leads nowhere: step 1's answer has no such field",
            ),
            ("$step2.result.payload", "`$step2.result.payload`: step 2 did not succeed"),
            ("$step9.result.payload", "`$step9.result.payload`: step 9 has not run"),
            ("$context.nope", "`$context.nope` leads nowhere: the context has no such field"),
            ("$item.x", "`$item.x` stands outside of for_each"),
        ];
        for (text, expected) in failures {
            assert_eq!(scope.resolve(&json!(text)), Err(expected.to_owned()));
        }
    }
}
