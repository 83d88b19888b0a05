//! Why a schema has no form in a dialect.

/// Why a schema has no form in a dialect. Places are written like `steps[].args`; the schema itself is `(root)`.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// Members or items that may be anything cannot be enforced. [`Dialect::OpenAiLoose`](super::Dialect::OpenAiLoose)
    /// can show them.
    #[error("{path} may hold anything, which cannot be strict")]
    FreeForm {
        /// Where.
        path: String,
    },
    /// The outermost schema must be one object, not a choice and not another type.
    #[error("the outermost schema is not one object")]
    RootNotObject,
    /// A reference that leads nowhere in this schema.
    #[error("{path} refers to `{reference}`, which is not in the schema")]
    UnknownReference {
        /// Where.
        path: String,
        /// The reference.
        reference: String,
    },
    /// A type that holds itself: inlining would never end.
    #[error("{path} refers to `{reference}`, in which it stands")]
    Recursive {
        /// Where.
        path: String,
        /// The reference.
        reference: String,
    },
    /// More levels than a provider takes.
    #[error("{path} is nested deeper than {limit} levels")]
    TooDeep {
        /// Where.
        path: String,
        /// Most levels.
        limit: usize,
    },
    /// More of something than a provider takes, references inlined.
    #[error("the schema has more than {limit} {what}")]
    TooLarge {
        /// Of what, such as `properties`.
        what: &'static str,
        /// Most of them.
        limit: usize,
    },
    /// Two parts that must both hold say different things.
    #[error("{path} has two different `{keyword}` that cannot both hold")]
    Conflict {
        /// Where.
        path: String,
        /// On what they disagree.
        keyword: String,
    },
    /// A keyword has a value that JSON Schema does not give it.
    #[error("`{keyword}` at {path} has a value that no schema gives it")]
    Malformed {
        /// Where.
        path: String,
        /// The keyword; `false` for a schema that nothing fulfils.
        keyword: String,
    },
}
