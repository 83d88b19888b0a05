//! Numbers: exact decimals, in digits or in words.

use std::fmt;

use super::{Kind, Token};

/// `mantissa` × 10^`exponent`, exactly. Never a float.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::offline) struct Decimal {
    mantissa: u128,
    exponent: i32,
    /// Written as `1.000`: one, or a thousand?
    pub(in crate::offline) doubtful: bool,
    /// Begins like a number, and goes on otherwise.
    pub(in crate::offline) unreadable: bool,
    /// Too many digits to be held.
    overflow: bool,
}

impl Decimal {
    /// A whole number.
    pub(in crate::offline) const fn whole(number: u128) -> Self {
        Self { mantissa: number, exponent: 0, doubtful: false, unreadable: false, overflow: false }
    }

    /// Written in a way that cannot be read for certain: no amount comes of it.
    pub(super) const fn garbled(self) -> Self {
        Self { doubtful: true, unreadable: true, ..self }
    }

    /// Times 10^`by`.
    pub(in crate::offline) const fn shifted(self, by: u32) -> Self {
        let exponent = self.exponent.saturating_add_unsigned(by);
        Self { exponent, doubtful: self.doubtful && by == 0, ..self }
    }

    /// Times 10^`by` as a whole number: `None` when a fraction remains or 64 bits do not hold it.
    pub(in crate::offline) fn scaled(self, by: u32) -> Option<u64> {
        if self.overflow || self.unreadable {
            return None;
        }
        let exponent = self.exponent.saturating_add_unsigned(by);
        let power = 10_u128.checked_pow(exponent.unsigned_abs());
        let number = match (exponent < 0, power) {
            (false, Some(power)) => self.mantissa.checked_mul(power)?,
            (true, Some(power)) if self.mantissa.is_multiple_of(power) => self.mantissa / power,
            _ if self.mantissa == 0 => 0,
            _ => return None,
        };
        u64::try_from(number).ok()
    }

    /// Whether it is whole and how much it is.
    pub(in crate::offline) fn to_u64(self) -> Option<u64> {
        self.scaled(0)
    }

    /// As [`to_u64`](Self::to_u64), for small numbers.
    pub(in crate::offline) fn to_u32(self) -> Option<u32> {
        self.to_u64().and_then(|number| u32::try_from(number).ok())
    }

    fn product(self, other: Self) -> Option<Self> {
        let mantissa = self.mantissa.checked_mul(other.mantissa)?;
        Some(Self { mantissa, exponent: self.exponent.saturating_add(other.exponent), ..self })
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fraction = u32::try_from(-self.exponent).unwrap_or(0);
        match (self.to_u64(), self.exponent) {
            (Some(number), _) => write!(f, "{number}"),
            (_, 1..) => write!(f, "{}e{}", self.mantissa, self.exponent),
            _ => {
                let digits = format!("{:0>width$}", self.mantissa, width = fraction as usize + 1);
                let (whole, part) = digits.split_at(digits.len() - fraction as usize);
                write!(f, "{whole}.{part}")
            }
        }
    }
}

/// The number that a text of digits begins with, and its length in bytes. Commas, underscores and apostrophes
/// separate groups of three.
pub(super) fn digits(text: &str) -> (Decimal, usize) {
    let bytes = text.as_bytes();
    let (mut mantissa, mut overflow, mut fraction, mut seen_dot, mut at) = (0_u128, false, 0_i32, false, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'0'..=b'9' => {
                match mantissa.checked_mul(10).and_then(|m| m.checked_add(u128::from(byte - b'0'))) {
                    Some(next) => mantissa = next,
                    None => overflow = true,
                }
                fraction += i32::from(seen_dot);
                at += 1;
            }
            b',' | b'_' | b'\'' if !seen_dot && group_of_three(&bytes[at + 1..]) => at += 1,
            b'.' if !seen_dot && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {
                seen_dot = true;
                at += 1;
            }
            _ => break,
        }
    }
    let doubtful = fraction == 3 && bytes[0] != b'0' && bytes[0] != b'.' && at <= 7;
    (Decimal { mantissa, exponent: -fraction, doubtful, unreadable: false, overflow }, at)
}

fn group_of_three(rest: &[u8]) -> bool {
    rest.len() >= 3
        && rest[..3].iter().all(u8::is_ascii_digit)
        && !rest.get(3).is_some_and(u8::is_ascii_digit)
}

/// Joins number words and spaced groups: `half a million` → 500000, `1.5 million` → 1500000,
/// `100 000 sat` → 100000 sat. Ordinal words become ordinals.
pub(super) fn join(tokens: &[Token]) -> Vec<Token> {
    let mut joined: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        if let Some((kind, used)) = spelled(&tokens[at..]).or_else(|| spaced(tokens, at)) {
            joined.push(Token { kind, start: tokens[at].start, end: tokens[at + used - 1].end });
            at += used;
        } else {
            joined.push(tokens[at].clone());
            at += 1;
        }
    }
    joined
}

fn spelled(tokens: &[Token]) -> Option<(Kind, usize)> {
    if let Some(position) = tokens[0].word().and_then(ordinal) {
        return Some((Kind::Ordinal(position), 1));
    }
    let (mut value, mut used) = match &tokens[0].kind {
        Kind::Number(number) => (*number, 1),
        Kind::Word(word) if word == "a" && tokens.get(1).and_then(Token::word).and_then(power).is_some() => {
            (Decimal::whole(1), 1)
        }
        Kind::Word(word) => (small(word)?, 1),
        _ => return None,
    };
    let begins_in_words = tokens[0].word().is_some();
    while used < tokens.len() {
        let word = tokens[used].word().unwrap_or_default();
        let next = tokens.get(used + 1).and_then(Token::word).unwrap_or_default();
        if let Some(by) = power(word) {
            value = value.product(Decimal { exponent: by, ..Decimal::whole(1) })?;
            used += 1;
        } else if matches!(word, "a" | "of") && (power(next).is_some() || is_coin(next)) {
            used += 1;
        } else if begins_in_words && let Some(more) = small(word).filter(|m| fits_after(value, *m)) {
            value = Decimal::whole(u128::from(value.to_u64()?) + u128::from(more.to_u64()?));
            used += 1;
        } else {
            break;
        }
    }
    (begins_in_words || used > 1).then_some((Kind::Number(value), used))
}

/// `twenty five`: ones after tens, tens after hundreds.
fn fits_after(value: Decimal, more: Decimal) -> bool {
    match (value.to_u64(), more.to_u64()) {
        (Some(value), Some(more)) => {
            more > 0
                && (value >= 20 && value % 10 == 0 && more < 10
                    || value >= 100 && value % 100 == 0 && more < 100)
        }
        _ => false,
    }
}

/// `100 000 sat`: only before a unit of money, so that `node 1 500 sat` stays what it is.
fn spaced(tokens: &[Token], at: usize) -> Option<(Kind, usize)> {
    let Kind::Number(first) = tokens[at].kind else { return None };
    let mut value = first.to_u64().filter(|n| *n < 1_000)?;
    if at > 0 && tokens[at - 1].word().is_some_and(|word| word.starts_with("node") || word == "n") {
        return None;
    }
    // `nodes 2 and 3 100 sats`: the last of a list of nodes.
    let list = |token: &&Token| {
        matches!(token.kind, Kind::Number(_) | Kind::Mark(',')) || token.is("and") || token.is("node")
    };
    if tokens[..at].iter().rev().take(16).find(|token| !list(token)).is_some_and(|token| token.is("nodes")) {
        return None;
    }
    let mut used = 1;
    while let Some(Token { kind: Kind::Number(group), start, end }) = tokens.get(at + used) {
        if end - start != 3 || *start != tokens[at + used - 1].end + 1 {
            return None;
        }
        value = value.checked_mul(1_000)?.checked_add(group.to_u64()?)?;
        used += 1;
    }
    let unit = tokens.get(at + used).and_then(Token::word).unwrap_or_default();
    let money = unit.starts_with("sat") || unit.starts_with("msat");
    (used > 1 && money).then_some((Kind::Number(Decimal::whole(u128::from(value))), used))
}

/// `half a bitcoin`.
fn is_coin(word: &str) -> bool {
    matches!(word, "btc" | "bitcoin" | "sat" | "satoshi")
}

fn power(word: &str) -> Option<i32> {
    match word {
        "hundred" | "hundreds" => Some(2),
        "thousand" | "thousands" | "grand" | "k" => Some(3),
        "million" | "millions" | "mio" => Some(6),
        "billion" => Some(9),
        _ => None,
    }
}

fn small(word: &str) -> Option<Decimal> {
    const WORDS: [&str; 21] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    const TENS: [&str; 7] = ["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let whole = |index: usize| Decimal::whole(index as u128);
    match word {
        "half" => Some(Decimal { mantissa: 5, exponent: -1, ..Decimal::whole(0) }),
        "quarter" => Some(Decimal { mantissa: 25, exponent: -2, ..Decimal::whole(0) }),
        "dozen" => Some(whole(12)),
        _ => WORDS
            .iter()
            .position(|w| *w == word)
            .map(whole)
            .or_else(|| TENS.iter().position(|w| *w == word).map(|index| whole(10 * (index + 3)))),
    }
}

fn ordinal(word: &str) -> Option<u32> {
    const WORDS: [&str; 10] =
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    WORDS.iter().position(|w| *w == word).and_then(|index| u32::try_from(index + 1).ok())
}

#[cfg(test)]
mod tests {
    use super::super::scan::scan;
    use super::*;

    #[test]
    fn numbers_in_words_are_exact() {
        let cases = [
            ("half a million sats", 500_000),
            ("a hundred thousand sats", 100_000),
            ("fifty thousand", 50_000),
            ("twenty five", 25),
            ("1.5 million", 1_500_000),
            ("100 000 sat", 100_000),
            ("1 234 567 msat", 1_234_567),
            ("a quarter million", 250_000),
            ("0.5m", 500_000),
        ];
        for (text, expected) in cases {
            let found = join(&scan(text)).into_iter().find_map(|token| match token.kind {
                Kind::Number(number) => number.to_u64(),
                _ => None,
            });
            assert_eq!(found, Some(expected), "{text}");
        }
    }

    #[test]
    fn a_node_number_is_no_group_of_an_amount() {
        let numbers = join(&scan("node 1 500 sat")).into_iter().filter(|t| matches!(t.kind, Kind::Number(_)));
        assert_eq!(numbers.count(), 2);
    }
}
