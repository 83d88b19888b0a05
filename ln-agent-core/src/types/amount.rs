//! Amounts of money, as whole numbers with the unit in the type.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

/// A Lightning amount in **millisatoshis** (1 sat = 1,000 msat), from 0 to `u64::MAX`.
///
/// Read from a whole JSON number, or from a string with a unit, as Core Lightning spells amounts.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::Msat;
/// assert_eq!(Msat(2_500).floor_to_sat().0, 2);
/// assert_eq!("10sat".parse(), Ok(Msat(10_000)));
/// assert_eq!(serde_json::from_str::<Msat>("\"0.1btc\"").unwrap(), Msat(10_000_000_000));
/// assert!(serde_json::from_str::<Msat>("1.5").is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
#[schemars(transparent)]
pub struct Msat(pub u64);

/// An on-chain amount in **satoshis** (1 BTC = 100,000,000 sat), from 0 to `u64::MAX`.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::{Msat, Sat};
/// assert_eq!(Sat(3).to_msat(), Some(Msat(3_000)));
/// assert_eq!("0.5btc".parse(), Ok(Sat(50_000_000)));
/// assert_eq!(Sat(150_000_000).to_btc_string(), "1.50000000");
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
#[schemars(transparent)]
pub struct Sat(pub u64);

/// Why a text is no amount.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AmountError {
    /// The number is missing, negative, or no plain decimal.
    #[error("`{0}` is not an amount: expected a number and a unit, as in 10sat, 2500msat or 0.001btc")]
    NotANumber(String),
    /// The unit is none of those known.
    #[error("`{0}` has no known unit: expected msat, sat or btc")]
    UnknownUnit(String),
    /// The amount has a fraction of the smallest unit.
    #[error("`{0}` is finer than the smallest unit, 1 {1}")]
    TooFine(String, &'static str),
    /// The amount does not fit 64 bits.
    #[error("`{0}` is too large")]
    TooLarge(String),
}

impl Msat {
    /// Whole satoshis, rounded down; what is lost is always below 1 sat.
    #[must_use]
    pub const fn floor_to_sat(self) -> Sat {
        Sat(self.0 / 1_000)
    }

    /// Sum, or `None` above `u64::MAX`.
    #[must_use]
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }
}

impl Sat {
    /// The same amount in millisatoshis, or `None` above `u64::MAX` msat.
    #[must_use]
    pub const fn to_msat(self) -> Option<Msat> {
        match self.0.checked_mul(1_000) {
            Some(msat) => Some(Msat(msat)),
            None => None,
        }
    }

    /// The same amount in BTC with all eight decimals, as bitcoind spells it.
    #[must_use]
    pub fn to_btc_string(self) -> String {
        format!("{}.{:08}", self.0 / SAT_PER_BTC, self.0 % SAT_PER_BTC)
    }
}

impl fmt::Display for Msat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}msat", self.0)
    }
}

impl fmt::Display for Sat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}sat", self.0)
    }
}

impl FromStr for Msat {
    type Err = AmountError;

    /// Reads a decimal number and its unit, which is mandatory: `10sat`, `2500 msat`, `0.001btc`.
    fn from_str(text: &str) -> Result<Self, AmountError> {
        let (number, unit) = split_unit(text)?;
        let decimals = match unit.to_ascii_lowercase().as_str() {
            "msat" | "msats" => 0,
            "sat" | "sats" => 3,
            "btc" => 11,
            _ => return Err(AmountError::UnknownUnit(text.to_owned())),
        };
        scaled(number, decimals, text, "msat").map(Self)
    }
}

impl FromStr for Sat {
    type Err = AmountError;

    /// Reads a decimal number and its unit, which is mandatory: `100000sat`, `0.5btc`, `5000msat`.
    fn from_str(text: &str) -> Result<Self, AmountError> {
        let msat: Msat = text.parse()?;
        if !msat.0.is_multiple_of(1_000) {
            return Err(AmountError::TooFine(text.to_owned(), "sat"));
        }
        Ok(msat.floor_to_sat())
    }
}

impl<'de> Deserialize<'de> for Msat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        amount::<D, Self>(deserializer, "a whole number of millisatoshis, or a string such as \"10sat\"")
            .map(Self)
    }
}

impl<'de> Deserialize<'de> for Sat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        amount::<D, Self>(deserializer, "a whole number of satoshis, or a string such as \"0.001btc\"")
            .map(Self)
    }
}

const SAT_PER_BTC: u64 = 100_000_000;

/// An integer in the target's own unit, or a string with a unit.
fn amount<'de, D, T>(deserializer: D, expected: &'static str) -> Result<u64, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err = AmountError> + Into<u64>,
{
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        Whole(u64),
        Text(String),
        Other(serde_json::Value),
    }
    match Form::deserialize(deserializer)? {
        Form::Whole(number) => Ok(number),
        Form::Text(text) => text.parse::<T>().map(Into::into).map_err(de::Error::custom),
        Form::Other(value) => {
            Err(de::Error::custom(format!("{value} is not an amount: expected {expected}")))
        }
    }
}

fn split_unit(text: &str) -> Result<(&str, &str), AmountError> {
    let trimmed = text.trim();
    let end = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(end);
    if number.is_empty() {
        return Err(AmountError::NotANumber(text.to_owned()));
    }
    Ok((number, unit.trim_start()))
}

/// `number` × 10^`decimals`, exactly.
fn scaled(number: &str, decimals: usize, text: &str, unit: &'static str) -> Result<u64, AmountError> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || fraction.contains('.') {
        return Err(AmountError::NotANumber(text.to_owned()));
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > decimals {
        return Err(AmountError::TooFine(text.to_owned(), unit));
    }
    let digits = format!("{whole}{fraction:0<decimals$}");
    digits.parse().map_err(|_| AmountError::TooLarge(text.to_owned()))
}

impl From<Msat> for u64 {
    fn from(amount: Msat) -> Self {
        amount.0
    }
}

impl From<Sat> for u64 {
    fn from(amount: Sat) -> Self {
        amount.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_exactly_or_refused() {
        let cases: [(&str, Result<u64, AmountError>); 9] = [
            ("1msat", Ok(1)),
            ("1.5sat", Ok(1_500)),
            ("0.00000000001btc", Ok(1)),
            ("21000000btc", Ok(2_100_000_000_000_000_000)),
            ("1.0005sat", Err(AmountError::TooFine("1.0005sat".into(), "msat"))),
            ("10", Err(AmountError::UnknownUnit("10".into()))),
            ("10 dollars", Err(AmountError::UnknownUnit("10 dollars".into()))),
            ("-1sat", Err(AmountError::NotANumber("-1sat".into()))),
            ("999999999999btc", Err(AmountError::TooLarge("999999999999btc".into()))),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<Msat>().map(|m| m.0), expected, "{text}");
        }
    }

    #[test]
    fn a_sat_amount_with_a_fraction_is_refused() {
        assert_eq!("1500msat".parse::<Sat>(), Err(AmountError::TooFine("1500msat".into(), "sat")));
    }

    proptest::proptest! {
        /// bitcoind writes amounts as JSON numbers with eight decimals; their text must survive serde_json.
        #[test]
        fn every_amount_there_can_be_survives_a_json_number(sat in 0_u64..=2_100_000_000_000_000) {
            let read: serde_json::Value = serde_json::from_str(&Sat(sat).to_btc_string()).unwrap();
            let fixed = match read.to_string() {
                text if text.contains('e') => format!("{:.8}btc", read.as_f64().unwrap()),
                text => format!("{text}btc"),
            };
            proptest::prop_assert_eq!(fixed.parse(), Ok(Sat(sat)));
        }
    }

    #[test]
    fn floats_and_negatives_in_json_are_refused() {
        for json in ["1.5", "-1", "1e3", "null", "\"12\"", "true"] {
            assert!(serde_json::from_str::<Msat>(json).is_err(), "{json}");
        }
        assert_eq!(serde_json::from_str::<Msat>("18446744073709551615").unwrap(), Msat(u64::MAX));
    }
}
