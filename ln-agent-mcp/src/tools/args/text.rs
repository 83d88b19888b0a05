//! Free text that goes into invoices, offers and signatures.

use schemars::JsonSchema;
use serde::Deserialize;

/// What a payer reads: at most 639 bytes. Control characters become spaces, because lightningd refuses the
/// escapes that JSON needs for them.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(try_from = "String")]
pub(crate) struct Description(String);

/// The text does not fit an invoice.
#[derive(Debug, thiserror::Error)]
#[error("a description of {0} bytes is too long: expected at most {MAX_DESCRIPTION_BYTES} bytes")]
pub(crate) struct DescriptionTooLong(usize);

impl Description {
    /// As the node is told.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Description {
    type Error = DescriptionTooLong;

    fn try_from(text: String) -> Result<Self, DescriptionTooLong> {
        let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        if clean.len() > MAX_DESCRIPTION_BYTES {
            return Err(DescriptionTooLong(clean.len()));
        }
        Ok(Self(clean))
    }
}

/// What a node signs: 1 to 65,535 bytes.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(try_from = "String")]
#[schemars(extend("minLength" = 1, "maxLength" = 65_535))]
pub(crate) struct Message(String);

/// The text cannot be signed.
#[derive(Debug, thiserror::Error)]
#[error("a message of {0} bytes cannot be signed: expected 1 to {MAX_MESSAGE_BYTES} bytes")]
pub(crate) struct NotAMessage(usize);

impl Message {
    /// As the node is told.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Message {
    type Error = NotAMessage;

    fn try_from(text: String) -> Result<Self, NotAMessage> {
        if text.is_empty() || text.len() > MAX_MESSAGE_BYTES {
            Err(NotAMessage(text.len()))
        } else {
            Ok(Self(text))
        }
    }
}

const MAX_DESCRIPTION_BYTES: usize = 639;
const MAX_MESSAGE_BYTES: usize = 65_535;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_leave_a_description() {
        assert_eq!(
            Description::try_from("caf\u{e9}\n\u{1b}[31mred".to_owned()).unwrap(),
            Description("caf\u{e9}  [31mred".into())
        );
    }

    #[test]
    fn texts_that_do_not_fit_are_refused_before_the_node_sees_them() {
        assert!(Description::try_from("x".repeat(639)).is_ok());
        assert!(Description::try_from("x".repeat(640)).is_err());
        assert!(Message::try_from("x".repeat(65_535)).is_ok());
        assert!(Message::try_from("x".repeat(65_536)).is_err());
        assert!(Message::try_from(String::new()).is_err());
    }
}
