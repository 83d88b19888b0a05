//! Keeping secrets out of cassettes.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use regex_lite::Regex;
use serde_json::{Map, Value};

use crate::llm::redact;

/// Masks secrets in JSON values: by their shape, by the name of their member, and, once one is known by its name,
/// wherever else it stands.
#[derive(Debug, Default)]
pub(super) struct Scrub {
    known: BTreeSet<String>,
    names: HashMap<String, bool>,
}

/// The value without secrets: what [`redact`] finds in its texts and names is `[redacted]`, and so is the value of a
/// member that is named like a secret.
///
/// # Examples
///
/// ```
/// use ln_agent_core::replay::scrubbed;
/// use serde_json::json;
///
/// let paid = json!({ "payment_preimage": "00112233445566778899", "said": "proof: 00112233445566778899" });
/// assert_eq!(scrubbed(paid), json!({ "payment_preimage": "[redacted]", "said": "proof: [redacted]" }));
/// ```
#[must_use]
pub fn scrubbed(mut value: Value) -> Value {
    Scrub::default().scrub(&mut value);
    value
}

impl Scrub {
    pub(super) fn scrub(&mut self, value: &mut Value) {
        self.learn(value, false);
        self.mask(value, false);
    }

    /// Notes every text under a secret's name, so that it is found where it stands without it.
    fn learn(&mut self, value: &Value, secret: bool) {
        match value {
            Value::String(text)
                if secret && text.len() >= SHORTEST && !text.contains(char::is_whitespace) =>
            {
                self.known.insert(text.clone());
            }
            Value::Array(items) => items.iter().for_each(|item| self.learn(item, secret)),
            Value::Object(members) => {
                for (name, value) in members {
                    let secret = self.names_a_secret(name);
                    self.learn(value, secret);
                }
            }
            _ => {}
        }
    }

    fn mask(&mut self, value: &mut Value, secret: bool) {
        match value {
            Value::String(text) if secret => MASK.clone_into(text),
            Value::Number(_) if secret => *value = Value::String(MASK.to_owned()),
            Value::String(text) => {
                if let Some(masked) = self.masked(text) {
                    *text = masked;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask(item, secret)),
            Value::Object(members) => {
                if members.keys().any(|name| self.masked(name).is_some()) {
                    let renamed: Map<_, _> = std::mem::take(members)
                        .into_iter()
                        .map(|(name, value)| (self.masked(&name).unwrap_or(name), value))
                        .collect();
                    *members = renamed;
                }
                for (name, value) in members.iter_mut() {
                    let secret = self.names_a_secret(name);
                    self.mask(value, secret);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Whether a text holds anything to mask.
    pub(super) fn masks(&self, text: &str) -> bool {
        self.masked(text).is_some()
    }

    /// `None`: nothing to mask.
    fn masked(&self, text: &str) -> Option<String> {
        let mut masked = redact(text);
        if masked.contains('\\') {
            masked = escaped().replace_all(&masked, "${1}[redacted]").into_owned();
        }
        for secret in self.known.iter().filter(|secret| text.len() >= secret.len()) {
            if masked.contains(secret.as_str()) {
                masked = masked.replace(secret.as_str(), MASK);
            }
        }
        (masked != text).then_some(masked)
    }

    /// A name is a secret's when a text that assigns to it is masked.
    fn names_a_secret(&mut self, name: &str) -> bool {
        if let Some(known) = self.names.get(name) {
            return *known;
        }
        let assignment = format!("{name}: 0123456789");
        let secret = redact(&assignment) != assignment;
        self.names.insert(name.to_owned(), secret);
        secret
    }
}

/// Members of JSON that stands as text inside JSON: their quotes are escaped.
fn escaped() -> &'static Regex {
    static PATTERN: OnceLock<Regex> = OnceLock::new();
    PATTERN.get_or_init(|| {
        Regex::new(
            r#"(?i)(\b(?:authorization|x-api-key|x-goog-api-key|api-key|apikey|api_key|rune|macaroon|preimage|payment_preimage|client_secret|access_token|refresh_token|bot_token|password|passwd)\\+["']\s*:\s*\\+["'])[^"'\\]+"#,
        )
        .expect("the pattern is fixed and valid")
    })
}

const MASK: &str = "[redacted]";

/// A shorter text under a secret's name may be an ordinary word elsewhere.
const SHORTEST: usize = 16;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::scrubbed;

    #[test]
    fn secrets_are_masked_by_shape_by_name_and_by_acquaintance() {
        let cases = [
            (json!("call with sk-proj-abcDEF0123456789"), json!("call with [redacted]")),
            (json!({ "sk-proj-abcDEF0123456789": 1 }), json!({ "[redacted]": 1 })),
            (json!({ "password": 1234, "x": 1234 }), json!({ "password": "[redacted]", "x": 1234 })),
            (json!({ "rune": ["a b", "c"] }), json!({ "rune": ["[redacted]", "[redacted]"] })),
            (
                json!({ "properties": { "rune": { "type": "string" } } }),
                json!({ "properties": { "rune": { "type": "string" } } }),
            ),
            (
                json!({ "list": [{ "preimage": "00112233445566778899aa" }, "it is 00112233445566778899aa"] }),
                json!({ "list": [{ "preimage": "[redacted]" }, "it is [redacted]"] }),
            ),
            (
                json!({ "body": "{\"text\":\"{\\\"payment_preimage\\\":\\\"0011223344\\\"}\"}" }),
                json!({ "body": "{\"text\":\"{\\\"payment_preimage\\\":\\\"[redacted]\\\"}\"}" }),
            ),
        ];
        for (value, expected) in cases {
            assert_eq!(scrubbed(value), expected);
            assert_eq!(scrubbed(expected.clone()), expected, "what is masked stays as it is");
        }
    }
}
