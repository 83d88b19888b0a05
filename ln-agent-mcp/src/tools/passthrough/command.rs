//! The name of a command, and the rules that say what it may do.

use ln_agent_core::tool::{Effect, ToolError, ToolErrorKind};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments::RawArgs;

/// A command's name, trimmed and in lower case: a letter, then letters, digits, `_` and `-`. So no option of a
/// command line tool can pass for one.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(try_from = "String")]
pub(super) struct Command(String);

/// The text is no command.
#[derive(Debug, thiserror::Error)]
#[error("not a command: expected one word of letters, digits, - and _, such as getinfo")]
pub(super) struct NotACommand;

impl Command {
    /// As the node is told.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Command {
    type Error = NotACommand;

    fn try_from(text: String) -> Result<Self, NotACommand> {
        let name = text.trim().to_ascii_lowercase();
        let letter_first = name.starts_with(|c: char| c.is_ascii_lowercase());
        let rest =
            name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-');
        if letter_first && rest { Ok(Self(name)) } else { Err(NotACommand) }
    }
}

/// Names, and beginnings of names that end in `*`.
pub(super) struct Names(pub(super) &'static [&'static str]);

impl Names {
    /// Whether this command is among them.
    pub(super) fn hold(&self, command: &str) -> bool {
        self.0.iter().any(|name| match name.strip_suffix('*') {
            Some(beginning) => command.starts_with(beginning),
            None => command == *name,
        })
    }
}

/// What the commands of one kind of node may do. What no list names may do everything.
pub(super) struct Rules {
    /// Never passed on.
    pub(super) blocked: Names,
    /// Looked at before `read`: these begin like a read but change or spend.
    pub(super) write: Names,
    /// Looks only.
    pub(super) read: Names,
    /// Why these arguments of a command that is not blocked are refused.
    pub(super) objection: fn(&str, &RawArgs) -> Option<String>,
}

impl Rules {
    /// What a call with these arguments may do; what cannot be read may do everything (and is refused).
    pub(super) fn classify(&self, args: &Object) -> Effect {
        let command = args.get("command").and_then(Value::as_str).map(str::to_owned);
        command.and_then(|text| Command::try_from(text).ok()).map_or(Effect::Spend, |name| self.effect(&name))
    }

    /// What a command may do.
    pub(super) fn effect(&self, command: &Command) -> Effect {
        let name = command.as_str();
        if self.blocked.hold(name) {
            Effect::Spend
        } else if self.write.hold(name) {
            Effect::Write
        } else if self.read.hold(name) {
            Effect::Read
        } else {
            Effect::Spend
        }
    }

    /// Refuses what is never passed on.
    pub(super) fn permit(&self, tool: &str, command: &Command, args: &RawArgs) -> Result<(), ToolError> {
        let name = command.as_str();
        if self.blocked.hold(name) {
            let message =
                format!("{tool} does not pass on `{name}`: it can stop the node, harm it or give away keys");
            return Err(ToolError::new(ToolErrorKind::Refused, message));
        }
        if let Some(option) = args.option() {
            let message = format!("{tool} does not pass on arguments that begin with --, such as `{option}`");
            return Err(ToolError::new(ToolErrorKind::Refused, message));
        }
        match (self.objection)(name, args) {
            Some(reason) => Err(ToolError::new(ToolErrorKind::Refused, format!("{tool}: {reason}"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_word_is_a_command() {
        for (text, name) in [
            ("getinfo", Some("getinfo")),
            (" GetInfo\n", Some("getinfo")),
            ("bkpr-listincome", Some("bkpr-listincome")),
            ("fundchannel_start", Some("fundchannel_start")),
            ("-rpcwallet=x", None),
            ("--lightning-dir=/tmp", None),
            ("-stdin", None),
            ("getinfo; stop", None),
            ("get info", None),
            ("st\u{43e}p", None),
            ("", None),
        ] {
            let command = Command::try_from(text.to_owned()).ok();
            assert_eq!(command.as_ref().map(Command::as_str), name, "{text}");
        }
    }
}
