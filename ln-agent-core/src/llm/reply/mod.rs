//! Finds and repairs the one JSON value in a model's prose.
//!
//! A reply that is strict JSON is returned as it is. Otherwise the text is read once, from left to right, outside
//! and inside of values by different rules, so nothing inside a string is ever taken for a fence, a tag, a comment
//! or a sum.
//!
//! Which value is meant:
//! - What stands between `<think>` and `</think>` never counts. A closing tag without an opening one ends a thought
//!   that began with the reply. A thought that is never closed counts only when it ends with a value.
//! - A value in a code fence beats one in prose, a filled one beats `{}` and `[]`, an object beats a list; of equals
//!   the last one counts: models correct themselves downwards.
//! - A part of a value that could not be read never counts: brackets that do not parse are stepped over as a whole.
//!
//! What is repaired inside a value: comments, single quotes, trailing commas, a missing comma before a key, a string
//! or a bracket, unquoted keys, `True` `False` `None`, raw line breaks and unknown escapes in strings, underscores in
//! whole numbers, and sums and products of whole numbers such as `10000 * 1000`. A minus or a slash is not
//! calculated: `2026-12-01` is a date, not a difference. A name that occurs twice in an object has its last value,
//! as in [`serde_json`].
//!
//! What is not: a value that ends before it is closed. No bracket is ever invented, because what is missing may be
//! the step that mattered.
//!
//! [`tool_calls`] finds calls that a model wrote as text, among the same values.

mod error;
mod find;
mod scalar;
mod tolerant;
mod tool_call;

pub use error::ReplyError;
pub use find::{object, value};
pub use tool_call::tool_calls;
