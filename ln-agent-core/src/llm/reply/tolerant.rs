//! A JSON parser that forgives what models write, and nothing that changes the meaning.

use serde_json::Value;

use super::scalar::{Lexer, is_name_start};
use crate::types::Object;

/// Levels that a value may have, as in [`serde_json`].
const MAX_DEPTH: usize = 128;

/// Where and why reading stopped.
pub(super) struct Fault {
    /// Byte in the text.
    pub(super) at: usize,
    pub(super) kind: FaultKind,
}

#[derive(Clone, Copy)]
pub(super) enum FaultKind {
    /// The text ended inside the value.
    Truncated,
    TooDeep,
    /// Something else was expected.
    Malformed(&'static str),
}

impl FaultKind {
    /// No later value of the reply may be taken instead.
    pub(super) const fn is_final(self) -> bool {
        matches!(self, Self::Truncated | Self::TooDeep)
    }
}

pub(super) struct Parser<'t> {
    lexer: Lexer<'t>,
    depth: usize,
    /// The first part after the first bracket was as JSON has it.
    committed: bool,
}

impl<'t> Parser<'t> {
    pub(super) const fn new(text: &'t str, at: usize) -> Self {
        Self { lexer: Lexer { text, at }, depth: 0, committed: false }
    }

    /// The byte that is read next.
    pub(super) const fn at(&self) -> usize {
        self.lexer.at
    }

    /// Whether a failure is broken JSON, rather than brackets in prose.
    pub(super) const fn looks_like_json(&self) -> bool {
        self.committed
    }

    /// The object or list that starts here.
    pub(super) fn container(&mut self) -> Result<Value, Fault> {
        if self.depth == MAX_DEPTH {
            return Err(Fault { at: self.at(), kind: FaultKind::TooDeep });
        }
        self.depth += 1;
        let value = if self.lexer.eat('{') {
            self.object().map(Value::Object)
        } else {
            self.lexer.expect('[', "`{` or `[`")?;
            self.list().map(Value::Array)
        };
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Result<Object, Fault> {
        let mut object = Object::new();
        self.lexer.skip_blanks()?;
        while !self.lexer.eat('}') {
            let name = match self.lexer.peek()? {
                '"' | '\'' => self.lexer.string()?,
                start if is_name_start(start) => self.lexer.name().to_owned(),
                _ => return Err(self.lexer.malformed("a quoted name or `}`")),
            };
            self.lexer.skip_blanks()?;
            self.lexer.expect(':', "`:` after the name")?;
            self.committed = true;
            self.lexer.skip_blanks()?;
            let value = self.value()?;
            object.insert(name, value);
            let starts_name = |next| matches!(next, '"' | '\'') || is_name_start(next);
            self.separator('}', starts_name, "`,` or `}`")?;
        }
        self.committed = true;
        Ok(object)
    }

    fn list(&mut self) -> Result<Vec<Value>, Fault> {
        let mut list = Vec::new();
        self.lexer.skip_blanks()?;
        while !self.lexer.eat(']') {
            list.push(self.value()?);
            self.committed = true;
            // `[1 2]` stays an error: it may be 12.
            self.separator(']', |next| matches!(next, '"' | '\'' | '{' | '['), "`,` or `]`")?;
        }
        self.committed = true;
        Ok(list)
    }

    /// What stands between two members: a comma, or a gap before something that can only be the next one.
    fn separator(
        &mut self,
        close: char,
        may_follow: impl Fn(char) -> bool,
        expected: &'static str,
    ) -> Result<(), Fault> {
        let end = self.at();
        self.lexer.skip_blanks()?;
        let apart = self.at() > end || self.lexer.text[..end].ends_with(['}', ']']);
        if self.lexer.eat(',') {
            return self.lexer.skip_blanks();
        }
        let next = self.lexer.peek()?;
        if next == close || (apart && may_follow(next)) {
            Ok(())
        } else {
            Err(self.lexer.malformed(expected))
        }
    }

    fn value(&mut self) -> Result<Value, Fault> {
        match self.lexer.peek()? {
            '{' | '[' => self.container(),
            '"' | '\'' => self.lexer.string().map(Value::String),
            '-' | '+' | '0'..='9' => self.lexer.number().map(Value::Number),
            start if is_name_start(start) => self.literal(),
            _ => Err(self.lexer.malformed("a JSON value")),
        }
    }

    fn literal(&mut self) -> Result<Value, Fault> {
        let start = self.at();
        match self.lexer.name() {
            "true" | "True" => Ok(Value::Bool(true)),
            "false" | "False" => Ok(Value::Bool(false)),
            "null" | "None" => Ok(Value::Null),
            // The text may have ended inside the word.
            _ if self.lexer.rest().is_empty() => Err(Fault { at: start, kind: FaultKind::Truncated }),
            _ => {
                self.lexer.at = start;
                Err(self.lexer.malformed("a JSON value; text needs double quotes"))
            }
        }
    }
}
