//! An offer as text.

use schemars::JsonSchema;
use serde::Deserialize;

use super::invoice::bare;

/// A BOLT 12 offer (`lno1…`), in lower case and without a `lightning:` prefix.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = "^(?i)(lightning:)?lno1[a-z0-9+\\s]+$"))]
pub(crate) struct OfferString(String);

/// The text is no offer.
#[derive(Debug, thiserror::Error)]
#[error("not an offer: expected a text that begins with lno1, as ln_offer gives it")]
pub(crate) struct NotAnOffer;

impl OfferString {
    /// As the node is told.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for OfferString {
    type Error = NotAnOffer;

    fn try_from(text: String) -> Result<Self, NotAnOffer> {
        // BOLT 12 lets long offers be broken by a plus sign and space.
        let offer: String = bare(&text).chars().filter(|c| *c != '+' && !c.is_whitespace()).collect();
        if offer.len() > 4 && offer.starts_with("lno1") && offer.bytes().all(|b| b.is_ascii_alphanumeric()) {
            Ok(Self(offer))
        } else {
            Err(NotAnOffer)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offer_is_accepted_in_any_dress_and_an_invoice_is_not() {
        assert_eq!(
            OfferString::try_from("LIGHTNING:LNO1AB+\n CD".to_owned()).unwrap(),
            OfferString("lno1abcd".into())
        );
        for text in ["lnbcrt1abc", "lni1abc", "lno1", "garbage", ""] {
            assert!(OfferString::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}
