//! The smallest parts of a prompt that mean something.

use super::Decimal;

/// A part of the prompt and the bytes it came from.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::offline) struct Token {
    /// What it is.
    pub(in crate::offline) kind: Kind,
    /// First byte.
    pub(in crate::offline) start: usize,
    /// Byte after the last.
    pub(in crate::offline) end: usize,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::offline) enum Kind {
    /// A word, lower-case.
    Word(String),
    /// A number without its unit.
    Number(Decimal),
    /// `first`, `2nd`.
    Ordinal(u32),
    /// What stood between quotes: data, never grammar.
    Quoted(String),
    /// A BOLT 11 invoice.
    Bolt11(String),
    /// A BOLT 12 invoice (`lni1…`).
    Bolt12Invoice(String),
    /// A BOLT 12 offer.
    Offer(String),
    /// An on-chain address.
    Address(String),
    /// 64 hexadecimal digits: a transaction or payment hash.
    Hash(String),
    /// 66 hexadecimal digits beginning with 02 or 03.
    Pubkey(String),
    /// Anything with a scheme.
    Url(String),
    /// An IP address, or a host with a port.
    Host(String, Option<u16>),
    /// Punctuation: `,` `;` `.` `:` `?` `!` `(` `)` `-`; `>` is an arrow, `;` also stands for a line break.
    Mark(char),
}

impl Token {
    /// The word it is, if it is one.
    pub(in crate::offline) fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Whether it is this word.
    pub(in crate::offline) fn is(&self, word: &str) -> bool {
        self.word() == Some(word)
    }
}
