//! What a language model understood, held against the words themselves.
//!
//! A model reads language; it is not trusted with values. It names *tasks* and copies what the user said beside them:
//! `{"task": "pay", "from_node": 1, "to_node": 2, "amount": "25 sats"}`. [`adopt`] turns tasks into the clauses that
//! the recipes plan, with every number, unit, node and text taken from the prompt and the session, never from the
//! model. Whether the words ask for what comes of it is judged on the plan, by [`evidence`](super::evidence).

mod adopt;
mod agree;
mod condition;
mod form;
mod reader;
mod said;
mod schema;
mod value;

pub use adopt::{Adopted, TaskFault, adopt};
pub use agree::{Agreement, agreement};
pub use said::facts;
pub use schema::task_schema;
