//! Colour, where the terminal has it and the user has not declined it.

use std::io::IsTerminal;

/// Decides once per stream.
#[derive(Clone, Copy)]
pub(super) struct Paint(bool);

impl Paint {
    pub(super) fn stdout() -> Self {
        Self(std::io::stdout().is_terminal() && wanted())
    }

    pub(super) fn stderr() -> Self {
        Self(std::io::stderr().is_terminal() && wanted())
    }

    pub(super) fn green(self, text: &str) -> String {
        self.with("32", text)
    }

    pub(super) fn red(self, text: &str) -> String {
        self.with("31", text)
    }

    pub(super) fn yellow(self, text: &str) -> String {
        self.with("33", text)
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.0 { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

fn wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
