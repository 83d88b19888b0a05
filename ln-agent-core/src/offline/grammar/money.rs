//! Amounts of money in words, exactly.

use crate::offline::text::{Decimal, Kind, Token};

/// An amount as it was said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Money {
    /// In millisatoshis.
    Msat(u64),
    /// What is wrong with it.
    Bad(Fault),
}

/// Why an amount cannot be used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    /// No unit.
    NoUnit(Decimal),
    /// Below zero, or zero.
    NotPositive,
    /// Has parts of a millisatoshi, or does not fit.
    Size,
    /// Dollars and the like.
    Fiat,
    /// More than one, where one is wanted.
    Several,
    /// `1.000`: one, or a thousand?
    Doubtful,
}

/// Decimal places of one unit in millisatoshis.
pub(super) fn unit(word: &str) -> Option<u32> {
    match word {
        "msat" | "msats" | "millisat" | "millisats" | "millisatoshi" | "millisatoshis" => Some(0),
        "sat" | "sats" | "satoshi" | "satoshis" => Some(3),
        "btc" | "btcs" | "bitcoin" | "bitcoins" | "xbt" => Some(11),
        _ => None,
    }
}

/// The amount that the number at this position says, with the tokens it took. `None` when it is no money.
pub(super) fn money_at(tokens: &[Token], at: usize) -> Option<(Money, usize)> {
    let Kind::Number(number) = tokens[at].kind else { return None };
    let word = tokens.get(at + 1).and_then(Token::word).unwrap_or_default();
    let negative = at > 0 && (matches!(tokens[at - 1].kind, Kind::Mark('-')) || tokens[at - 1].is("minus"));
    let fiat = |word: &str| {
        matches!(word, "fiat" | "usd" | "dollar" | "dollars" | "eur" | "euro" | "euros" | "cents" | "gbp")
    };
    if fiat(word) || at > 0 && tokens[at - 1].is("fiat") {
        return Some((Money::Bad(Fault::Fiat), 2));
    }
    let Some(places) = unit(word) else {
        return negative.then_some((Money::Bad(Fault::NotPositive), 1));
    };
    // `100 sats msat`: two units for one number.
    if tokens.get(at + 2).and_then(Token::word).is_some_and(|word| unit(word).is_some()) {
        return Some((Money::Bad(Fault::Several), 3));
    }
    let amount = match number.scaled(places).filter(|msat| *msat <= ALL_COINS) {
        _ if negative => Money::Bad(Fault::NotPositive),
        _ if number.doubtful && (places < 11 || number.unreadable) => Money::Bad(Fault::Doubtful),
        Some(0) => Money::Bad(Fault::NotPositive),
        Some(msat) => Money::Msat(msat),
        None => Money::Bad(Fault::Size),
    };
    Some((amount, 2))
}

/// 21 million bitcoins, in msat.
const ALL_COINS: u64 = 21_000_000 * 100_000_000_000;

impl Fault {
    /// The question to ask.
    pub(super) fn question(self) -> String {
        match self {
            Self::NoUnit(number) => format!("{number} of what: msat, sat or btc?"),
            Self::NotPositive => "How much should it be? An amount must be above zero.".to_owned(),
            Self::Size => "How much should it be? The amount is finer than 1 msat or too large.".to_owned(),
            Self::Several => "I see several amounts: which one belongs to what? Please say it in one clause each.".to_owned(),
            Self::Fiat => "How much is that in sat? I know no exchange rates.".to_owned(),
            Self::Doubtful => "Is that dot a separator of thousands, or a decimal point? Please write the amount without it.".to_owned(),
        }
    }
}
