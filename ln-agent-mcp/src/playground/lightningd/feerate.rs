use super::error::RpcError;
use super::params::Params;
use crate::playground::node::FEERATE_PER_KW;

/// A feerate parameter in satoshis per 1,000 weight units. The named ones are all the playground's one feerate.
pub(super) fn read(params: &Params, name: &str) -> Result<u32, RpcError> {
    let Some(text) = params.text(name)? else { return Ok(FEERATE_PER_KW) };
    parse(&text).ok_or_else(|| {
        RpcError::usage(format!("'{name}' should be an integer with optional perkw/perkb, not '{text}'"))
    })
}

/// `normal`, `253perkw`, `1012perkb` or `1012` (per kilobyte).
pub(super) fn parse(text: &str) -> Option<u32> {
    const NAMES: [&str; 9] = [
        "normal",
        "slow",
        "urgent",
        "minimum",
        "opening",
        "mutual_close",
        "unilateral_close",
        "unilateral_anchor_close",
        "penalty",
    ];
    if NAMES.contains(&text) {
        return Some(FEERATE_PER_KW);
    }
    let (digits, per_kilobyte) = match (text.strip_suffix("perkw"), text.strip_suffix("perkb")) {
        (Some(digits), _) => (digits, false),
        (_, Some(digits)) => (digits, true),
        _ => (text, true),
    };
    let number: u32 = digits.parse().ok()?;
    let per_kw = if per_kilobyte { number.div_ceil(4) } else { number };
    Some(per_kw.max(FEERATE_PER_KW))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feerates_are_read_in_both_units_and_never_fall_below_what_is_relayed() {
        let read = ["normal", "1000perkw", "8000perkb", "8000", "1perkw", "nope", "-5"].map(parse);

        assert_eq!(read, [Some(253), Some(1000), Some(2000), Some(2000), Some(253), None, None]);
    }
}
