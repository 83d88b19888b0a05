//! Conditions and repetition of a step: can they be decided, and do they end?

use regex_lite::Regex;
use serde_json::{Value, json};

use super::fault::PlanFault;
use crate::types::{Condition, ForEach, Op, Placeholder, PlaceholderRoot, PlanStep};

/// Most elements a step may ever run for.
const MAX_ELEMENTS: u32 = 1_000;

/// Every condition compares a placeholder in a way that can be decided; repetition reads a list and is bounded.
pub(super) fn check(step: &PlanStep) -> Result<(), PlanFault> {
    let filter = step.for_each.iter().flat_map(|for_each| &for_each.filter);
    for condition in step.when.iter().chain(filter) {
        let op = condition.op.name().to_owned();
        malformed(condition)
            .map_or(Ok(()), |reason| Err(PlanFault::Condition { step: step.step_id, op, reason }))?;
    }
    let Some(for_each) = &step.for_each else { return Ok(()) };
    endless(for_each)
        .map_or(Ok(()), |reason| Err(PlanFault::Repetition { step: step.step_id, reason: reason.to_owned() }))
}

fn malformed(condition: &Condition) -> Option<String> {
    let Condition { left, op, right } = condition;
    if matches!(op, Op::Delta) {
        return Some("it compares two moments, which a plan cannot".to_owned());
    }
    if matches!(op, Op::Exists | Op::Absent) {
        return if !right.is_null() {
            Some("it takes no right side".to_owned())
        } else if is_placeholder(left) {
            None
        } else {
            Some("its left side must be a placeholder".to_owned())
        };
    }
    if left.is_null() || right.is_null() {
        return Some("it needs a left and a right side".to_owned());
    }
    if !is_placeholder(left) && !is_placeholder(right) {
        return Some("it compares two fixed values; one side must be a placeholder".to_owned());
    }
    if !is_placeholder(right) {
        wrong_right(*op, right)
    } else if matches!(op, Op::Less | Op::LessOrEqual | Op::Greater | Op::GreaterOrEqual)
        && !is_placeholder(left)
    {
        op.holds(Some(left), &json!(0)).err().map(|error| error.to_string())
    } else {
        None
    }
}

/// What a fixed right side lacks, found by comparing a value that suits the operation.
fn wrong_right(op: Op, right: &Value) -> Option<String> {
    match op {
        Op::Less | Op::LessOrEqual | Op::Greater | Op::GreaterOrEqual => {
            op.holds(Some(&json!(0)), right).err().map(|error| error.to_string())
        }
        Op::Len => match right.as_u64() {
            Some(_) => None,
            None => Some(format!("a length is a whole number from 0, not {right}")),
        },
        Op::Matches => match right.as_str().map(Regex::new) {
            Some(Ok(_)) => None,
            _ => Some(format!("{right} is not a regular expression")),
        },
        _ => None,
    }
}

fn endless(for_each: &ForEach) -> Option<&'static str> {
    match Placeholder::parse(&for_each.list) {
        Ok(Some(list)) if list.root == PlaceholderRoot::Item => Some("`in` cannot be $item"),
        Ok(Some(list)) if list.path.is_length() => Some("`in` must be a list, not a length"),
        Ok(Some(_)) if for_each.max == 0 => Some("`max` must be at least 1"),
        Ok(Some(_)) if for_each.max > MAX_ELEMENTS => Some("`max` must be at most 1,000"),
        Ok(Some(_)) => None,
        _ => Some("`in` must be a placeholder of a list, such as $step1.result.payload.channels"),
    }
}

/// Begins like one; whether it is one is checked with the other references.
fn is_placeholder(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with('$'))
}
