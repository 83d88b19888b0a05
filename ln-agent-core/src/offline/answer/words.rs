//! Numbers and amounts as people write them.

use crate::types::Msat;

/// `1 channel`, `2 channels`, `no channels`.
pub(super) fn count(number: usize, noun: &str) -> String {
    let plural = match noun.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if noun.ends_with('s') => format!("{noun}es"),
        None => format!("{noun}s"),
    };
    match number {
        0 => format!("no {plural}"),
        1 => format!("1 {noun}"),
        _ => format!("{} {plural}", grouped(number as u64)),
    }
}

/// `1,234,567`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `10,000 msat (10 sat)`; the satoshis only where they are whole.
pub(super) fn msat(amount: Msat) -> String {
    let text = format!("{} msat", grouped(amount.0));
    if amount.0 > 0 && amount.0.is_multiple_of(1_000) {
        format!("{text} ({})", sat(amount.floor_to_sat().0))
    } else {
        text
    }
}

/// `1,000 sat`.
pub(super) fn sat(amount: u64) -> String {
    format!("{} sat", grouped(amount))
}

/// Satoshis where they are whole, else msat.
pub(super) fn whole(amount: Msat) -> String {
    if amount.0.is_multiple_of(1_000) { sat(amount.floor_to_sat().0) } else { msat(amount) }
}

/// `a, b and c`.
pub(super) fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A list of at most five, the rest counted.
pub(super) fn some_of(items: &[String]) -> String {
    const SHOWN: usize = 5;
    if items.len() <= SHOWN {
        return items.join("; ");
    }
    format!("{}; and {} more", items[..SHOWN].join("; "), items.len() - SHOWN)
}

/// A full sentence: a capital first, unless it begins with the name of a tool, and a period last.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if !text.split(' ').next().is_some_and(|word| word.contains('_')) => {
            format!("{}{}{end}", first.to_uppercase(), chars.as_str())
        }
        _ => format!("{text}{end}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_nouns_agree() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(count(1, "channel"), "1 channel");
        assert_eq!(count(0, "channel"), "no channels");
        assert_eq!(count(1_200, "entry"), "1,200 entries");
        assert_eq!(count(2, "address"), "2 addresses");
        assert_eq!(msat(Msat(10_000)), "10,000 msat (10 sat)");
        assert_eq!(msat(Msat(1_500)), "1,500 msat");
        assert_eq!(listed(&["a".into(), "b".into(), "c".into()]), "a, b and c");
        assert_eq!(sentence("all is well"), "All is well.");
    }
}
