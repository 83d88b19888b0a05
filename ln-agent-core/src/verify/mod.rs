//! Which read answers for which step and intent, with a real predicate.
//!
//! A tool that answered is not yet a goal reached: after every step that changes something, a read-only call looks
//! whether it really did. The table in `table.rs` says which read that is; each family of tools has its predicates in its own file.
//! What cannot be looked at is [`Unavailable`](crate::types::VerificationStatus::Unavailable) and says nothing.

mod channels;
mod confirm;
mod intent;
mod invoices;
mod lifecycle;
mod look;
mod onchain;
mod payments;
mod table;

pub use confirm::{Done, Snapshot, confirm, snapshot};
pub use intent::confirm_intent;
