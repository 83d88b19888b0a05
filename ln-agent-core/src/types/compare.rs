//! How conditions compare: numbers exactly, never as floats.

use std::cmp::Ordering;

use serde_json::Value;

use super::Op;

/// Why a comparison has no answer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConditionError {
    /// The left side is not there.
    #[error("there is no value to compare")]
    Missing,
    /// A number was needed.
    #[error("{0} is not a number that can be compared exactly")]
    NotANumber(String),
    /// The sides do not go with the operation.
    #[error("`{op}` cannot look at {left}: expected {expected}")]
    WrongKind {
        /// The operation.
        op: &'static str,
        /// What came.
        left: String,
        /// What would do.
        expected: &'static str,
    },
    /// The right side of `matches` is no regular expression.
    #[error("`{0}` is not a regular expression")]
    BadPattern(String),
    /// `delta` compares two moments; see [`Op::grew_by`].
    #[error("`delta` needs the value before the run: it stands in batteries only")]
    Delta,
}

impl Op {
    /// Whether the comparison holds; `left` is `None` when nothing stands at its place.
    ///
    /// # Errors
    ///
    /// [`ConditionError`] when the values cannot be compared this way.
    ///
    /// # Examples
    ///
    /// ```
    /// # use ln_agent_core::types::Op;
    /// # use serde_json::json;
    /// assert_eq!(Op::Less.holds(Some(&json!(3)), &json!(5)), Ok(true));
    /// assert_eq!(Op::Absent.holds(None, &json!(null)), Ok(true));
    /// assert!(Op::Less.holds(Some(&json!("many")), &json!(5)).is_err());
    /// ```
    pub fn holds(self, left: Option<&Value>, right: &Value) -> Result<bool, ConditionError> {
        let present = || left.ok_or(ConditionError::Missing);
        match self {
            Self::Exists => Ok(left.is_some_and(|value| !value.is_null())),
            Self::Absent => Ok(left.is_none_or(Value::is_null)),
            Self::Equal => Ok(equal(present()?, right)),
            Self::NotEqual => Ok(!equal(present()?, right)),
            Self::Less => ordering(present()?, right).map(Ordering::is_lt),
            Self::LessOrEqual => ordering(present()?, right).map(Ordering::is_le),
            Self::Greater => ordering(present()?, right).map(Ordering::is_gt),
            Self::GreaterOrEqual => ordering(present()?, right).map(Ordering::is_ge),
            Self::Len => has_length(present()?, right),
            Self::Contains => contains(present()?, right),
            Self::Matches => matches(present()?, right),
            Self::Delta => Err(ConditionError::Delta),
        }
    }

    /// Whether `after` is exactly `by` more than `before`: what [`Op::Delta`] means.
    ///
    /// # Errors
    ///
    /// [`ConditionError::NotANumber`] when one of the three is none.
    pub fn grew_by(before: &Value, after: &Value, by: &Value) -> Result<bool, ConditionError> {
        let grown = number(after)?.checked_sub(number(before)?);
        Ok(grown == Some(number(by)?))
    }

    /// Its name in plans and batteries.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Len => "len",
            Self::Contains => "contains",
            Self::Matches => "matches",
            Self::Delta => "delta",
            Self::Exists => "exists",
            Self::Absent => "absent",
        }
    }
}

fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        // Two texts are compared as texts: "00" is not "0". With a number on one side, both are numbers.
        (Value::Number(_), Value::Number(_) | Value::String(_)) | (Value::String(_), Value::Number(_)) => {
            match (exact(left), exact(right)) {
                (Some(left), Some(right)) => left == right,
                _ => left == right,
            }
        }
        _ => left == right,
    }
}

fn ordering(left: &Value, right: &Value) -> Result<Ordering, ConditionError> {
    Ok(number(left)?.cmp(&number(right)?))
}

fn has_length(left: &Value, right: &Value) -> Result<bool, ConditionError> {
    let length = match left {
        Value::Array(list) => list.len(),
        Value::Object(object) => object.len(),
        Value::String(text) => text.chars().count(),
        _ => return Err(wrong_kind(Op::Len, left, "a list, an object or a text")),
    };
    Ok(number(&length.into())? == number(right)?)
}

fn contains(left: &Value, right: &Value) -> Result<bool, ConditionError> {
    match (left, right) {
        (Value::Array(list), _) => Ok(list.iter().any(|element| equal(element, right))),
        (Value::String(text), Value::String(part)) => Ok(text.contains(part.as_str())),
        (Value::String(_), _) => Err(wrong_kind(Op::Contains, right, "a text within a text")),
        _ => Err(wrong_kind(Op::Contains, left, "a list or a text")),
    }
}

fn matches(left: &Value, right: &Value) -> Result<bool, ConditionError> {
    let Value::String(text) = left else { return Err(wrong_kind(Op::Matches, left, "a text")) };
    let bad = || ConditionError::BadPattern(shown(right));
    let pattern = right.as_str().ok_or_else(bad)?;
    Ok(regex_lite::Regex::new(pattern).map_err(|_| bad())?.is_match(text))
}

fn wrong_kind(op: Op, left: &Value, expected: &'static str) -> ConditionError {
    ConditionError::WrongKind { op: op.name(), left: shown(left), expected }
}

fn number(value: &Value) -> Result<i128, ConditionError> {
    exact(value).ok_or_else(|| ConditionError::NotANumber(shown(value)))
}

/// The first characters of a value, for messages.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 { text } else { text.chars().take(60).chain(['…']).collect() }
}

/// Fraction digits that are kept: 20 digits of a `u64` and these fill an `i128`.
const SCALE: usize = 18;

/// A number, or the decimal text of one, times 10^[`SCALE`]. The text of a JSON number is exact where its float
/// would not be: bitcoind's amounts have at most 16 digits.
fn exact(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) => scaled(&number.to_string()),
        Value::String(text) => scaled(text),
        _ => None,
    }
}

fn scaled(text: &str) -> Option<i128> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (sign, magnitude) = mantissa.strip_prefix('-').map_or((1, mantissa), |rest| (-1, rest));
    let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let number: i128 = format!("{whole}{fraction}").parse().ok()?;
    let shift =
        i32::try_from(SCALE).ok()?.checked_add(exponent)?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    if number == 0 {
        return Some(0);
    }
    let shift = u32::try_from(shift).ok()?;
    number.checked_mul(10_i128.checked_pow(shift)?)?.checked_mul(sign)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::needless_pass_by_value, reason = "json! literals read best as values")]

    use serde_json::json;

    use super::*;

    fn holds(left: Value, op: Op, right: Value) -> bool {
        op.holds(Some(&left), &right).unwrap()
    }

    #[test]
    fn numbers_are_compared_exactly() {
        assert!(holds(json!(u64::MAX), Op::Greater, json!(u64::MAX - 1)));
        assert!(holds(json!(9_007_199_254_740_993_u64), Op::NotEqual, json!(9_007_199_254_740_992_u64)));
        assert!(holds(json!(0.00000001), Op::Equal, json!("0.00000001")));
        assert!(holds(json!(0.1), Op::Less, json!(0.10000001)));
        assert!(holds(json!(1), Op::Equal, json!(1.0)));
        assert!(holds(json!("10"), Op::Equal, json!(10)));
        assert!(holds(json!("50.00000000"), Op::GreaterOrEqual, json!(50)));
        assert!(holds(json!(-3), Op::LessOrEqual, json!(-2.5)));
        assert!(holds(json!([1, 2.0]), Op::Equal, json!([1.0, 2])));
        assert!(holds(json!("00"), Op::NotEqual, json!("0")));
    }

    #[test]
    fn what_is_no_number_is_not_ordered() {
        for left in
            [json!("many"), json!(null), json!([1]), json!(true), json!(""), json!("1,000"), json!("0x10")]
        {
            assert!(
                matches!(Op::Less.holds(Some(&left), &json!(5)), Err(ConditionError::NotANumber(_))),
                "{left}"
            );
        }
        assert_eq!(Op::Equal.holds(None, &json!(5)), Err(ConditionError::Missing));
        assert_eq!(Op::Delta.holds(Some(&json!(1)), &json!(5)), Err(ConditionError::Delta));
    }

    #[test]
    fn lengths_parts_and_patterns_are_seen() {
        assert!(holds(json!([1, 2]), Op::Len, json!(2)));
        assert!(holds(json!("äöü"), Op::Len, json!(3)));
        assert!(holds(json!([1, 2]), Op::Contains, json!(2.0)));
        assert!(holds(json!("CHANNELD_NORMAL"), Op::Contains, json!("NORMAL")));
        assert!(holds(json!("lnbcrt10n1"), Op::Matches, json!("^lnbcrt[0-9]+")));
        assert!(!holds(json!("bcrt1q"), Op::Matches, json!("^lnbcrt")));
        assert!(Op::Matches.holds(Some(&json!("x")), &json!("(")).is_err());
        assert!(Op::Contains.holds(Some(&json!(1)), &json!(1)).is_err());
        assert!(Op::Len.holds(Some(&json!(1)), &json!(1)).is_err());
    }

    #[test]
    fn null_counts_as_absent() {
        assert_eq!(Op::Exists.holds(Some(&json!(null)), &json!(null)), Ok(false));
        assert_eq!(Op::Absent.holds(Some(&json!(null)), &json!(null)), Ok(true));
        assert_eq!(Op::Exists.holds(Some(&json!(0)), &json!(null)), Ok(true));
        assert_eq!(Op::Absent.holds(None, &json!(null)), Ok(true));
    }

    #[test]
    fn growth_is_exact() {
        assert_eq!(Op::grew_by(&json!(106), &json!(112), &json!(6)), Ok(true));
        assert_eq!(Op::grew_by(&json!(0.1), &json!(0.3), &json!(0.2)), Ok(true), "floats would say no");
        assert_eq!(Op::grew_by(&json!(5), &json!(3), &json!(-2)), Ok(true));
        assert!(Op::grew_by(&json!(null), &json!(3), &json!(3)).is_err());
    }
}
