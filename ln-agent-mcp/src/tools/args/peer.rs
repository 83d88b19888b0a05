//! A node's public key.

use schemars::JsonSchema;
use serde::Deserialize;

/// A Lightning node's id: a compressed public key in hex.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = "^0[23][0-9a-fA-F]{64}$"))]
pub(crate) struct PeerId(String);

/// The text is no public key.
#[derive(Debug, thiserror::Error)]
#[error("not a node id: expected 66 hex digits that begin with 02 or 03, as ln_getinfo gives them")]
pub(crate) struct NotAPeerId;

impl PeerId {
    /// 66 lower-case hex digits.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for PeerId {
    type Error = NotAPeerId;

    fn try_from(text: String) -> Result<Self, NotAPeerId> {
        let id = text.trim().to_ascii_lowercase();
        let compressed = id.starts_with("02") || id.starts_with("03");
        if compressed && id.len() == 66 && id.bytes().all(|b| b.is_ascii_hexdigit()) {
            Ok(Self(id))
        } else {
            Err(NotAPeerId)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_compressed_public_key_is_a_peer() {
        let key = format!("02{}", "ab".repeat(32));
        for (text, accepted) in [
            (key.clone(), true),
            (key.to_uppercase(), true),
            (format!(" {key} "), true),
            (format!("04{}", "ab".repeat(32)), false),
            (key[..64].to_owned(), false),
            (format!("{key}@127.0.0.1:9735"), false),
            (format!("02{}", "zz".repeat(32)), false),
            (String::new(), false),
        ] {
            assert_eq!(PeerId::try_from(text.clone()).is_ok(), accepted, "{text}");
        }
    }
}
