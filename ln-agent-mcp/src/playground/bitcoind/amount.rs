use bitcoin::Amount;
use serde_json::Value;

use crate::playground::chain::{Res, RpcErr};

/// Reads an amount in BTC from a JSON number or a decimal string, without rounding.
///
/// A number that went through a float is read from its shortest spelling, which is the one that was sent for
/// everything that fits 21 million BTC with eight decimals.
pub(super) fn amount(value: &Value) -> Res<Amount> {
    let sat = fixed(value, 8)?;
    match u64::try_from(sat) {
        Ok(sat) if sat <= Amount::MAX_MONEY.to_sat() => Ok(Amount::from_sat(sat)),
        _ => Err(type_error("Amount out of range")),
    }
}

/// Reads a fee rate in sat/vB, with up to three decimals; gives satoshis per thousand virtual bytes.
pub(super) fn sat_per_kvb(value: &Value) -> Res<u64> {
    u64::try_from(fixed(value, 3)?).map_err(|_| type_error("Amount out of range"))
}

/// Reads a decimal number as a count of `10^-places`.
fn fixed(value: &Value, places: i32) -> Res<i128> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => return Err(type_error("Amount is not a number or string")),
    };
    parse(&text, places).ok_or_else(|| type_error("Invalid amount"))
}

fn parse(text: &str, places: i32) -> Option<i128> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (sign, digits) = match mantissa.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, mantissa),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    if whole.is_empty() || all.len() > 30 || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let count: i128 = all.parse().ok()?;
    let shift =
        i32::try_from(fraction.len()).ok().and_then(|len| exponent.checked_add(places)?.checked_sub(len))?;
    let power = 10i128.checked_pow(shift.unsigned_abs())?;
    match shift {
        0.. => Some(sign * count.checked_mul(power)?),
        _ if count % power == 0 => Some(sign * (count / power)),
        _ => None,
    }
}

fn type_error(message: &str) -> RpcErr {
    RpcErr::new(-3, message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn amounts_are_read_exactly_from_numbers_and_strings() {
        let sat = |value| amount(&value).map(Amount::to_sat);

        assert_eq!(sat(json!(0.1)), Ok(10_000_000));
        assert_eq!(sat(json!("0.25000000")), Ok(25_000_000));
        assert_eq!(sat(json!(1e-8)), Ok(1));
        assert_eq!(sat(json!(20999999.9769)), Ok(2_099_999_997_690_000));
        assert_eq!(sat(json!(1)), Ok(100_000_000));
    }

    #[test]
    fn what_is_no_amount_is_refused_in_bitcoinds_words() {
        let refusal = |value| amount(&value).unwrap_err().to_string();

        assert_eq!(refusal(json!(-1)), "Amount out of range (code -3)");
        assert_eq!(refusal(json!("abc")), "Invalid amount (code -3)");
        assert_eq!(refusal(json!(0.123456789)), "Invalid amount (code -3)");
        assert_eq!(refusal(json!(21000001)), "Amount out of range (code -3)");
        assert_eq!(refusal(json!(true)), "Amount is not a number or string (code -3)");
    }
}
