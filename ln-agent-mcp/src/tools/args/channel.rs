//! What names one channel to a node.

use schemars::JsonSchema;
use serde::Deserialize;

use super::PeerId;

/// A channel: the peer's id where it is the only one with that peer, else a channel id or a short channel id.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(try_from = "String")]
pub(crate) struct ChannelRef(String);

/// The text names no channel.
#[derive(Debug, thiserror::Error)]
#[error(
    "not a channel: expected the peer's id (66 hex digits), a channel id (64 hex digits) or a short channel id \
     such as 103x1x0"
)]
pub(crate) struct NotAChannel;

impl ChannelRef {
    /// As the node is told.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ChannelRef {
    type Error = NotAChannel;

    fn try_from(text: String) -> Result<Self, NotAChannel> {
        let id = text.trim().to_ascii_lowercase();
        let channel_id = id.len() == 64 && id.bytes().all(|b| b.is_ascii_hexdigit());
        if channel_id || is_short_channel_id(&id) || PeerId::try_from(id.clone()).is_ok() {
            Ok(Self(id))
        } else {
            Err(NotAChannel)
        }
    }
}

/// Block, transaction and output: `103x1x0`.
fn is_short_channel_id(text: &str) -> bool {
    let parts: Vec<&str> = text.split('x').collect();
    parts.len() == 3 && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_is_a_peer_a_channel_id_or_a_short_channel_id() {
        for (text, accepted) in [
            ("103x1x0".to_owned(), true),
            ("ab".repeat(32), true),
            (format!("03{}", "ab".repeat(32)), true),
            ("103x1".to_owned(), false),
            ("x1x0".to_owned(), false),
            ("all".to_owned(), false),
        ] {
            assert_eq!(ChannelRef::try_from(text.clone()).is_ok(), accepted, "{text}");
        }
    }
}
