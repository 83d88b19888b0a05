//! Does an answer state things that nobody said?

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex_lite::Regex;
use serde_json::Value;

use crate::types::PipelineResult;

/// Every number, transaction id, invoice, node id and address of the answer that stands neither in the results, the
/// verification, the prompt nor the plan.
///
/// A number may be formatted (`1,234`), counted (the length of a list), converted between msat, sat and BTC, or have
/// its trailing zeros dropped.
#[must_use]
pub fn fabricated(result: &PipelineResult) -> Vec<String> {
    let mut known = Known::default();
    known.read(&serde_json::to_value(&result.step_results).unwrap_or_default());
    known.read(&serde_json::to_value(&result.verification).unwrap_or_default());
    known.read(&serde_json::to_value(&result.plan).unwrap_or_default());
    known.read(&serde_json::to_value(&result.intent).unwrap_or_default());
    if let Some(error) = &result.error {
        known.text(error);
    }
    known.number(&result.step_results.len().to_string());
    words(&result.content).into_iter().filter(|word| !known.has(word)).collect()
}

/// Words that could be made up: with a digit, and long enough to mean something.
fn words(text: &str) -> Vec<String> {
    static WORD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"[0-9A-Za-z][0-9A-Za-z_,.]*").expect("the pattern is a constant and valid")
    });
    let found = WORD.find_iter(text).map(|word| word.as_str().trim_end_matches([',', '.']).to_owned());
    found.filter(|word| word.bytes().any(|byte| byte.is_ascii_digit())).collect()
}

#[derive(Default)]
struct Known {
    numbers: BTreeSet<String>,
    texts: Vec<String>,
}

impl Known {
    fn read(&mut self, value: &Value) {
        match value {
            Value::Number(number) => self.number(&number.to_string()),
            Value::String(text) => self.text(text),
            Value::Array(list) => {
                self.number(&list.len().to_string());
                list.iter().for_each(|element| self.read(element));
            }
            Value::Object(object) => object.iter().for_each(|(key, member)| {
                self.texts.push(key.to_lowercase());
                self.read(member);
            }),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn text(&mut self, text: &str) {
        words(text).iter().for_each(|word| self.number(word));
        self.texts.push(text.to_lowercase());
    }

    /// The number, and what it is in the neighbouring units: a thousand msat to the sat, 10^8 sat to the bitcoin.
    fn number(&mut self, text: &str) {
        let Some((digits, point)) = decimal(text) else { return };
        for shift in [0_i32, 3, -3, 8, -8, 11, -11] {
            self.numbers.insert(shifted(&digits, point + shift));
        }
    }

    fn has(&self, word: &str) -> bool {
        if let Some((digits, point)) = decimal(word) {
            if self.numbers.contains(&shifted(&digits, point)) {
                return true;
            }
        }
        let word = word.to_lowercase();
        self.texts.iter().any(|text| text.contains(&word)) || self.counted(&word)
    }

    /// `10000msat` and the like: a number with its unit.
    fn counted(&self, word: &str) -> bool {
        let number = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = &word[number.len()..];
        matches!(unit, "msat" | "sat" | "sats" | "btc" | "s" | "st" | "nd" | "rd" | "th" | "k")
            && decimal(number).is_some_and(|(digits, point)| self.numbers.contains(&shifted(&digits, point)))
    }
}

/// The digits of a number and where its point stands, commas between thousands left out.
fn decimal(text: &str) -> Option<(String, i32)> {
    let plain = text.replace([',', '_'], "");
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let digits = format!("{whole}{fraction}");
    let numeric =
        !digits.is_empty() && digits.len() <= 40 && digits.bytes().all(|byte| byte.is_ascii_digit());
    numeric.then(|| (digits, i32::try_from(whole.len()).unwrap_or_default()))
}

/// One text for equal numbers: digits without zeros at either end, and the place of the point.
fn shifted(digits: &str, point: i32) -> String {
    let leading = digits.len() - digits.trim_start_matches('0').len();
    let significant = digits.trim_matches('0');
    if significant.is_empty() {
        return "0".to_owned();
    }
    format!("{significant}e{}", point - i32::try_from(leading).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(values: &[Value]) -> Known {
        let mut known = Known::default();
        values.iter().for_each(|value| known.read(value));
        known
    }

    #[test]
    fn a_number_counts_in_every_unit_and_format() {
        let known =
            known(&[serde_json::json!({ "amount_msat": 10_000, "blocks": 1_234, "list": [7, 8, 9] })]);
        for word in ["10,000", "10000", "10", "10sat", "1234", "1,234", "0.0000001", "3"] {
            assert!(known.has(word), "{word}");
        }
        for word in ["10001", "1,235", "11", "02ab34"] {
            assert!(!known.has(word), "{word}");
        }
    }

    #[test]
    fn words_are_found_without_their_punctuation() {
        assert_eq!(words("Block 1,234. Paid lnbcrt1x, done; v2."), ["1,234", "lnbcrt1x", "v2"]);
    }
}
