//! `ln_raw`.

use std::time::Duration;

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments::RawArgs;
use super::command::Command;
use super::ln_rules::LIGHTNING;
use crate::node::Nodes;
use crate::tools::ask::SLACK;
use crate::tools::explain::explain;

/// Passes a command to a Lightning node.
#[derive(Debug)]
pub(super) struct LnRaw {
    pub(super) nodes: Nodes,
}

/// Arguments of `ln_raw`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LnRawArgs {
    /// Node to ask, counted from 1.
    node: NodeIndex,
    /// Core Lightning command, one word, such as listconfigs, getlog, checkmessage or datastore.
    command: Command,
    /// Its arguments: a list in the command's order, or an object by name. Default: none.
    args: Option<RawArgs>,
}

#[async_trait::async_trait]
impl TypedTool for LnRaw {
    const NAME: &'static str = "ln_raw";
    const TITLE: &'static str = "Any Lightning command";
    const DESCRIPTION: &'static str = "Passes a command that has no tool of its own to a Lightning node and \
        returns its answer. Commands that stop or harm the node or give away keys are refused: stop, recover, \
        emergencyrecover, plugin, dev-*, autoclean-* and others. Commands not known to be harmless count as \
        spending.";
    const EFFECT: Effect = Effect::Spend;
    const CLASSIFY: Option<fn(&Object) -> Effect> = Some(classify);
    type Args = LnRawArgs;
    type Output = Value;

    fn budget(&self) -> Option<Duration> {
        Some(self.nodes.config().call_timeout * 2 + SLACK)
    }

    async fn call(&self, args: LnRawArgs) -> Result<Value, ToolError> {
        let given = args.args.unwrap_or_default();
        LIGHTNING.permit(Self::NAME, &args.command, &given)?;
        let effect = LIGHTNING.effect(&args.command);
        let deadline = self.nodes.config().call_timeout * 2;
        let answer =
            self.nodes.lightning(args.node, args.command.as_str(), given.params(), deadline, effect).await;
        answer.map_err(explain)
    }
}

/// What a call may do.
fn classify(args: &Object) -> Effect {
    LIGHTNING.classify(args)
}

#[cfg(test)]
mod tests {
    use ln_agent_core::tool::ToolErrorKind;
    use serde_json::json;

    use super::*;
    use crate::testing::{Replay, Turn, recorded};

    async fn refuse(args: Value) -> ToolError {
        let replay = Replay::node([]);
        let error = replay.call(LnRaw { nodes: replay.nodes() }, args).await.unwrap_err();
        assert_eq!(replay.requests(), []);
        error
    }

    async fn is_blocked(command: &str) {
        let error = refuse(json!({ "node": 1, "command": command })).await;
        assert_eq!(error.kind, ToolErrorKind::Refused);
        assert!(error.message.starts_with("ln_raw does not pass on `"), "{error}");
    }

    macro_rules! blocked {
        ($($test:ident: $($command:literal),+;)+) => {
            $(#[tokio::test]
            async fn $test() {
                $(is_blocked($command).await;)+
            })+
        };
    }

    blocked! {
        stop_is_refused: "stop", " STOP ";
        recover_is_refused: "recover";
        emergencyrecover_is_refused: "emergencyrecover";
        plugin_is_refused: "plugin", "Plugin";
        dev_commands_are_refused: "dev-crash", "DEV-fail";
        autoclean_commands_are_refused: "autoclean-once", "autoclean-status";
        commands_that_give_away_keys_or_rights_are_refused:
            "exposesecret", "makesecret", "createrune", "showrunes", "commando", "commando-rune", "hsmtool", "sql";
    }

    #[tokio::test]
    async fn arguments_go_through_in_each_of_their_forms() {
        let turn = recorded("338-checkmessage-known-node");
        for args in [turn.params(), json!(turn.params().to_string())] {
            let replay = Replay::node([turn.clone()]);
            let args = json!({ "node": 1, "command": "CheckMessage", "args": args });

            let payload = replay.call(LnRaw { nodes: replay.nodes() }, args).await.unwrap();

            assert_eq!(payload, turn.answer());
            assert_eq!(replay.requests(), [("checkmessage".to_owned(), turn.params())]);
        }
    }

    #[tokio::test]
    async fn documented_commands_pass() {
        for (name, command) in [
            ("039-listconfigs-one", "listconfigs"),
            ("045-getlog-broken", "getlog"),
            ("356-datastore", "datastore"),
        ] {
            let turn = recorded(name);
            let replay = Replay::node([turn.clone()]);
            let args = json!({ "node": 1, "command": command, "args": turn.params() });

            let payload = replay.call(LnRaw { nodes: replay.nodes() }, args).await.unwrap();

            assert_eq!(payload, turn.answer());
            assert_eq!(replay.requests(), [(command.to_owned(), turn.params())]);
        }
    }

    #[tokio::test]
    async fn options_and_words_that_are_no_commands_never_reach_the_node() {
        let option = refuse(json!({ "node": 1, "command": "getinfo", "args": ["--lightning-dir=/"] })).await;
        let word = refuse(json!({ "node": 1, "command": "--lightning-dir=/ getinfo" })).await;
        let text = refuse(json!({ "node": 1, "command": "getinfo", "args": "id" })).await;

        assert_eq!(option.kind, ToolErrorKind::Refused);
        assert_eq!([word.kind, text.kind], [ToolErrorKind::InvalidArguments; 2]);
    }

    #[tokio::test]
    async fn an_expiry_that_would_abort_lightningd_is_refused() {
        for args in [json!({ "expiry": -1 }), json!([1, "l", "d", -1]), json!({ "expiry": "-1" })] {
            let error = refuse(json!({ "node": 1, "command": "invoice", "args": args })).await;
            assert_eq!(error.kind, ToolErrorKind::Refused);
        }
    }

    #[tokio::test]
    async fn a_lost_answer_to_a_payment_is_unknown_and_to_a_read_is_not() {
        let replay = Replay::node([Turn::hang_up(), Turn::hang_up()]);
        let call = |command: &str| {
            replay.call(LnRaw { nodes: replay.nodes() }, json!({ "node": 1, "command": command }))
        };

        let (pay, read) = (call("sendpay").await.unwrap_err(), call("listpeers").await.unwrap_err());

        assert_eq!([pay.kind, read.kind], [ToolErrorKind::Unknown, ToolErrorKind::Unreachable]);
    }

    #[test]
    fn the_effect_is_that_of_the_command() {
        let cases: [(&[&str], Effect); 3] = [
            (
                &[
                    "listpeers",
                    "ListFunds",
                    "getinfo",
                    "getroute",
                    "decode",
                    "help",
                    "checkmessage",
                    "checkrune",
                    "estimatefees",
                    "feerates",
                    "waitinvoice",
                    "bkpr-listincome",
                    "signmessage",
                ],
                Effect::Read,
            ),
            (
                &[
                    "connect",
                    "invoice",
                    "newaddr",
                    "datastore",
                    "setchannel",
                    "offer",
                    "delpay",
                    "disconnect",
                ],
                Effect::Write,
            ),
            (
                &[
                    "pay",
                    "xpay",
                    "PAY",
                    " pay ",
                    "keysend",
                    "xkeysend",
                    "sendpay",
                    "sendonion",
                    "withdraw",
                    "fundchannel",
                    "multifundchannel",
                    "close",
                    "txsend",
                    "signpsbt",
                    "sendpsbt",
                    "splice_signed",
                    "invoicerequest",
                    "renepay",
                    "funderupdate",
                    "some-plugin",
                    "stop",
                    "--help",
                    "",
                ],
                Effect::Spend,
            ),
        ];
        for (commands, effect) in cases {
            for command in commands {
                let args = json!({ "command": command });
                assert_eq!(classify(args.as_object().unwrap()), effect, "{command}");
            }
        }
        assert_eq!(classify(&Object::new()), Effect::Spend);
    }
}
