use bitcoin::secp256k1::PublicKey;
use serde_json::{Map, Value};

use super::error::RpcError;

/// A method's parameters by name.
#[derive(Debug, Default)]
pub(crate) struct Params(Map<String, Value>);

/// An amount that may be left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnyOr {
    Any,
    Amount(u64),
}

const MSAT: &str = "should be a millisatoshi amount";
const SAT: &str = "should be a satoshi amount";

impl Params {
    /// Takes an object, or an array in the order of `names`; in arrays null means not given. A name that ends in
    /// `?` is optional.
    pub(crate) fn bind(names: &[&str], given: Value) -> Result<Self, RpcError> {
        let plain = || names.iter().map(|name| name.trim_end_matches('?'));
        let map = match given {
            Value::Object(map) => {
                if let Some(unknown) = map.keys().find(|key| !plain().any(|name| name == key.as_str())) {
                    return Err(RpcError::usage(format!(
                        "unknown parameter: {unknown}, this may be caused by a failure to autodetect key=value-style \
                         parameters. Please try using the -k flag and explicit key=value pairs of parameters."
                    )));
                }
                map
            }
            Value::Array(items) => {
                if items.len() > names.len() {
                    return Err(RpcError::usage(format!(
                        "too many parameters: got {}, expected {}",
                        items.len(),
                        names.len()
                    )));
                }
                plain().map(str::to_owned).zip(items).collect()
            }
            _ => return Err(RpcError::usage("Expected array or object for params")),
        };
        let bound = Self(map.into_iter().filter(|(_, value)| !value.is_null()).collect());
        match names.iter().find(|name| !name.ends_with('?') && bound.get(name).is_none()) {
            Some(missing) => Err(RpcError::usage(format!("missing required parameter: {missing}"))),
            None => Ok(bound),
        }
    }

    /// Drops a parameter that has been dealt with.
    pub(super) fn forget(&mut self, name: &str) {
        self.0.remove(name);
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub(super) fn required(&self, name: &str) -> Result<&Value, RpcError> {
        self.get(name).ok_or_else(|| RpcError::usage(format!("missing required parameter: {name}")))
    }

    /// A string; a number counts as its digits, as in Core Lightning.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, RpcError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(other) => Err(RpcError::invalid(name, "should be a string", other)),
        }
    }

    pub(super) fn required_text(&self, name: &str) -> Result<String, RpcError> {
        self.required(name)?;
        Ok(self.text(name)?.unwrap_or_default())
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<u64>, RpcError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = match value {
            Value::String(text) => text.parse().ok(),
            other => other.as_u64(),
        };
        match number {
            Some(number) => Ok(Some(number)),
            None => Err(RpcError::invalid(name, "should be an unsigned 64 bit integer", value)),
        }
    }

    pub(super) fn number32(&self, name: &str) -> Result<Option<u32>, RpcError> {
        let Some(number) = self.number(name)? else { return Ok(None) };
        let small = u32::try_from(number);
        small.map(Some).map_err(|_| RpcError::invalid(name, "should be an integer", &Value::from(number)))
    }

    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, RpcError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(Value::String(text)) if text == "true" => Ok(Some(true)),
            Some(Value::String(text)) if text == "false" => Ok(Some(false)),
            Some(other) => Err(RpcError::invalid(name, "should be 'true' or 'false'", other)),
        }
    }

    /// An amount in millisatoshis: an integer, or a string with a unit.
    pub(super) fn msat(&self, name: &str) -> Result<Option<u64>, RpcError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        msat_of(value).map(Some).ok_or_else(|| RpcError::invalid(name, MSAT, value))
    }

    /// An amount in satoshis, or `"all"` as `None`.
    pub(super) fn sat_or_all(&self, name: &str) -> Result<Option<u64>, RpcError> {
        let value = self.required(name)?;
        if value == "all" {
            return Ok(None);
        }
        sat_of(value).map(Some).ok_or_else(|| RpcError::invalid(name, SAT, value))
    }

    /// A positive amount in millisatoshis, or `"any"`.
    pub(super) fn msat_or_any(&self, name: &str) -> Result<AnyOr, RpcError> {
        let value = self.required(name)?;
        if value == "any" {
            return Ok(AnyOr::Any);
        }
        match msat_of(value) {
            Some(amount) if amount > 0 => Ok(AnyOr::Amount(amount)),
            _ => Err(RpcError::invalid(name, "should be positive msat or 'any'", value)),
        }
    }

    /// A node's public key in hex.
    pub(super) fn node_id(&self, name: &str) -> Result<Option<PublicKey>, RpcError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let key = value.as_str().and_then(|text| text.parse().ok());
        key.map(Some).ok_or_else(|| RpcError::invalid(name, "should be a node id", value))
    }

    /// 32 bytes in hex, given back as lower-case text.
    pub(super) fn hash(&self, name: &str) -> Result<Option<String>, RpcError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let text = value.as_str().map(str::to_lowercase);
        match text.filter(|text| crate::playground::world::bytes32(text).is_some()) {
            Some(text) => Ok(Some(text)),
            None => Err(RpcError::invalid(name, "should be a 32 byte hex value", value)),
        }
    }
}

/// Millisatoshis from `5`, `"5"`, `"5msat"`, `"5sat"` or `"0.001btc"`.
fn msat_of(value: &Value) -> Option<u64> {
    let Some(text) = value.as_str() else { return value.as_u64() };
    if let Some(msat) = text.strip_suffix("msat") {
        return msat.parse().ok();
    }
    if let Some(sat) = text.strip_suffix("sat") {
        return scaled(sat, 3);
    }
    match text.strip_suffix("btc") {
        Some(btc) => scaled(btc, 11),
        None => text.parse().ok(),
    }
}

/// Satoshis from `5`, `"5"`, `"5sat"`, `"5000msat"` or `"0.001btc"`.
fn sat_of(value: &Value) -> Option<u64> {
    let Some(text) = value.as_str() else { return value.as_u64() };
    if let Some(msat) = text.strip_suffix("msat") {
        let msat: u64 = msat.parse().ok()?;
        return msat.is_multiple_of(1_000).then_some(msat / 1_000);
    }
    if let Some(sat) = text.strip_suffix("sat") {
        return sat.parse().ok();
    }
    match text.strip_suffix("btc") {
        Some(btc) => scaled(btc, 8),
        None => text.parse().ok(),
    }
}

/// A decimal number times ten to the power of `digits`, if that is a whole number.
fn scaled(text: &str, digits: usize) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if fraction.len() > digits || whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    format!("{whole}{fraction:0<digits$}").parse().ok()
}

/// Seconds since 1970 as `2026-12-01T01:52:03.000Z`.
pub(super) fn iso_time(secs: u64) -> String {
    let (days, rest) = (secs / 86_400, secs % 86_400);
    // Civil date from days, by Howard Hinnant's algorithm over years that start in March.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.000Z", rest / 3_600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn amounts_are_read_exactly_in_every_unit() {
        let read: Vec<_> =
            [json!(5), json!("5msat"), json!("5sat"), json!("0.00000000001btc"), json!("1.5btc")]
                .iter()
                .map(msat_of)
                .collect();

        assert_eq!(read, [Some(5), Some(5), Some(5_000), Some(1), Some(150_000_000_000)]);
        assert_eq!(sat_of(&json!("0.1btc")), Some(10_000_000));
    }

    #[test]
    fn amounts_that_are_no_whole_number_are_refused() {
        let refused: Vec<_> =
            [json!(1.5), json!(-1), json!("abc"), json!("1.5msat"), json!(".5btc"), json!("-1sat")]
                .iter()
                .map(msat_of)
                .collect();

        assert_eq!(refused, [None; 6]);
        assert_eq!(sat_of(&json!("1001msat")), None);
    }

    #[test]
    fn times_are_written_as_core_lightning_writes_them() {
        assert_eq!(iso_time(1_796_089_923), "2026-12-01T01:52:03.000Z");
        assert_eq!(iso_time(951_782_400), "2000-02-29T00:00:00.000Z");
    }

    #[test]
    fn parameters_come_by_name_or_in_order_and_null_means_absent() {
        let names = ["id", "host?", "port?"];

        let bound = Params::bind(&names, json!(["x", null, 9735])).unwrap();

        assert_eq!(
            (bound.get("id"), bound.get("host"), bound.get("port")),
            (Some(&json!("x")), None, Some(&json!(9735)))
        );
        let message = |given| Params::bind(&names, given).unwrap_err().message;
        assert_eq!(message(json!({})), "missing required parameter: id");
        assert_eq!(message(json!([1, 2, 3, 4])), "too many parameters: got 4, expected 3");
        assert!(message(json!({"id": 1, "bogus": 2})).starts_with("unknown parameter: bogus, this may be"));
    }
}
