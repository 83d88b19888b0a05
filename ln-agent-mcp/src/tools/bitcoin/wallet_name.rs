//! The name of one of bitcoind's wallets.

use schemars::JsonSchema;
use serde::Deserialize;

/// A wallet's name: 1 to 64 of letters, digits, `-`, `_` and `.`, not beginning with a dot. Never a path.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(try_from = "String")]
pub(crate) struct WalletName(String);

/// The text names no wallet.
#[derive(Debug, thiserror::Error)]
#[error("expected 1 to 64 letters, digits, - _ or . and no dot in front, as in shared-wallet")]
pub(crate) struct NotAWallet;

impl WalletName {
    /// As bitcoind is told.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for WalletName {
    fn default() -> Self {
        Self("shared-wallet".to_owned())
    }
}

impl serde::Serialize for WalletName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl TryFrom<String> for WalletName {
    type Error = NotAWallet;

    fn try_from(text: String) -> Result<Self, NotAWallet> {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if (1..=64).contains(&text.len()) && !text.starts_with('.') && text.bytes().all(known) {
            Ok(Self(text))
        } else {
            Err(NotAWallet)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wallet_name_is_never_a_path() {
        for (text, accepted) in
            [("miner", true), ("a.b_c-9", true), ("../x", false), ("a/b", false), (".", false), ("", false)]
        {
            assert_eq!(WalletName::try_from(text.to_owned()).is_ok(), accepted, "{text}");
        }
    }
}
