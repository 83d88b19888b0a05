use lightning::offers::invoice::Bolt12Invoice;
use lightning::util::ser::Writeable;

/// A BOLT 12 invoice as text (`lni1…`), which LDK itself never needs.
pub(crate) fn bolt12_text(invoice: &Bolt12Invoice) -> String {
    let hrp = bech32::Hrp::parse_unchecked("lni");
    bech32::encode_lower::<bech32::NoChecksum>(hrp, &invoice.encode())
        .expect("an invoice is far shorter than bech32 allows without a checksum")
}

/// Reads `lni1…` back. `None` if it is not one.
pub(crate) fn bolt12_invoice(text: &str) -> Option<Bolt12Invoice> {
    let joined: String = text.split('+').map(str::trim).collect();
    let parsed = bech32::primitives::decode::CheckedHrpstring::new::<bech32::NoChecksum>(&joined).ok()?;
    if parsed.hrp().to_lowercase() != "lni" {
        return None;
    }
    Bolt12Invoice::try_from(parsed.byte_iter().collect::<Vec<u8>>()).ok()
}
