//! What may be done: the safety gate, limits, certificates.

mod bolt11;
mod certificate;
mod price;

pub use bolt11::invoice_amount;
pub use certificate::certify;
