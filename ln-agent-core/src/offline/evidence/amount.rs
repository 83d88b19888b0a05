//! Amounts as they were typed, and as the arguments of tools want them.

use std::fmt;

use serde_json::{Value, json};

use crate::offline::text::Decimal;
use crate::types::{Msat, Sat};

/// An amount of the request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Amount {
    /// How much it is.
    pub(super) msat: u64,
    /// The number that was typed.
    pub(super) typed: Decimal,
    /// Decimal places of its unit in millisatoshis: 0, 3 or 11.
    pub(super) places: u32,
}

impl Amount {
    /// Whether the value is the typed number, whatever unit its argument has.
    pub(super) fn is_typed_as(&self, value: &Value) -> bool {
        read(value, self.places) == Some(self.msat)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.typed, unit(self.places))?;
        if self.places == 0 { Ok(()) } else { write!(f, " = {} msat", self.msat) }
    }
}

/// The unit with these decimal places in millisatoshis.
const fn unit(places: u32) -> &'static str {
    match places {
        0 => "msat",
        3 => "sat",
        _ => "btc",
    }
}

/// A value in a unit, or a text with its own unit, in millisatoshis.
pub(super) fn read(value: &Value, places: u32) -> Option<u64> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_owned(),
        _ => return None,
    };
    let amount = text.parse::<Msat>().or_else(|_| format!("{text}{}", unit(places)).parse());
    amount.ok().map(|Msat(msat)| msat)
}

/// Millisatoshis as an argument of this unit wants them; `None` when a part of the unit remains.
pub(super) fn write(msat: u64, places: u32) -> Option<Value> {
    match places {
        0 => Some(json!(msat)),
        _ if !msat.is_multiple_of(1_000) => None,
        3 => Some(json!(msat / 1_000)),
        _ => {
            let text = Sat(msat / 1_000).to_btc_string();
            Some(json!(text.trim_end_matches('0').trim_end_matches('.')))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_written_in_the_unit_of_their_argument() {
        for (value, places, msat) in
            [(json!(25_000), 3, 25_000_000), (json!("0.5"), 11, 50_000_000_000), (json!(7), 0, 7)]
        {
            assert_eq!(read(&value, places), Some(msat), "{value}");
            assert_eq!(write(msat, places), Some(value));
        }
        assert_eq!(read(&json!("5 sat"), 0), Some(5_000));
        assert_eq!(write(1_500, 3), None);
        assert_eq!(read(&json!("any"), 0), None);
    }
}
