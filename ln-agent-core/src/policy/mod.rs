//! What may be done: the safety gate, limits, certificates.

pub mod gate;
pub mod limits;
