//! The words of a model on their way to the user: shown as they come, and only as far as the run bears them out.

use std::sync::{Mutex, PoisonError};

use crate::observe::Observer;
use crate::offline::answer::Support;
use crate::types::RunEvent;

/// Lets text through word by word, behind a beginning that was computed.
pub(super) struct Shown<'a> {
    observer: &'a dyn Observer,
    support: Support,
    /// What stands before the model's words; nothing where they begin with it themselves.
    beginning: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    text: String,
    /// Bytes of `text` that were let through.
    shown: usize,
    begun: bool,
    /// What nobody told the model; after that nothing more is let through.
    invented: Vec<String>,
}

/// What became of a text.
pub(super) enum Ended {
    /// All of it was let through, behind its beginning.
    Whole(String),
    /// It states what nobody told the model. Whether some of it was shown is known.
    Invented { words: Vec<String>, shown: bool },
}

impl<'a> Shown<'a> {
    pub(super) fn new(observer: &'a dyn Observer, support: Support, beginning: String) -> Self {
        Self { observer, support, beginning, state: Mutex::default() }
    }

    /// Takes the next piece. What ends within a word waits for the rest of it: half a number is another number.
    pub(super) fn take(&self, piece: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.text.push_str(piece);
        let ready = state.text.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        self.release(&mut state, ready);
    }

    /// Whether anything was let through.
    pub(super) fn has_begun(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).begun
    }

    /// The text is at its end; `rest` stands behind it.
    pub(super) fn end(self, rest: &str) -> Ended {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = state.text.trim_end().len().max(state.shown);
        state.text.truncate(kept);
        let end = state.text.len();
        self.release(&mut state, end);
        if !state.invented.is_empty() {
            return Ended::Invented { words: std::mem::take(&mut state.invented), shown: state.begun };
        }
        if !rest.is_empty() {
            self.observer.observe(&RunEvent::Token { text: rest.to_owned() });
        }
        let beginning = self.missing_beginning(&state.text);
        Ended::Whole(format!("{beginning}{}{rest}", state.text.trim_start()))
    }

    fn release(&self, state: &mut State, ready: usize) {
        let waits = !state.begun && self.beginning.starts_with(state.text.trim()) && ready < state.text.len();
        if ready <= state.shown || !state.invented.is_empty() || waits {
            return;
        }
        let part = state.text[state.shown..ready].to_owned();
        let invented = self.support.missing(&part);
        if !invented.is_empty() {
            state.invented = invented;
            return;
        }
        let mut text = part;
        if !state.begun {
            text = format!("{}{}", self.missing_beginning(&state.text), text.trim_start());
            if text.is_empty() {
                return;
            }
        }
        state.begun = true;
        state.shown = ready;
        self.observer.observe(&RunEvent::Token { text });
    }

    fn missing_beginning(&self, text: &str) -> &str {
        if text.trim_start().starts_with(self.beginning.trim_end()) { "" } else { &self.beginning }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::observe::Collector;

    fn show(beginning: &str, pieces: &[&str]) -> (Option<String>, String) {
        let seen = Collector::default();
        let support = Support::of(&[json!({"blocks": 1234, "amount_msat": 5000})]);
        let shown = Shown::new(&seen, support, beginning.to_owned());
        pieces.iter().for_each(|piece| shown.take(piece));
        let whole = match shown.end("") {
            Ended::Whole(text) => Some(text),
            Ended::Invented { .. } => None,
        };
        let tokens = seen.events().into_iter().filter_map(|event| match event {
            RunEvent::Token { text } => Some(text),
            _ => None,
        });
        (whole, tokens.collect())
    }

    #[test]
    fn what_is_shown_is_what_is_kept() {
        for pieces in [
            &["The height is ", "12", "34", " blocks.\n"][..],
            &["The height is 1234 blocks."],
            &["", "The", " height is 1,234"],
        ] {
            let (whole, tokens) = show("", pieces);
            assert_eq!(whole.as_deref(), Some(tokens.as_str()), "{pieces:?}");
        }
    }

    #[test]
    fn a_number_that_nobody_told_is_never_shown_not_even_its_start() {
        let (whole, tokens) = show("", &["The height is 12", "35 ", "blocks."]);
        assert_eq!((whole, tokens.as_str()), (None, "The height is "));
    }

    #[test]
    fn a_computed_beginning_stands_first_and_once() {
        let told = "No action was taken. ";
        assert_eq!(show(told, &["You would ", "pay."]).1, "No action was taken. You would pay.");
        let (whole, tokens) = show(told, &["No action", " was taken. You ", "would pay."]);
        assert_eq!(
            (whole.as_deref(), tokens.as_str()),
            (Some("No action was taken. You would pay."), "No action was taken. You would pay.")
        );
    }
}
