//! Does an answer state only what somebody said or some node answered?

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex_lite::Regex;
use serde_json::{Map, Value};

/// The numbers and identifiers (txids, invoices, keys, addresses) of a text that stand nowhere in the evidence, in
/// order. A number is also supported as the length of a list, as a sum over a list, in another unit of Bitcoin, and
/// when it counts some elements of a list.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::offline::answer::unsupported;
/// # use serde_json::json;
/// let evidence = [json!({ "blocks": 1234, "our_amount_msat": 5_000 })];
/// assert_eq!(unsupported("At block 1,234 there are 5 sat.", &evidence), [""; 0]);
/// assert_eq!(unsupported("At block 1,235.", &evidence), ["1,235"]);
/// ```
#[must_use]
pub fn unsupported(text: &str, evidence: &[Value]) -> Vec<String> {
    Support::of(evidence).missing(text)
}

/// Everything that an answer may state, read once; for texts that arrive piece by piece.
pub struct Support(Known);

impl Support {
    /// What this evidence supports.
    #[must_use]
    pub fn of(evidence: &[Value]) -> Self {
        let mut known = Known::default();
        evidence.iter().for_each(|value| known.read(value));
        Self(known)
    }

    /// As [`unsupported`]. The text must not end within a word.
    #[must_use]
    pub fn missing(&self, text: &str) -> Vec<String> {
        let text = NAMES.replace_all(text, "");
        let stated = WORD.find_iter(&text).map(|found| found.as_str());
        stated.filter(|word| !self.0.supports(word)).map(str::to_owned).collect()
    }
}

impl std::fmt::Debug for Support {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Support")
    }
}

/// Numbers with separators and fractions, and words with a digit in them.
static WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"[A-Za-z_]*\d(?:[A-Za-z0-9_]|[.,]\d)*"));

/// Names of standards, which state nothing.
static NAMES: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:bolt[ -]?1[12]|[lx]402|sha-?256|base32)\b"));

/// A number as people write it: `1,234.5`, `12345`.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is a constant and valid")
}

#[derive(Default)]
struct Known {
    /// All texts, lower case, separated by newlines.
    texts: String,
    /// Canonical decimals.
    numbers: BTreeSet<String>,
    /// The longest list.
    longest: u64,
}

impl Known {
    fn read(&mut self, value: &Value) {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => self.number(&number.to_string()),
            Value::String(text) => {
                self.texts.push_str(&text.to_lowercase());
                self.texts.push('\n');
                for word in WORD.find_iter(text) {
                    self.number(word.as_str().trim_end_matches(|c: char| c.is_ascii_alphabetic()));
                }
            }
            Value::Array(list) => {
                self.longest = self.longest.max(list.len() as u64);
                self.sums(list);
                list.iter().for_each(|element| self.read(element));
            }
            Value::Object(members) => {
                for (name, member) in members {
                    self.texts.push_str(&name.to_lowercase());
                    self.texts.push('\n');
                    self.read(member);
                }
            }
        }
    }

    /// A decimal and what it is in msat, sat and BTC, each way.
    fn number(&mut self, text: &str) {
        let Some(number) = canonical(text) else { return };
        for shift in [0, 3, -3, 8, -8, 11, -11] {
            self.numbers.insert(shifted(&number, shift));
        }
    }

    /// Sums of each numeric member over a list of objects, whole and by every text that members share.
    fn sums(&mut self, list: &[Value]) {
        let objects: Vec<&Map<String, Value>> = list.iter().filter_map(Value::as_object).collect();
        let Some(first) = objects.first() else { return };
        let names: Vec<&String> =
            first.iter().filter(|(_, value)| value.is_u64()).map(|(name, _)| name).collect();
        let kinds: BTreeSet<(&str, &str)> = objects
            .iter()
            .flat_map(|object| {
                object.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
            })
            .collect();
        for name in names {
            let sum = |keep: &dyn Fn(&Map<String, Value>) -> bool| {
                let amounts = objects
                    .iter()
                    .filter(|object| keep(object))
                    .filter_map(|object| object.get(name)?.as_u64());
                amounts.map(u128::from).sum::<u128>().to_string()
            };
            let mut sums = vec![sum(&|_| true)];
            sums.extend(
                kinds.iter().map(|(kind, text)| {
                    sum(&|object| object.get(*kind).and_then(Value::as_str) == Some(*text))
                }),
            );
            sums.iter().for_each(|sum| self.number(sum));
        }
    }

    fn supports(&self, word: &str) -> bool {
        let bare = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let number = if NUMBER.is_match(word) {
            Some(word)
        } else {
            // `10msat`, `5sats`, `0.5BTC`.
            let unit = word[bare.len()..].to_ascii_lowercase();
            (NUMBER.is_match(bare)
                && ["msat", "sat", "sats", "btc", "s", "ms", "ppm"].contains(&unit.as_str()))
            .then_some(bare)
        };
        let counts = |number: &str| number.parse::<u64>().is_ok_and(|number| number <= self.longest);
        match number.and_then(canonical) {
            Some(number) => {
                // The beginning of a hash may happen to be digits only.
                let is_part = word.len() >= 12 && self.texts.contains(word);
                self.numbers.contains(&number) || counts(&number) || is_part
            }
            None => self.texts.contains(&word.to_lowercase()),
        }
    }
}

/// Without separators, without needless zeros; `None` for what is no decimal.
fn canonical(text: &str) -> Option<String> {
    let plain: String = text.trim().chars().filter(|c| *c != ',').collect();
    let plain = plain.trim_start_matches('-');
    let (whole, fraction) = plain.split_once('.').unwrap_or((plain, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) {
        return None;
    }
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") })
}

/// The decimal with its point moved, exactly.
fn shifted(number: &str, places: i32) -> String {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let padding = "0".repeat(places.unsigned_abs() as usize);
    let moved = if places >= 0 {
        let fraction = format!("{fraction}{padding}");
        let (left, right) = fraction.split_at(padding.len());
        format!("{whole}{left}.{right}")
    } else {
        let whole = format!("{padding}{whole}");
        let (left, right) = whole.split_at(whole.len() - padding.len());
        format!("{left}.{right}{fraction}")
    };
    canonical(&moved).unwrap_or_else(|| number.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_of_the_evidence_are_supported_in_every_spelling() {
        let evidence = [json!({
            "prompt": "pay 10 sat from node 1, label coffee-7",
            "amount_msat": 12_345_678,
            "txid": "2c659ab4",
            "feerate": 0.00001,
            "list": [{"status": "confirmed", "msat": 1_000}, {"status": "confirmed", "msat": 2_000}, {"status": "spent", "msat": 4_000}],
        })];
        let text = "Node 1 paid 10,000 msat (10 sat) of 12345.678 sat, 12,345,678msat, 0.00012345678 BTC; \
                    2c659ab4, coffee-7; 2 of 3 are confirmed: 3,000; all 7,000; rate 0.00001.";
        assert_eq!(unsupported(text, &evidence), [""; 0]);
    }

    #[test]
    fn everything_else_is_named() {
        let evidence = [json!({ "blocks": 120, "id": "02ab" })];
        let text = "Block 121, key 03cd, invoice lnbcrt10n1pxyz, 120 blocks, 02ab.";
        assert_eq!(unsupported(text, &evidence), ["121", "03cd", "lnbcrt10n1pxyz"]);
    }
}
