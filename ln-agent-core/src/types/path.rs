//! Paths into JSON values, and the placeholders of plans and batteries that use them.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use super::StepId;

/// A way into a JSON value: keys and list indices separated by dots.
///
/// `[i]` equals `.i`, empty parts are ignored, and `#` as the last part is the length of the list, object or text.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::types::Path;
/// # use serde_json::json;
/// let answer = json!({ "channels": [{ "state": "CHANNELD_NORMAL" }] });
/// let path: Path = "channels[0].state".parse()?;
/// assert_eq!(path.lookup(&answer).as_deref(), Some(&json!("CHANNELD_NORMAL")));
/// assert_eq!("channels.#".parse::<Path>()?.lookup(&answer).as_deref(), Some(&json!(1)));
/// # Ok::<(), ln_agent_core::types::PlaceholderError>(())
/// ```
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
pub struct Path {
    parts: Vec<String>,
    length: bool,
}

/// A string that stands for a value known only while the plan runs.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::StepId;
/// # use ln_agent_core::types::{Placeholder, PlaceholderRoot};
/// let invoice = Placeholder::parse("$step2.result.payload.bolt11")?.expect("it starts with $");
/// assert_eq!(invoice.root, PlaceholderRoot::Step(StepId(2)));
/// assert_eq!(Placeholder::parse("plain text")?, None);
/// assert!(Placeholder::parse("$1").is_err());
/// # Ok::<(), ln_agent_core::types::PlaceholderError>(())
/// ```
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Placeholder {
    /// Which value is looked into.
    pub root: PlaceholderRoot,
    /// Where in it.
    pub path: Path,
}

/// What a placeholder looks into.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum PlaceholderRoot {
    /// `$stepN`: the whole answer of step N, [`StepResult::raw_result`](super::StepResult::raw_result).
    Step(StepId),
    /// `$context`: the context of the intent.
    Context,
    /// `$item`: the element of `for_each`.
    Item,
}

/// Why a text is no placeholder or no path.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceholderError {
    /// It starts with `$` but is none of the three forms.
    #[error("`{0}` is not a placeholder: expected $stepN.result.payload.path, $context.field or $item.path")]
    Unrecognised(String),
    /// It names a root and nothing in it.
    #[error("`{0}` names nothing: expected a path after it, as in {0}.field")]
    NoPath(String),
    /// It has a part that is neither a key nor an index.
    #[error("`{0}` is not a path: expected keys and indices separated by dots, # only as the last part")]
    BadPath(String),
}

impl Path {
    /// The value at the path, or `None` when there is none.
    #[must_use]
    pub fn lookup<'v>(&self, value: &'v Value) -> Option<Cow<'v, Value>> {
        let found = self.parts.iter().try_fold(value, |value, part| child(value, part))?;
        if self.length { length(found).map(|n| Cow::Owned(n.into())) } else { Some(Cow::Borrowed(found)) }
    }

    /// The value at the path in a step's answer, shorthand included: the path as written, then with `result.`
    /// before it, and `.address` or `.txid` of a payload that is itself that text.
    #[must_use]
    pub fn lookup_in_answer<'v>(&self, answer: &'v Value) -> Option<Cow<'v, Value>> {
        let result = answer.get("result");
        self.lookup(answer).or_else(|| self.lookup(result?)).or_else(|| {
            let payload = result?.get("payload").filter(|payload| payload.is_string())?;
            let parts = self.parts.strip_prefix(&["result".to_owned()][..]).unwrap_or(&self.parts);
            let names_itself = matches!(parts, [first, last]
                if first == "payload" && (last == "address" || last == "txid"));
            (names_itself && !self.length).then_some(Cow::Borrowed(payload))
        })
    }

    /// The keys and indices, the length mark left out.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(String::as_str)
    }

    /// Whether it ends in `#`.
    #[must_use]
    pub const fn is_length(&self) -> bool {
        self.length
    }

    /// Whether it leads nowhere but to the value itself.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.parts.is_empty() && !self.length
    }
}

impl Placeholder {
    /// Reads a whole string; `None` when it is plain text, which is when it does not start with `$`.
    ///
    /// # Errors
    ///
    /// [`PlaceholderError`] when it starts with `$` and is no placeholder.
    pub fn parse(text: &str) -> Result<Option<Self>, PlaceholderError> {
        let Some(body) = text.strip_prefix('$') else { return Ok(None) };
        let unrecognised = || PlaceholderError::Unrecognised(text.to_owned());
        let end = body.find(['.', '[']).unwrap_or(body.len());
        let (name, rest) = body.split_at(end);
        let root = match name {
            "context" => PlaceholderRoot::Context,
            "item" => PlaceholderRoot::Item,
            _ => PlaceholderRoot::Step(step_number(name).ok_or_else(unrecognised)?),
        };
        let path: Path = rest.parse().map_err(|_| PlaceholderError::BadPath(text.to_owned()))?;
        if path.is_empty() && root != PlaceholderRoot::Item {
            return Err(PlaceholderError::NoPath(format!("${name}")));
        }
        Ok(Some(Self { root, path }))
    }

    /// Every string of a value, however deep, that starts with `$`, read as a placeholder, in order.
    ///
    /// # Errors
    ///
    /// The first [`PlaceholderError`].
    pub fn all_in(value: &Value) -> Result<Vec<Self>, PlaceholderError> {
        let mut found = Vec::new();
        collect(value, &mut found)?;
        Ok(found)
    }
}

impl FromStr for Path {
    type Err = PlaceholderError;

    fn from_str(text: &str) -> Result<Self, PlaceholderError> {
        let bad = || PlaceholderError::BadPath(text.to_owned());
        let mut parts = Vec::new();
        for segment in text.split('.') {
            let (key, indices) = segment.split_once('[').map_or((segment, None), |(k, i)| (k, Some(i)));
            parts.extend((!key.is_empty()).then(|| key.to_owned()));
            for index in indices.into_iter().flat_map(|indices| indices.split('[')) {
                let index = index.strip_suffix(']').ok_or_else(bad)?;
                if !index.is_empty() && !index.bytes().all(|b| b.is_ascii_digit()) {
                    return Err(bad());
                }
                parts.extend((!index.is_empty()).then(|| index.to_owned()));
            }
        }
        let length = parts.pop_if(|last| last == "#").is_some();
        if !parts.iter().all(|part| part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')) {
            return Err(bad());
        }
        Ok(Self { parts, length })
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.parts.iter().map(String::as_str).chain(self.length.then_some("#"));
        for (i, part) in parts.enumerate() {
            write!(f, "{}{part}", if i == 0 { "" } else { "." })?;
        }
        Ok(())
    }
}

impl fmt::Display for Placeholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.root {
            PlaceholderRoot::Step(step) => write!(f, "$step{step}")?,
            PlaceholderRoot::Context => f.write_str("$context")?,
            PlaceholderRoot::Item => f.write_str("$item")?,
        }
        if self.path.is_empty() { Ok(()) } else { write!(f, ".{}", self.path) }
    }
}

/// `stepN`, where N has no sign and no leading zero.
fn step_number(name: &str) -> Option<StepId> {
    let digits = name.strip_prefix("step")?;
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|_| plain).map(StepId)
}

fn child<'v>(value: &'v Value, part: &str) -> Option<&'v Value> {
    match value {
        Value::Array(list) => list.get(part.parse::<usize>().ok()?),
        Value::Object(object) => object.get(part),
        _ => None,
    }
}

fn length(value: &Value) -> Option<usize> {
    match value {
        Value::Array(list) => Some(list.len()),
        Value::Object(object) => Some(object.len()),
        Value::String(text) => Some(text.chars().count()),
        _ => None,
    }
}

fn collect(value: &Value, found: &mut Vec<Placeholder>) -> Result<(), PlaceholderError> {
    match value {
        Value::String(text) => found.extend(Placeholder::parse(text)?),
        Value::Array(list) => list.iter().try_for_each(|value| collect(value, found))?,
        Value::Object(object) => object.values().try_for_each(|value| collect(value, found))?,
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(path: &str, value: &Value) -> Option<Value> {
        path.parse::<Path>().unwrap().lookup(value).map(Cow::into_owned)
    }

    #[test]
    fn keys_indices_and_lengths_lead_into_a_value() {
        let value = json!({ "a": { "b": [{ "c": 7 }, "text"] }, "7": null });
        let cases = [
            ("a.b[0].c", Some(json!(7))),
            ("a.b.0.c", Some(json!(7))),
            (".a..b[0].c.", Some(json!(7))),
            ("a.b.#", Some(json!(2))),
            ("a.#", Some(json!(1))),
            ("a.b[1].#", Some(json!(4))),
            ("7", Some(json!(null))),
            ("a.b[2]", None),
            ("a.b.c", None),
            ("a.b[0].c.d", None),
            ("7.#", None),
        ];
        for (path, expected) in cases {
            assert_eq!(at(path, &value), expected, "{path}");
        }
    }

    #[test]
    fn a_placeholder_is_read_and_written_back() {
        for text in
            ["$step1.result.payload", "$step12.a.0.b", "$context.node", "$item", "$item.id", "$step3.x.#"]
        {
            assert_eq!(Placeholder::parse(text).unwrap().unwrap().to_string(), text);
        }
    }

    #[test]
    fn every_other_dollar_string_is_refused() {
        for text in [
            "$",
            "$1",
            "${step1.x}",
            "$step.x",
            "$step0.x",
            "$step01.x",
            "$step1",
            "$step1.",
            "$context",
            "$Step1.x",
            "$step1.a b",
            "$step1.#.x",
            "$step1.a[x]",
            "$step1.a[0",
            "$step-1.x",
            "$step99999999999.x",
            "$5 coffee",
            "$step1.result.payload please",
            "$stepN.x",
            "$step+1.x",
        ] {
            assert!(Placeholder::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_errors_say_what_would_be_right() {
        assert_eq!(
            Placeholder::parse("$1").unwrap_err().to_string(),
            "`$1` is not a placeholder: expected $stepN.result.payload.path, $context.field or $item.path"
        );
        assert_eq!(
            Placeholder::parse("$step1").unwrap_err().to_string(),
            "`$step1` names nothing: expected a path after it, as in $step1.field"
        );
    }

    #[test]
    fn shorthand_finds_the_payload_of_an_answer() {
        let answer = json!({ "id": 3, "result": { "ok": true, "payload": { "id": "02ab" } } });
        let text = json!({ "id": 1, "result": { "ok": true, "payload": "bcrt1q" } });
        let find = |path: &str, value: &Value| {
            path.parse::<Path>().unwrap().lookup_in_answer(value).map(Cow::into_owned)
        };
        assert_eq!(find("result.payload.id", &answer), Some(json!("02ab")));
        assert_eq!(find("payload.id", &answer), Some(json!("02ab")));
        assert_eq!(find("id", &answer), Some(json!(3)), "the literal path comes first");
        assert_eq!(find("payload", &text), Some(json!("bcrt1q")));
        assert_eq!(find("payload.address", &text), Some(json!("bcrt1q")));
        assert_eq!(find("result.payload.txid", &text), Some(json!("bcrt1q")));
        assert_eq!(find("result.payload.label", &text), None);
        assert_eq!(find("payload.txid", &answer), None);
    }

    #[test]
    fn placeholders_are_found_however_deep() {
        let args = json!({ "a": "$step1.x", "b": [{ "c": "$context.node" }, "plain", 1] });
        let found: Vec<String> =
            Placeholder::all_in(&args).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(found, ["$step1.x", "$context.node"]);
        assert!(Placeholder::all_in(&json!(["$oops"])).is_err());
    }
}
