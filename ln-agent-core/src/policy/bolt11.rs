//! The amount that stands in front of a BOLT 11 invoice.

use crate::types::Msat;

/// The amount in the human-readable part of a BOLT 11 invoice; `None` for an invoice without amount and for what is
/// no invoice. The checksum is not looked at: a node does that before it pays.
///
/// # Examples
///
/// ```
/// # use ln_agent_core::Msat;
/// # use ln_agent_core::policy::invoice_amount;
/// assert_eq!(invoice_amount("lnbcrt100n1pjqexample"), Some(Msat(10_000)));
/// assert_eq!(invoice_amount("lnbcrt1pjqexample"), None);
/// ```
#[must_use]
pub fn invoice_amount(invoice: &str) -> Option<Msat> {
    let invoice = invoice.trim().to_ascii_lowercase();
    let invoice = invoice.strip_prefix("lightning:").unwrap_or(&invoice);
    // The last 1 separates: the data part has no 1 in its alphabet.
    let (readable, _data) = invoice.rsplit_once('1')?;
    // Longer names first: `bc` begins `bcrt`, and an amount never begins with a letter.
    let amount = ["lnbcrt", "lntbs", "lnbc", "lntb", "lnsb"].iter().find_map(|p| readable.strip_prefix(p))?;
    let digits = amount.trim_end_matches(['m', 'u', 'n', 'p']);
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    let number: u64 = digits.parse().ok().filter(|_| plain)?;
    match &amount[digits.len()..] {
        "" => number.checked_mul(MSAT_PER_BTC),
        "m" => number.checked_mul(MSAT_PER_BTC / 1_000),
        "u" => number.checked_mul(MSAT_PER_BTC / 1_000_000),
        "n" => number.checked_mul(MSAT_PER_BTC / 1_000_000_000),
        // A pico-bitcoin is a tenth of a millisatoshi.
        "p" => number.is_multiple_of(10).then_some(number / 10),
        _ => None,
    }
    .map(Msat)
}

const MSAT_PER_BTC: u64 = 100_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_exactly() {
        let cases = [
            ("lnbc2500u1pvjluezpp5", Some(250_000_000)),
            ("lnbc20m1pvjluezpp5", Some(2_000_000_000)),
            ("LNBC25M1PVJLUEZPP5", Some(2_500_000_000)),
            ("lightning:lntbs1500n1pqqq", Some(150_000)),
            ("lnbcrt9678785340p1pwmna7l", Some(967_878_534)),
            ("lnbcrt11pqqq", Some(100_000_000_000)),
            ("lnbc1pvjluezpp5", None),
            ("lnbc2500x1pvjluez", None),
            ("lnbc01u1pvjluez", None),
            ("lnbc5p1pvjluez", None),
            ("lnbc999999999999m1p", None),
            ("lni1pvjluez", None),
            ("lnbc10mm1pvj", None),
            ("", None),
        ];
        for (invoice, expected) in cases {
            assert_eq!(invoice_amount(invoice).map(|amount| amount.0), expected, "{invoice}");
        }
    }
}
