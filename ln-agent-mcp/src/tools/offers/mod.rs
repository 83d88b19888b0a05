//! BOLT 12: offers that can be paid again and again, and the invoices fetched for them.

mod family;
mod fetchinvoice;
mod offer;

pub use family::tools;
