//! One request to the pipeline.

use std::fmt;

use crate::observe::Observer;
use crate::stage::translator;
use crate::types::Exchange;

/// A prompt with what belongs to it.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// What the user typed.
    pub prompt: &'a str,
    /// Number of the request within its runtime directory.
    pub request_id: u64,
    /// Earlier exchanges of the session, oldest first.
    pub history: &'a [Exchange],
    /// Who watches this run, besides the pipeline's own observer.
    pub observer: Option<&'a dyn Observer>,
}

/// Why no run took place.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// There is nothing in it.
    #[error("the prompt is empty: say what you want, for example \"what is the block height?\"")]
    Empty,
    /// It is longer than a sentence can be.
    #[error("the prompt has {bytes} bytes: at most {limit} are read")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The most that is read.
        limit: usize,
    },
    /// It holds a character that no keyboard types.
    #[error("the prompt has the control character U+{code:04X} at byte {position}: remove it")]
    ControlCharacter {
        /// The character's code.
        code: u32,
        /// Where it stands.
        position: usize,
    },
}

impl<'a> Ask<'a> {
    /// The longest prompt in bytes: a few sentences, not a book.
    pub const MAX_PROMPT_BYTES: usize = translator::MAX_PROMPT_BYTES;

    /// The first request, without history.
    #[must_use]
    pub const fn new(prompt: &'a str) -> Self {
        Self { prompt, request_id: 1, history: &[], observer: None }
    }

    /// Refuses what is no sentence.
    ///
    /// # Errors
    ///
    /// [`AskError`] for an empty or too long prompt, and for control characters.
    pub fn check(&self) -> Result<(), AskError> {
        if self.prompt.trim().is_empty() {
            return Err(AskError::Empty);
        }
        if self.prompt.len() > Self::MAX_PROMPT_BYTES {
            return Err(AskError::TooLong { bytes: self.prompt.len(), limit: Self::MAX_PROMPT_BYTES });
        }
        let control = self.prompt.char_indices().find(|(_, c)| translator::is_forbidden(*c));
        match control {
            Some((position, c)) => Err(AskError::ControlCharacter { code: u32::from(c), position }),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Ask<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask")
            .field("prompt", &self.prompt)
            .field("request_id", &self.request_id)
            .field("history", &self.history)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sentences_are_let_in() {
        let limit = Ask::MAX_PROMPT_BYTES;
        let long = "x".repeat(limit + 1);
        let cases = [
            (" \n", Err(AskError::Empty)),
            (long.as_str(), Err(AskError::TooLong { bytes: limit + 1, limit })),
            ("a\0b", Err(AskError::ControlCharacter { code: 0, position: 1 })),
            ("line one\n\tline two", Ok(())),
        ];
        for (prompt, expected) in cases {
            assert_eq!(Ask::new(prompt).check(), expected);
        }
    }
}
