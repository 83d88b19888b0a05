//! What the words of a request say for certain, to check what a language model made of them.
//!
//! Three checks, each a pure function of the words: [`Evidence::settle`] brings the values of an intent back to what
//! was said, [`Evidence::check_tools`] refuses changes nobody asked for, [`Evidence::check_literals`] refuses values
//! that stand nowhere. Reads are always allowed, and money has no defaults.
//!
//! Literals that need not be said: wallet `shared-wallet`; 1 or 6 blocks beside an open, a close, a fund or a
//! withdraw; 100,000 sat for a channel that is smaller; `any` and `all` where those words stand; blank labels, and
//! labels and descriptions out of the words said and of general ones such as `payment` and `to`; `conf_target` 6, `count` 10, `last_n` 5 or
//! 1; host `0.0.0.0` and `127.0.0.1`, port 9735; 0 and 1 in conditions; booleans; words of the tools' own lists.

mod amount;
#[cfg(test)]
mod corpora;
mod data;
mod facts;
mod gather;
mod key;
mod lexicon;
mod licence;
mod literals;
mod money;
mod permit;
mod settle;
mod stands;
mod words;

pub use gather::Evidence;
pub use licence::Unlicensed;
pub use literals::Ungrounded;
pub use settle::Settled;
