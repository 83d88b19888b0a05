//! Invoices, addresses, keys, hosts: texts that are one thing whatever letters they hold.

use super::Kind;

/// The thing that this piece of text is, if it is one as a whole.
pub(super) fn special(text: &str) -> Option<Kind> {
    if let Some((scheme, rest)) = text.split_once(':')
        && matches!(scheme.to_ascii_lowercase().as_str(), "lightning" | "bitcoin")
        && let Some(kind) = special(rest.trim_start_matches("//"))
    {
        return Some(kind);
    }
    let lower = text.to_ascii_lowercase();
    if text.contains("://") {
        return Some(Kind::Url(text.to_owned()));
    }
    bech32(&lower).or_else(|| hex(&lower)).or_else(|| base58(text)).or_else(|| host(text))
}

fn bech32(lower: &str) -> Option<Kind> {
    let data = lower.len() >= 14 && lower.bytes().all(|b| b.is_ascii_alphanumeric());
    if !data {
        return None;
    }
    if lower.starts_with("lno1") {
        return Some(Kind::Offer(lower.to_owned()));
    }
    if lower.starts_with("lni1") {
        return Some(Kind::Bolt12Invoice(lower.to_owned()));
    }
    if ["bcrt1", "bc1", "tb1"].iter().any(|prefix| lower.starts_with(prefix)) {
        return Some(Kind::Address(lower.to_owned()));
    }
    let after = ["lnbcrt", "lntbs", "lnbc", "lntb", "lnsb"].iter().find_map(|p| lower.strip_prefix(p))?;
    after.contains('1').then(|| Kind::Bolt11(lower.to_owned()))
}

fn hex(lower: &str) -> Option<Kind> {
    if !lower.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    match lower.len() {
        64 => Some(Kind::Hash(lower.to_owned())),
        66 if lower.starts_with("02") || lower.starts_with("03") => Some(Kind::Pubkey(lower.to_owned())),
        _ => None,
    }
}

/// Old addresses. Capitals and digits are asked for, so that no word is taken for one.
fn base58(text: &str) -> Option<Kind> {
    let fits = (26..=35).contains(&text.len())
        && matches!(text.as_bytes().first(), Some(b'1' | b'2' | b'3' | b'm' | b'n'))
        && text.bytes().all(|b| b.is_ascii_alphanumeric() && !matches!(b, b'0' | b'O' | b'I' | b'l'))
        && text.bytes().any(|b| b.is_ascii_uppercase())
        && text.bytes().any(|b| b.is_ascii_digit());
    fits.then(|| Kind::Address(text.to_owned()))
}

fn host(text: &str) -> Option<Kind> {
    if let Some((key, place)) = text.split_once('@')
        && matches!(hex(&key.to_ascii_lowercase()), Some(Kind::Pubkey(_)))
    {
        return host(place);
    }
    let (name, port) = match text.rsplit_once(':') {
        Some((name, port)) => (name, Some(port.parse::<u16>().ok()?)),
        None => (text, None),
    };
    let ip = name.parse::<std::net::Ipv4Addr>().is_ok();
    let named = port.is_some()
        && name.bytes().any(|b| b.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'));
    (ip || named).then(|| Kind::Host(name.to_ascii_lowercase(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_pieces_are_told_apart_by_their_form() {
        let key = format!("02{}", "ab".repeat(32));
        let cases = [
            ("lnbcrt10n1p4su2z8sp5r4gujvcqsm67eg", "bolt11"),
            ("lightning:LNBCRT10N1P4SU2Z8SP5R4", "bolt11"),
            ("lno1qgsqvgnwgcg35z6ee2h3yczraddm72xrfua9uve2rlrm9deu7xyfzrc", "offer"),
            ("lni1qqgds4gweqxey37gexf5jus4kcrwu", "bolt12"),
            ("bcrt1q4s9ymk2v0nsx0ng0fj8hnw4zzt2uq5c6p5u4dp", "address"),
            ("mkHS9ne12qx9pS9VojpwU5xtRd4T7X7ZUt", "address"),
            (key.as_str(), "pubkey"),
            ("127.0.0.1:9735", "host"),
            ("alice.lan:9735", "host"),
            ("https://example.org/x", "url"),
            ("channel", "none"),
            ("node-2", "none"),
        ];
        for (text, expected) in cases {
            let found = match special(text) {
                Some(Kind::Bolt11(_)) => "bolt11",
                Some(Kind::Offer(_)) => "offer",
                Some(Kind::Bolt12Invoice(_)) => "bolt12",
                Some(Kind::Address(_)) => "address",
                Some(Kind::Pubkey(_)) => "pubkey",
                Some(Kind::Host(..)) => "host",
                Some(Kind::Url(_)) => "url",
                None => "none",
                other => panic!("{other:?}"),
            };
            assert_eq!(found, expected, "{text}");
        }
    }
}
