//! What may be done: the safety gate, limits, certificates.

mod bolt11;
pub mod certificate;
pub mod gate;
pub mod limits;
mod price;

pub use bolt11::invoice_amount;
