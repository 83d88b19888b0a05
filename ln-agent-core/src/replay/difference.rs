//! Showing where a replay leaves its record.

use std::fmt;

use serde_json::Value;

/// One point at which a replay is not as recorded.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Mismatch {
    /// Which exchange, and what is wrong with it.
    pub what: String,
    /// The lines that differ: `-` as recorded, `+` as it is now. Empty where there is nothing to compare.
    pub difference: String,
}

impl Mismatch {
    pub(super) fn new(what: impl Into<String>, difference: impl Into<String>) -> Self {
        Self { what: what.into(), difference: difference.into() }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if self.difference.is_empty() { Ok(()) } else { write!(f, "\n{}", self.difference) }
    }
}

/// The lines in which two JSON values differ: `-` as recorded, `+` as it is now. Empty for equal values.
///
/// Long texts are compared line by line, and of long lines only the part that differs is shown.
///
/// # Examples
///
/// ```
/// use ln_agent_core::replay::difference;
/// use serde_json::json;
///
/// let shown = difference(&json!({ "node": 1, "to": "a" }), &json!({ "node": 2, "to": "a" }));
/// assert_eq!(shown, "-   \"node\": 1,\n+   \"node\": 2,\n");
/// ```
#[must_use]
pub fn difference(recorded: &Value, now: &Value) -> String {
    let (old, new) = (lines(recorded), lines(now));
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[same..], &new[same..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let changes = changes(old, new);
    let mut shown = String::new();
    for (count, change) in changes.iter().enumerate() {
        if count == MOST_LINES {
            shown.push_str(&format!("… and {} lines more\n", changes.len() - count));
            break;
        }
        let (sign, line, start) = *change;
        shown.push_str(&format!("{sign} {}\n", window(line, start)));
    }
    shown
}

/// A changed line with its sign, and the place of its first difference from the line it stands for.
type Change<'a> = (char, &'a str, usize);

/// What was taken out and put in, in order.
fn changes<'a>(old: &'a [String], new: &'a [String]) -> Vec<Change<'a>> {
    let common = if old.len() * new.len() <= MOST_CELLS { common(old, new) } else { Vec::new() };
    let mut changes = Vec::new();
    let (mut at_old, mut at_new) = (0, 0);
    for (next_old, next_new) in common.into_iter().chain([(old.len(), new.len())]) {
        let (out, put) = (&old[at_old..next_old], &new[at_new..next_new]);
        let start = |index: usize| match (out.get(index), put.get(index)) {
            (Some(old), Some(new)) => {
                old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count()
            }
            _ => 0,
        };
        changes.extend(out.iter().enumerate().map(|(index, line)| ('-', line.as_str(), start(index))));
        changes.extend(put.iter().enumerate().map(|(index, line)| ('+', line.as_str(), start(index))));
        (at_old, at_new) = (next_old + 1, next_new + 1);
    }
    changes
}

/// Places of a longest common subsequence.
fn common(old: &[String], new: &[String]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    let mut longest = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            longest[i * width + j] = if old[i] == new[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            found.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}

fn lines(value: &Value) -> Vec<String> {
    let text = serde_json::to_string_pretty(value).expect("a JSON value can be written");
    // A prompt is one text of many lines; as one line of JSON its difference would be hard to see.
    text.replace("\\n", "\\n\n").lines().map(str::to_owned).collect()
}

/// The part of a long line that differs.
fn window(line: &str, start: usize) -> String {
    let length = line.chars().count();
    if length <= LINE_CHARS {
        return line.to_owned();
    }
    let from = start.saturating_sub(LINE_CHARS / 3);
    let part: String = line.chars().skip(from).take(LINE_CHARS).collect();
    let (head, tail) = (if from > 0 { "…" } else { "" }, if from + LINE_CHARS < length { "…" } else { "" });
    format!("{head}{part}{tail}")
}

/// More lines say no more about the cause.
const MOST_LINES: usize = 40;
/// Longer lines are cut.
const LINE_CHARS: usize = 160;
/// Beyond this many comparisons everything between the first and the last difference is shown.
const MOST_CELLS: usize = 4_000_000;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::difference;

    #[test]
    fn only_what_differs_is_shown() {
        let old = json!({ "a": [1, 2, 3], "text": "one\ntwo\nthree", "z": true });
        let new = json!({ "a": [1, 3, 4], "text": "one\n2\nthree", "z": true });

        assert_eq!(difference(&old, &old), "");
        assert_eq!(difference(&old, &new), "-     2,\n-     3\n+     3,\n+     4\n- two\\n\n+ 2\\n\n");
    }

    #[test]
    fn of_a_long_line_the_differing_part_is_shown() {
        let old = json!(format!("{}old{}", "x".repeat(500), "y".repeat(500)));
        let new = json!(format!("{}new{}", "x".repeat(500), "y".repeat(500)));

        let shown = difference(&old, &new);

        assert!(shown.contains("xold") && shown.contains("xnew") && shown.len() < 400, "{shown}");
    }
}
