//! An amount in BTC that is exact or refused.

use std::borrow::Cow;

use ln_agent_core::Sat;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;

/// An amount above 0 with at most eight decimals of a bitcoin, from a decimal string or a JSON number.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(try_from = "Value")]
pub(crate) struct BtcAmount(pub(crate) Sat);

/// The value is no amount in BTC.
#[derive(Debug, thiserror::Error)]
#[error("expected a decimal in BTC above 0 with at most 8 places, as in \"0.001\"")]
pub(crate) struct NotAnAmount;

impl TryFrom<Value> for BtcAmount {
    type Error = NotAnAmount;

    fn try_from(value: Value) -> Result<Self, NotAnAmount> {
        let text = match value {
            Value::String(text) => text.trim().to_owned(),
            // A number's own digits: nothing is calculated with it.
            Value::Number(number) => plain_decimal(&number.to_string()).ok_or(NotAnAmount)?,
            _ => return Err(NotAnAmount),
        };
        let digits = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let amount: Sat = format!("{text}btc").parse().map_err(|_| NotAnAmount)?;
        if digits && (1..=MAX_SAT).contains(&amount.0) { Ok(Self(amount)) } else { Err(NotAnAmount) }
    }
}

impl JsonSchema for BtcAmount {
    fn schema_name() -> Cow<'static, str> {
        "BtcAmount".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// All bitcoins there can ever be, in satoshis.
const MAX_SAT: u64 = 21_000_000 * 100_000_000;

/// `1e-8` as `0.00000001`, which is how a JSON number below 0.00001 is spelled once it was read.
fn plain_decimal(text: &str) -> Option<String> {
    let Some((mantissa, exponent)) = text.split_once(['e', 'E']) else { return Some(text.to_owned()) };
    let places: usize = exponent.strip_prefix('-')?.parse().ok().filter(|places| *places <= 20)?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let padded = format!("{whole:0>width$}", width = places + 1);
    let (head, tail) = padded.split_at(padded.len() - places);
    Some(format!("{head}.{tail}{fraction}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_numbers_are_read_to_the_satoshi_or_refused() {
        let cases = [
            ("\"0.5\"", Some(50_000_000)),
            ("\"21000000\"", Some(MAX_SAT)),
            ("0.1", Some(10_000_000)),
            ("1.10000000", Some(110_000_000)),
            ("20999999.99999999", Some(2_099_999_999_999_999)),
            ("0.00000001", Some(1)),
            ("0.00000123", Some(123)),
            ("2", Some(200_000_000)),
            ("\"0.000000001\"", None),
            ("0.000000001", None),
            ("0", None),
            ("-1", None),
            ("\"1 btc\"", None),
            ("\"1e-3\"", None),
            ("\"21000000.00000001\"", None),
            ("1e30", None),
            ("true", None),
            ("\"all\"", None),
        ];
        for (json, sat) in cases {
            let read = serde_json::from_str::<BtcAmount>(json).ok();
            assert_eq!(read, sat.map(|sat| BtcAmount(Sat(sat))), "{json}");
        }
    }
}
