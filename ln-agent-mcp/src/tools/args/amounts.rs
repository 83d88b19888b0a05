//! Amounts above zero, and the two words that stand in for one.

use std::borrow::Cow;

use ln_agent_core::{Msat, Sat};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

/// At least 1 msat.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(try_from = "Msat")]
pub(crate) struct PositiveMsat(pub(crate) Msat);

/// At least 1 sat.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(try_from = "Sat")]
pub(crate) struct PositiveSat(pub(crate) Sat);

/// An offer's amount: fixed, or chosen by the payer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum MsatOrAny {
    /// The payer chooses.
    Any,
    /// This much.
    Fixed(PositiveMsat),
}

/// An on-chain amount: fixed, or everything there is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum SatOrAll {
    /// Everything that can be spent, less the fee.
    All,
    /// This much.
    Fixed(PositiveSat),
}

/// Zero moves nothing.
#[derive(Debug, thiserror::Error)]
#[error("0 is no amount: expected at least 1")]
pub(crate) struct Nothing;

impl TryFrom<Msat> for PositiveMsat {
    type Error = Nothing;

    fn try_from(amount: Msat) -> Result<Self, Nothing> {
        if amount.0 == 0 { Err(Nothing) } else { Ok(Self(amount)) }
    }
}

impl TryFrom<Sat> for PositiveSat {
    type Error = Nothing;

    fn try_from(amount: Sat) -> Result<Self, Nothing> {
        if amount.0 == 0 { Err(Nothing) } else { Ok(Self(amount)) }
    }
}

impl<'de> Deserialize<'de> for MsatOrAny {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match word_or_amount(deserializer, "any")? {
            None => Ok(Self::Any),
            Some(value) => PositiveMsat::deserialize(value).map(Self::Fixed).map_err(de::Error::custom),
        }
    }
}

impl<'de> Deserialize<'de> for SatOrAll {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match word_or_amount(deserializer, "all")? {
            None => Ok(Self::All),
            Some(value) => PositiveSat::deserialize(value).map(Self::Fixed).map_err(de::Error::custom),
        }
    }
}

/// `None` for the word, in any case.
fn word_or_amount<'de, D: Deserializer<'de>>(deserializer: D, word: &str) -> Result<Option<Value>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let is_word = value.as_str().is_some_and(|text| text.trim().eq_ignore_ascii_case(word));
    Ok(if is_word { None } else { Some(value) })
}

macro_rules! schema {
    ($type:ty, $name:literal, $schema:tt) => {
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

schema!(PositiveMsat, "PositiveMsat", { "type": "integer", "minimum": 1 });
schema!(PositiveSat, "PositiveSat", { "type": "integer", "minimum": 1 });
schema!(MsatOrAny, "MsatOrAny", {
    "anyOf": [{ "type": "integer", "minimum": 1 }, { "type": "string", "const": "any" }]
});
schema!(SatOrAll, "SatOrAll", {
    "anyOf": [{ "type": "integer", "minimum": 1 }, { "type": "string", "const": "all" }]
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_negative_and_fractional_amounts_are_refused() {
        for json in ["0", "-1", "1.5", "\"0sat\"", "\"many\"", "null"] {
            assert!(serde_json::from_str::<PositiveMsat>(json).is_err(), "{json}");
            assert!(serde_json::from_str::<PositiveSat>(json).is_err(), "{json}");
            assert!(serde_json::from_str::<MsatOrAny>(json).is_err(), "{json}");
            assert!(serde_json::from_str::<SatOrAll>(json).is_err(), "{json}");
        }
    }

    #[test]
    fn amounts_and_words_are_read() {
        let msat = |json| serde_json::from_str::<MsatOrAny>(json).unwrap();
        let sat = |json| serde_json::from_str::<SatOrAll>(json).unwrap();

        assert_eq!(msat("\"any\""), MsatOrAny::Any);
        assert_eq!(msat("\"10sat\""), MsatOrAny::Fixed(PositiveMsat(Msat(10_000))));
        assert_eq!(sat("\"ALL\""), SatOrAll::All);
        assert_eq!(sat("50000"), SatOrAll::Fixed(PositiveSat(Sat(50_000))));
    }
}
