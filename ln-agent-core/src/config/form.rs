//! The accepted forms of a setting.

/// What a setting may be.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Form {
    /// `1 true yes on` or `0 false no off`.
    Bool,
    /// A whole number between the bounds, both included.
    Whole(u64, u64),
    /// A decimal number between the bounds, both included.
    Decimal(f64, f64),
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Any text on one line.
    Text,
    /// As [`Text`](Self::Text), and never shown.
    Secret,
}

impl Form {
    /// Whether the text has this form.
    #[must_use]
    pub fn accepts(&self, text: &str) -> bool {
        match self {
            Self::Bool => parse_bool(text).is_some(),
            Self::Whole(least, most) => text.parse::<u64>().is_ok_and(|n| (*least..=*most).contains(&n)),
            Self::Decimal(least, most) => text.parse::<f64>().is_ok_and(|n| (*least..=*most).contains(&n)),
            Self::OneOf(words) => words.iter().any(|word| word.eq_ignore_ascii_case(text)),
            Self::Text | Self::Secret => !text.contains(['\n', '\r', '\0']),
        }
    }

    /// The accepted form in words.
    #[must_use]
    pub fn expected(&self) -> String {
        match self {
            Self::Bool => "1, true, yes, on, 0, false, no or off".to_owned(),
            Self::Whole(least, u64::MAX) => format!("a whole number from {least}"),
            Self::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Self::Decimal(least, f64::INFINITY) => format!("a number from {least}"),
            Self::Decimal(least, most) => format!("a number from {least} to {most}"),
            Self::OneOf(words) => format!("one of {}", words.join(", ")),
            Self::Text | Self::Secret => "text on one line".to_owned(),
        }
    }
}

/// Reads a switch. The word decides, not its presence: `0` is off.
pub(super) fn parse_bool(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Some(true),
        "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}
