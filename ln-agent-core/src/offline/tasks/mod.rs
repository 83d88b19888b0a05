//! What a language model understood, held against the words themselves.
//!
//! A model reads language; it is not trusted with values. It names *tasks* and copies what the user said beside them:
//! `{"task": "pay", "from_node": 1, "to_node": 2, "amount": "25 sats"}`. [`adopt`] turns tasks into the clauses that
//! the recipes plan, with every number, unit, node and text taken from the prompt and the session, never from the
//! model. What the words do not ask for is not adopted: a change needs its verb, outside of quotes, plainly commanded.

mod adopt;
mod agree;
mod form;
mod licence;
mod said;
mod schema;
mod value;

pub use adopt::{Adopted, TaskFault, adopt};
pub use agree::{Agreement, agreement};
pub use said::facts;
pub use schema::task_schema;
