//! Why a reply holds no usable JSON.

/// Why a reply holds no usable JSON. The message is meant for the model, too: it says what to write instead.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplyError {
    /// There is no text.
    #[error("the reply is empty: answer with one JSON object")]
    Empty,
    /// There is text, but no JSON value outside of thoughts.
    #[error("the reply has no JSON value: answer with one JSON object and nothing else")]
    NoValue,
    /// The last value ends before its last bracket.
    #[error("the JSON value is cut off: it opens at line {line} and is never closed; answer shorter")]
    Truncated {
        /// Line of the opening bracket, from 1.
        line: usize,
    },
    /// The value breaks the grammar beyond repair.
    #[error("the JSON is malformed at line {line}, column {column}: expected {expected}")]
    Malformed {
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// What could have stood there.
        expected: &'static str,
    },
    /// The value is nested more than 128 levels deep.
    #[error("the JSON is nested deeper than 128 levels")]
    TooDeep,
    /// The value is no object.
    #[error("the reply is {found}: answer with one JSON object")]
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
}
