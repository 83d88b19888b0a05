//! Which calls a provider counts together.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What a provider counts together: its name, the model, and whose secret is used.
///
/// The secret itself is not kept, only the first 12 hexadecimal digits of its SHA-256.
///
/// # Examples
///
/// ```
/// use ln_agent_core::guard::GuardKey;
///
/// let key = GuardKey::new("openai", "gpt-x", "the secret");
/// assert_eq!(key, GuardKey::new("openai", "gpt-x", "the secret"));
/// assert_ne!(key, GuardKey::new("openai", "gpt-x", "another secret"));
/// assert!(!format!("{key:?}").contains("the secret"));
/// ```
#[derive(Clone, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
pub struct GuardKey {
    provider: String,
    model: String,
    key_fingerprint: String,
}

impl GuardKey {
    /// The key for this provider, model and secret; an empty secret for a provider that takes none.
    #[must_use]
    pub fn new(provider: impl Into<String>, model: impl Into<String>, secret: &str) -> Self {
        let digest = Sha256::digest(secret.as_bytes());
        let key_fingerprint = digest[..6].iter().map(|byte| format!("{byte:02x}")).collect();
        Self { provider: provider.into(), model: model.into(), key_fingerprint }
    }

    /// The provider, such as `openai`.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// Its model.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The start of the secret's SHA-256, 12 hexadecimal digits.
    #[must_use]
    pub fn key_fingerprint(&self) -> &str {
        &self.key_fingerprint
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_is_the_start_of_the_sha_256() {
        assert_eq!(GuardKey::new("a", "b", "abc").key_fingerprint(), "ba7816bf8f01");
    }
}
