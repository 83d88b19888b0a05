//! An invoice as text.

use schemars::JsonSchema;
use serde::Deserialize;

/// A BOLT 11 invoice (`lnbc…`, `lntb…`, `lntbs…`, `lnbcrt…`) or a BOLT 12 invoice (`lni1…`), in lower case and
/// without a `lightning:` prefix.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = "^(?i)(lightning:)?(lnbcrt|lnbc|lntbs|lntb|lni1)[a-z0-9]+$"))]
pub(crate) struct InvoiceString(String);

/// The text is no invoice.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotAnInvoice {
    /// An offer must be turned into an invoice first.
    #[error("this is an offer: call ln_fetchinvoice with it and pay the invoice that it returns")]
    Offer,
    /// Anything else.
    #[error("not an invoice: expected a text that begins with lnbcrt, lnbc, lntbs, lntb or lni1")]
    Other,
}

impl InvoiceString {
    /// As the node is told.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for InvoiceString {
    type Error = NotAnInvoice;

    fn try_from(text: String) -> Result<Self, NotAnInvoice> {
        let invoice = bare(&text);
        if invoice.starts_with("lno1") {
            return Err(NotAnInvoice::Offer);
        }
        let known = PREFIXES.iter().any(|prefix| invoice.len() > prefix.len() && invoice.starts_with(prefix));
        if known && invoice.bytes().all(|b| b.is_ascii_alphanumeric()) {
            Ok(Self(invoice))
        } else {
            Err(NotAnInvoice::Other)
        }
    }
}

/// Lower case, without surrounding space and without `lightning:`.
pub(super) fn bare(text: &str) -> String {
    let lower = text.trim().to_ascii_lowercase();
    lower.strip_prefix("lightning:").unwrap_or(&lower).trim_start_matches('/').to_owned()
}

const PREFIXES: [&str; 5] = ["lnbcrt", "lnbc", "lntbs", "lntb", "lni1"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invoices_of_every_network_and_of_bolt_12_are_accepted_in_any_dress() {
        for (text, bare) in [
            ("lnbcrt1abc", "lnbcrt1abc"),
            ("LNBC1ABC", "lnbc1abc"),
            ("lightning:lntb1abc", "lntb1abc"),
            ("LIGHTNING:LNTBS1ABC", "lntbs1abc"),
            (" lni1abc\n", "lni1abc"),
        ] {
            assert_eq!(InvoiceString::try_from(text.to_owned()).unwrap(), InvoiceString(bare.into()));
        }
    }

    #[test]
    fn offers_addresses_and_fragments_are_no_invoices() {
        for text in ["lno1abc", "bcrt1qabc", "lnbc", "lni1", "ln bcrt1", "lnbcrt1a b", "", "$step1.result"] {
            assert!(InvoiceString::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}
