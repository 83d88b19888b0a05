//! One JSON Schema in, the form that a provider accepts out, and the answer back in the form that was asked for.
//!
//! Our stages and tools write JSON Schema 2020-12. No provider takes all of it, and each refuses something else, so
//! [`lower`] rewrites a schema for a [`Dialect`]:
//!
//! - References are inlined, `allOf` is merged, `oneOf` becomes `anyOf`, missing types are filled in.
//! - What only describes the schema (`$schema`, `title`, `default`, formats of numbers) is dropped.
//! - A constraint that the dialect lacks moves into `description`, in words. It is checked here all the same, when
//!   the arguments or the answer are parsed.
//! - Properties keep their order: models answer in it.
//!
//! What cannot be said at all is a [`SchemaError`] that names the place. A map with free names, for example, has no
//! strict form: the caller then decides to use [`Dialect::OpenAiLoose`], and knows that nothing is enforced. That
//! decision is never taken silently.
//!
//! A strict schema has no optional members: they are required and may be `null`. [`raise`] takes those nulls out of
//! an answer again.

mod choices;
mod dialect;
mod error;
mod expand;
mod lower;
mod merge;
mod raise;
mod size;
mod words;

pub use dialect::Dialect;
pub use error::SchemaError;
pub use lower::lower;
pub use raise::raise;
