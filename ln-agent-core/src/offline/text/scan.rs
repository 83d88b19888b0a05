//! Characters to tokens, in one pass.

use super::number::{Decimal, digits};
use super::special::special;
use super::{Kind, Token};

/// Every token of the text. Linear in its length: a search for a closing quote that failed is not repeated.
pub(super) fn scan(text: &str) -> Vec<Token> {
    let mut scanner = Scanner { text, at: 0, tokens: Vec::new(), unclosed: String::new() };
    while scanner.at < text.len() {
        scanner.step();
    }
    scanner.tokens
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    unclosed: String,
}

impl Scanner<'_> {
    fn step(&mut self) {
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else { return };
        if first == '\n' {
            self.push(Kind::Mark(';'), 1);
        } else if first.is_whitespace() || first.is_control() {
            self.at += first.len_utf8();
        } else if let Some(close) = closing(first)
            && self.quoted(first, close)
        {
        } else {
            let end = rest
                .char_indices()
                .find(|(i, c)| *i > 0 && (c.is_whitespace() || matches!(c, '"' | '“' | '”' | '«' | '`')))
                .map_or(rest.len(), |(i, _)| i);
            self.chunk(end);
        }
    }

    fn push(&mut self, kind: Kind, length: usize) {
        self.tokens.push(Token { kind, start: self.at, end: self.at + length });
        self.at += length;
    }

    /// Takes a quoted text. An unclosed double quote quotes the rest: it is data rather than a command.
    fn quoted(&mut self, open: char, close: char) -> bool {
        let inside = self.at + open.len_utf8();
        let found = if self.unclosed.contains(open) { None } else { self.find_close(inside, close) };
        let (end, length) = match found {
            Some(end) => (end, close.len_utf8()),
            None if matches!(open, '\'' | '‘' | '`' | '”') => {
                self.unclosed.push(open);
                return false;
            }
            None => (self.text.len(), 0),
        };
        let kind = Kind::Quoted(self.text[inside..end].to_owned());
        self.push(kind, end + length - self.at);
        true
    }

    fn find_close(&self, from: usize, close: char) -> Option<usize> {
        let rest = &self.text[from..];
        rest.match_indices(close).map(|(i, _)| i).find_map(|i| {
            let after = rest[i + close.len_utf8()..].chars().next();
            // An apostrophe inside a word closes nothing.
            let inside_word = matches!(close, '\'' | '’') && after.is_some_and(char::is_alphanumeric);
            let empty = i == 0 && matches!(close, '\'' | '’' | '`');
            (!empty && !inside_word).then_some(from + i)
        })
    }

    /// Takes one run without white space: a special form, or words, numbers and marks.
    fn chunk(&mut self, length: usize) {
        let end = self.at + length;
        let core = self.text[self.at..end].trim_start_matches(['(', '[', '{']);
        self.at = end - core.len();
        let trimmed = core.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\'']);
        if let Some((key, _)) = core.split_once('@')
            && let Some(kind @ Kind::Pubkey(_)) = special(key)
        {
            let length = key.len();
            self.tokens.push(Token { kind, start: self.at, end: self.at + length });
        }
        if let Some(kind) = special(trimmed) {
            self.push(kind, trimmed.len());
        }
        while self.at < end {
            self.piece(end);
        }
    }

    fn piece(&mut self, end: usize) {
        let rest = &self.text[self.at..end];
        let Some(first) = rest.chars().next() else { return };
        if first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            self.number(rest.len());
        } else if first.is_alphabetic() {
            self.word(rest.len());
        } else if self.is_hyphen(first) {
            self.at += first.len_utf8();
        } else if let Some((mark, length)) = symbol(rest) {
            self.push(mark, length);
        } else if rest.starts_with("'s") || rest.starts_with("’s") {
            let length = first.len_utf8() + 1;
            self.push(Kind::Word("'s".to_owned()), length);
        } else {
            self.at += first.len_utf8();
        }
    }

    /// A dash inside a run, as in `node-2`: no sign. Between digits it is a range.
    fn is_hyphen(&self, first: char) -> bool {
        let before = self.text[..self.at].chars().next_back();
        matches!(first, '-') && before.is_some_and(char::is_alphabetic)
    }

    fn number(&mut self, available: usize) {
        let rest = &self.text[self.at..self.at + available];
        let (number, used) = digits(rest);
        let (number, used) = match exponent(&rest[used..]) {
            Some((power, length)) => (number.shifted(power), used + length),
            None => (number, used),
        };
        if let Some(length) = garbled(rest, used, number, self.tokens.last()) {
            return self.push(Kind::Number(number.garbled()), length);
        }
        let suffix: String = rest[used..].chars().take_while(|c| c.is_alphabetic()).collect();
        let lower = suffix.to_lowercase();
        if matches!(lower.as_str(), "st" | "nd" | "rd" | "th")
            && let Some(position) = number.to_u32()
        {
            return self.push(Kind::Ordinal(position), used + suffix.len());
        }
        let (factor, taken) = magnitude(&lower);
        let kind = Kind::Number(number.shifted(factor));
        self.push(kind, used + taken);
    }

    fn word(&mut self, available: usize) {
        let rest = &self.text[self.at..self.at + available];
        let length = rest
            .char_indices()
            .find(|(_, c)| !(c.is_alphabetic() || matches!(c, '\'' | '’' | '_')))
            .map_or(rest.len(), |(i, _)| i);
        let raw = rest[..length].to_lowercase().replace('’', "'");
        if raw == "bolt" && (rest[length..].starts_with("11") || rest[length..].starts_with("12")) {
            let number = &rest[length..length + 2];
            return self.push(Kind::Word(format!("bolt{number}")), length + 2);
        }
        let spaced = self.text[self.at + length..].strip_prefix(" 1").filter(|_| raw == "bolt");
        if let Some(digit @ ("1" | "2")) = spaced.and_then(|rest| rest.get(..1)) {
            return self.push(Kind::Word(format!("bolt1{digit}")), length + 3);
        }
        let raw = raw.trim_end_matches('\'');
        // Tools may be called by their names.
        let raw = raw.strip_prefix("ln_").or_else(|| raw.strip_prefix("btc_")).unwrap_or(raw);
        for part in contraction(raw) {
            let token = Token { kind: Kind::Word(part), start: self.at, end: self.at + length };
            self.tokens.push(token);
        }
        self.at += length;
    }
}

/// `don't` → `not`, `isn't` → `is not`, `node's` → `node 's`.
fn contraction(word: &str) -> Vec<String> {
    let parts: &[&str] = match word.split_once('\'') {
        None if matches!(word, "dont" | "doesnt" | "didnt") => &["not"],
        None if word == "isnt" => &["is", "not"],
        None if word == "whats" => &["what"],
        None => &[word],
        Some(("don" | "doesn" | "didn" | "won" | "shouldn", "t")) => &["not"],
        Some(("can", "t")) => &["can", "not"],
        Some((stem, "t")) => &[stem.strip_suffix('n').unwrap_or(stem), "not"],
        Some((stem, "s")) => &[stem, "'s"],
        Some((stem, _)) => &[stem],
    };
    parts.iter().map(|part| (*part).to_owned()).collect()
}

fn closing(open: char) -> Option<char> {
    match open {
        '"' => Some('"'),
        '“' | '”' => Some('”'),
        '«' => Some('»'),
        '\'' => Some('\''),
        '‘' => Some('’'),
        '`' => Some('`'),
        _ => None,
    }
}

/// The length of what begins like a number and is none: `1.234.567`, `100,5`, `0x64`, `1e-3`. Part of it must not
/// pass for the amount.
fn garbled(rest: &str, used: usize, number: Decimal, before: Option<&Token>) -> Option<usize> {
    let tail = &rest[used..];
    let digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let listed = before.is_some_and(|token| token.is("node") || token.is("nodes") || token.is("n"));
    let separated = tail.strip_prefix(['.', ',', '_', '\'']).is_some_and(digit) && !listed;
    let hexadecimal = number.to_u64() == Some(0) && tail.starts_with(['x', 'X']);
    let negative = tail.strip_prefix(['e', 'E']).and_then(|power| power.strip_prefix('-')).is_some_and(digit);
    let length = tail
        .find(|c: char| !(c.is_ascii_hexdigit() || matches!(c, '.' | ',' | '_' | '\'' | '-' | 'x' | 'X')))
        .unwrap_or(tail.len());
    (separated || hexadecimal || negative).then(|| used + tail[..length].trim_end_matches(['.', ',']).len())
}

/// The `e6` of `1e6`.
fn exponent(rest: &str) -> Option<(u32, usize)> {
    let digits = rest.strip_prefix(['e', 'E'])?;
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let power = digits[..length].parse().ok().filter(|power| *power <= 30)?;
    Some((power, length + 1))
}

/// Powers of ten written against a number: `500k`, `0.5m`, `10ksat`.
fn magnitude(suffix: &str) -> (u32, usize) {
    match suffix {
        "k" => (3, 1),
        "m" => (6, 1),
        "mio" | "mil" => (6, 3),
        "bn" => (9, 2),
        "ksat" | "ksats" => (3, 1),
        _ => (0, 0),
    }
}

fn symbol(rest: &str) -> Option<(Kind, usize)> {
    const WORDS: [(&str, &str); 18] = [
        ("<->", ">"),
        ("<=>", ">"),
        ("↔", ">"),
        ("->", ">"),
        ("=>", ">"),
        ("-->", ">"),
        ("→", ">"),
        ("⇒", ">"),
        ("<=", "atmost"),
        (">=", "atleast"),
        ("≤", "atmost"),
        ("≥", "atleast"),
        ("<", "lessthan"),
        (">", "morethan"),
        ("%", "percent"),
        ("$", "fiat"),
        ("€", "fiat"),
        ("₿", "btc"),
    ];
    if let Some((text, word)) = WORDS.iter().find(|(text, _)| rest.starts_with(text)) {
        let kind = if *word == ">" { Kind::Mark('>') } else { Kind::Word((*word).to_owned()) };
        return Some((kind, text.len()));
    }
    let first = rest.chars().next()?;
    match first {
        ',' | ';' | '.' | ':' | '?' | '!' | '(' | ')' => Some((Kind::Mark(first), 1)),
        '-' | '−' if rest[first.len_utf8()..].starts_with(|c: char| c.is_ascii_digit()) => {
            Some((Kind::Mark('-'), first.len_utf8()))
        }
        '&' | '+' => Some((Kind::Word("and".to_owned()), 1)),
        // `2*100`, `100/2`: kept, so that two numbers do not become one; `~100` is no exact amount.
        '~' | '≈' => Some((Kind::Word("about".to_owned()), first.len_utf8())),
        '*' | '/' | '^' | '×' | '÷' | '='
            if rest[first.len_utf8()..].starts_with(|c: char| c.is_ascii_digit()) =>
        {
            Some((Kind::Word(first.to_string()), first.len_utf8()))
        }
        '—' | '–' => Some((Kind::Mark(','), first.len_utf8())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        let shown = scan(text).into_iter().map(|token| match token.kind {
            Kind::Word(word) => word,
            Kind::Number(number) => format!("#{number}"),
            Kind::Ordinal(n) => format!("#{n}th"),
            Kind::Quoted(text) => format!("[{text}]"),
            Kind::Mark(c) => c.to_string(),
            other => format!("{other:?}"),
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn numbers_lose_their_separators_and_keep_their_units() {
        assert_eq!(
            words("10,000 msat, 1_000sat 0.5m 500k 1.5btc"),
            "#10000 msat , #1000 sat #500000 #500000 #1.5 btc"
        );
    }

    #[test]
    fn quotes_are_opaque_and_apostrophes_are_not_quotes() {
        assert_eq!(
            words("node 2's label 'a, then b' don't \"x; y\""),
            "node #2 's label [a, then b] not [x; y]"
        );
        assert_eq!(words("say \"never closed and pay"), "say [never closed and pay]");
    }

    #[test]
    fn an_exponent_belongs_to_its_number() {
        assert_eq!(words("1e6 msat 2.5e3sat"), "#1000000 msat #2500 sat");
    }

    #[test]
    fn glued_forms_fall_apart() {
        assert_eq!(words("node-2 node1 1->2 (n3)"), "node #2 node #1 #1 > #2 n #3 )");
    }
}
