//! Strings, numbers, names and the blanks between them.

use serde_json::Number;

use super::tolerant::{Fault, FaultKind};

/// A place in the text.
pub(super) struct Lexer<'t> {
    pub(super) text: &'t str,
    /// Byte that is read next, always at the border of a character.
    pub(super) at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Result<char, Fault> {
        self.rest().chars().next().ok_or_else(|| self.truncated())
    }

    fn next(&mut self) -> Result<char, Fault> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Ok(next)
    }

    pub(super) fn eat(&mut self, wanted: char) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    pub(super) fn expect(&mut self, wanted: char, expected: &'static str) -> Result<(), Fault> {
        self.peek()?;
        if self.eat(wanted) { Ok(()) } else { Err(self.malformed(expected)) }
    }

    /// A fence that closes before the value does has cut it off.
    pub(super) fn malformed(&self, expected: &'static str) -> Fault {
        if self.rest().starts_with("```") {
            return self.truncated();
        }
        Fault { at: self.at, kind: FaultKind::Malformed(expected) }
    }

    const fn truncated(&self) -> Fault {
        Fault { at: self.at, kind: FaultKind::Truncated }
    }

    /// Steps over white space and comments.
    pub(super) fn skip_blanks(&mut self) -> Result<(), Fault> {
        loop {
            let rest = self.rest();
            let blank = |c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}');
            let trimmed = rest.trim_start_matches(blank);
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") || trimmed.starts_with('#') {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if trimmed.starts_with("/*") {
                self.at += trimmed.find("*/").ok_or_else(|| self.truncated())? + 2;
            } else {
                return Ok(());
            }
        }
    }

    /// An unquoted word.
    pub(super) fn name(&mut self) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c: char| !is_name_start(c) && !c.is_ascii_digit() && c != '-');
        let name = &rest[..length.unwrap_or(rest.len())];
        self.at += name.len();
        name
    }

    /// A string in double or single quotes.
    pub(super) fn string(&mut self) -> Result<String, Fault> {
        let quote = self.next()?;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let plain = rest.find(['\\', quote]).ok_or_else(|| self.truncated())?;
            text.push_str(&rest[..plain]);
            self.at += plain;
            if self.next()? == '\\' {
                self.escape(&mut text)?;
            } else if quote == '"' || closes_single_quotes(self.rest()) {
                return Ok(text);
            } else {
                text.push(quote);
            }
        }
    }

    /// What follows a backslash. An unknown escape keeps its backslash: `\d` is a regular expression.
    fn escape(&mut self, text: &mut String) -> Result<(), Fault> {
        match self.next()? {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'u' => text.push(self.unicode()?),
            known @ ('"' | '\'' | '\\' | '/') => text.push(known),
            unknown => text.extend(['\\', unknown]),
        }
        Ok(())
    }

    /// `XXXX`, or `XXXX\uXXXX` for a character beyond the basic plane.
    fn unicode(&mut self) -> Result<char, Fault> {
        let expected = "four hexadecimal digits that name a character";
        let first = self.hex()?;
        let code = match first {
            0xD800..=0xDBFF => {
                self.expect('\\', expected)?;
                self.expect('u', expected)?;
                let second = self.hex()?;
                let low = second.checked_sub(0xDC00).filter(|low| *low < 0x400);
                0x1_0000 + ((first - 0xD800) << 10) + low.ok_or_else(|| self.malformed(expected))?
            }
            code => code,
        };
        char::from_u32(code).ok_or_else(|| self.malformed(expected))
    }

    fn hex(&mut self) -> Result<u32, Fault> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek()?.to_digit(16).ok_or_else(|| self.malformed("a hexadecimal digit"))?;
            self.at += 1;
            code = code << 4 | digit;
        }
        Ok(code)
    }

    /// A number, or whole numbers with `+` and `*` between them.
    pub(super) fn number(&mut self) -> Result<Number, Fault> {
        let start = self.at;
        let first = self.numeral();
        let mut terms = vec![vec![first.clone()]];
        loop {
            let end = self.at;
            self.skip_blanks()?;
            if self.eat('*') {
                self.skip_blanks()?;
                let factor = self.numeral();
                terms.last_mut().expect("the list starts with one term").push(factor);
            } else if self.eat('+') {
                self.skip_blanks()?;
                terms.push(vec![self.numeral()]);
            } else {
                self.at = end;
                break;
            }
        }
        // More digits may have followed.
        self.peek()?;
        let number = match &terms[..] {
            [factors] if factors.len() == 1 => first.parse().ok(),
            terms => calculate(terms).and_then(Number::from_i128),
        };
        let expected = "a number, or a sum or product of whole numbers";
        number.ok_or(Fault { at: start, kind: FaultKind::Malformed(expected) })
    }

    /// The characters of one number as JSON writes it; whether it is one is seen later.
    fn numeral(&mut self) -> String {
        let rest = self.rest();
        let unsigned = rest.strip_prefix(['-', '+']).unwrap_or(rest);
        let mut last = ' ';
        let length = unsigned.find(|c: char| {
            let exponent_sign = matches!(c, '-' | '+') && matches!(last, 'e' | 'E');
            last = c;
            !(c.is_alphanumeric() || matches!(c, '.' | '_') || exponent_sign)
        });
        let length = rest.len() - unsigned.len() + length.unwrap_or(unsigned.len());
        self.at += length;
        let text = rest[..length].trim_start_matches('+');
        let groups_digits = text.split('_').all(|group| !group.is_empty() && is_whole(group));
        if groups_digits { text.replace('_', "") } else { text.to_owned() }
    }
}

/// The sum of products, if every part is a whole number.
fn calculate(terms: &[Vec<String>]) -> Option<i128> {
    terms.iter().try_fold(0_i128, |sum, factors| {
        let product = factors.iter().try_fold(1_i128, |product, factor| {
            // A leading zero is a date or a code, not a quantity.
            let whole = factor.parse::<Number>().ok()?.as_i128()?;
            product.checked_mul(whole)
        })?;
        sum.checked_add(product)
    })
}

fn is_whole(text: &str) -> bool {
    text.strip_prefix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) const fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '$')
}

/// Whether a single quote before this text ends a string: an apostrophe is followed by more of its sentence.
fn closes_single_quotes(rest: &str) -> bool {
    let next = rest.trim_start();
    let line_ends = rest[..rest.len() - next.len()].contains('\n');
    next.is_empty()
        || next.starts_with([',', ':', '}', ']', '#'])
        || next.starts_with("//")
        || next.starts_with("/*")
        || (line_ends && next.starts_with(['\'', '"']))
}
