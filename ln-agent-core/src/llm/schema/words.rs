//! Constraints in words, for models whose dialect lacks them.

use serde_json::Value;

use crate::types::Object;

/// What this constraint says, as a fragment; `None` where it says nothing to a model.
pub(super) fn constraint(keyword: &str, value: &Value) -> Option<String> {
    let count = |noun: &str| {
        let plural = if value.as_u64() == Some(1) { "" } else { "s" };
        format!("{value} {noun}{plural}")
    };
    let text = || value.as_str().unwrap_or_default();
    Some(match keyword {
        "minimum" => format!("at least {value}"),
        "maximum" => format!("at most {value}"),
        "exclusiveMinimum" => format!("more than {value}"),
        "exclusiveMaximum" => format!("less than {value}"),
        "multipleOf" => format!("a multiple of {value}"),
        "minLength" => format!("at least {}", count("character")),
        "maxLength" => format!("at most {}", count("character")),
        "pattern" => format!("matches the regular expression `{}`", text()),
        "format" if is_number_format(text()) => return None,
        "format" => format!("in the format `{}`", text()),
        "minItems" => format!("at least {}", count("item")),
        "maxItems" => format!("at most {}", count("item")),
        "uniqueItems" if value == &Value::Bool(true) => "no item twice".to_owned(),
        "minProperties" => format!("at least {}", count("member")),
        "maxProperties" => format!("at most {}", count("member")),
        "not" => format!("never of the form {value}"),
        "propertyNames" => format!("names of members of the form {value}"),
        "contains" => format!("at least one item of the form {value}"),
        "patternProperties" | "dependentRequired" | "dependentSchemas" | "if" | "then" | "else"
        | "contentEncoding" | "minContains" | "maxContains" => {
            format!("{keyword} {value}")
        }
        _ => return None,
    })
}

/// Appends the fragments to the description as one sentence.
pub(super) fn append(schema: &mut Object, fragments: &[String]) {
    let mut sentence = fragments.join(", ");
    let Some(first) = sentence.chars().next() else { return };
    sentence.replace_range(..first.len_utf8(), &first.to_uppercase().to_string());
    sentence.push('.');
    describe(schema, &sentence);
}

/// Adds to the description.
pub(super) fn describe(schema: &mut Object, sentence: &str) {
    if sentence.is_empty() {
        return;
    }
    let before = schema.get("description").and_then(Value::as_str).unwrap_or_default().trim_end();
    let text = match before.chars().next_back() {
        None => sentence.to_owned(),
        Some('.' | '!' | '?') => format!("{before} {sentence}"),
        Some(_) => format!("{before}. {sentence}"),
    };
    // The place that a description of its own would have, so that lowering once more changes nothing.
    schema.shift_insert(
        usize::from(schema.contains_key("type")),
        "description".to_owned(),
        Value::String(text),
    );
}

/// Widths of machine numbers, which mean nothing to a model.
fn is_number_format(format: &str) -> bool {
    let width = format.strip_prefix("uint").or_else(|| format.strip_prefix("int"));
    matches!(format, "float" | "double") || width.is_some_and(|w| w.bytes().all(|b| b.is_ascii_digit()))
}
