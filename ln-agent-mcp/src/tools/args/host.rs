//! Where a peer listens.

use schemars::JsonSchema;
use serde::Deserialize;

/// A host name, an IP address or an onion address, without a port.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(try_from = "String")]
pub(crate) struct Host(String);

/// The text names no host.
#[derive(Debug, thiserror::Error)]
#[error("not a host: expected an IP address or a host name without a port, as in 127.0.0.1")]
pub(crate) struct NotAHost;

impl Host {
    /// As the node is told.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Host {
    type Error = NotAHost;

    fn try_from(text: String) -> Result<Self, NotAHost> {
        let host = text.trim().trim_start_matches('[').trim_end_matches(']');
        if host.parse::<std::net::IpAddr>().is_ok() || is_host_name(host) {
            Ok(Self(host.to_owned()))
        } else {
            Err(NotAHost)
        }
    }
}

/// Labels of letters, digits and hyphens, joined by dots; 253 characters at most.
fn is_host_name(text: &str) -> bool {
    let label = |part: &str| {
        !part.is_empty()
            && part.len() <= 63
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    text.len() <= 253 && text.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_an_address_or_a_name_and_never_an_option() {
        for (text, accepted) in [
            ("127.0.0.1", true),
            ("::1", true),
            ("[::1]", true),
            ("node.example.org", true),
            ("127.0.0.1:9735", false),
            ("--lightning-dir=/", false),
            ("a b", false),
            ("user@host", false),
            ("", false),
        ] {
            assert_eq!(Host::try_from(text.to_owned()).is_ok(), accepted, "{text}");
        }
    }
}
