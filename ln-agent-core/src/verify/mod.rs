//! Which read answers for which step and intent, with a real predicate.
