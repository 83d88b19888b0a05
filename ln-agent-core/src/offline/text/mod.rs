//! From characters to words: tokens, spelling, phrases.

mod label;
mod number;
mod phrase;
mod scan;
mod special;
mod spell;
mod token;

pub(super) use number::Decimal;
pub(super) use token::{Kind, Token};

/// The prompt as tokens: words lower-case, spelled and put into their canonical form; quoted text untouched.
pub(super) fn read(prompt: &str) -> Vec<Token> {
    let mut tokens = scan::scan(prompt);
    spell::correct(&mut tokens);
    label::quote_free_text(prompt, &phrase::rewrite(&number::join(&tokens)))
}
