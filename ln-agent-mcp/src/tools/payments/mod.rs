//! Invoices and payments. What may move money looks before it pays and looks again when an answer is unclear.

mod decoded;
mod family;
mod invoice;
mod keysend;
mod labels;
mod listinvoices;
mod pay;
mod record;
mod waitinvoice;

pub use family::tools;
