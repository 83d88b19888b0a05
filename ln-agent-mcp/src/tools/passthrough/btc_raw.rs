//! `btc_raw`.

use std::time::Duration;

use ln_agent_core::tool::{Effect, ToolError, TypedTool};
use ln_agent_core::types::Object;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments::RawArgs;
use super::btc_rules::BITCOIN;
use super::command::Command;
use crate::node::Nodes;
use crate::tools::ask::SLACK;
use crate::tools::bitcoin::wallet_name::WalletName;

/// Passes a command to bitcoind.
#[derive(Debug)]
pub(super) struct BtcRaw {
    pub(super) nodes: Nodes,
}

/// Arguments of `btc_raw`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BtcRawArgs {
    /// Bitcoin Core command, one word, such as getpeerinfo, getnetworkinfo, listunspent or decoderawtransaction.
    command: Command,
    /// Its arguments: a list in the command's order, or an object by name. Default: none.
    args: Option<RawArgs>,
    /// Wallet the command is for. Default: none, which wallet commands take for the only one loaded.
    wallet: Option<WalletName>,
}

#[async_trait::async_trait]
impl TypedTool for BtcRaw {
    const NAME: &'static str = "btc_raw";
    const TITLE: &'static str = "Any Bitcoin command";
    const DESCRIPTION: &'static str = "Passes a command that has no tool of its own to bitcoind and returns its \
        answer. Commands that stop the node, touch keys or passphrases, or write files are refused: stop, \
        dumpprivkey, importprivkey, encryptwallet, backupwallet, dumpwallet, importwallet and others. Commands not \
        known to be harmless count as spending.";
    const EFFECT: Effect = Effect::Spend;
    const CLASSIFY: Option<fn(&Object) -> Effect> = Some(classify);
    type Args = BtcRawArgs;
    type Output = Value;

    fn budget(&self) -> Option<Duration> {
        Some(self.nodes.config().call_timeout * 2 + SLACK)
    }

    async fn call(&self, args: BtcRawArgs) -> Result<Value, ToolError> {
        let given = args.args.unwrap_or_default();
        BITCOIN.permit(Self::NAME, &args.command, &given)?;
        let effect = BITCOIN.effect(&args.command);
        let wallet = args.wallet.as_ref().map(WalletName::as_str);
        let deadline = self.nodes.config().call_timeout * 2;
        self.nodes.bitcoind_within(args.command.as_str(), given.params(), wallet, effect, deadline).await
    }
}

/// What a call may do.
fn classify(args: &Object) -> Effect {
    BITCOIN.classify(args)
}

#[cfg(test)]
mod tests {
    use ln_agent_core::tool::ToolErrorKind;
    use serde_json::json;

    use super::*;
    use crate::testing::{Replay, Turn};

    async fn refuse(args: Value) -> ToolError {
        let replay = Replay::bitcoind([]).await;
        let error = replay.call(BtcRaw { nodes: replay.nodes() }, args).await.unwrap_err();
        assert_eq!(replay.requests(), []);
        error
    }

    macro_rules! blocked {
        ($($test:ident: $($command:literal),+;)+) => {
            $(#[tokio::test]
            async fn $test() {
                for command in [$($command),+] {
                    let error = refuse(json!({ "command": command })).await;
                    assert_eq!(error.kind, ToolErrorKind::Refused, "{command}");
                }
            })+
        };
    }

    blocked! {
        stop_is_refused: "stop", " Stop";
        dumpprivkey_is_refused: "dumpprivkey";
        importprivkey_is_refused: "importprivkey";
        encryptwallet_is_refused: "encryptwallet";
        backupwallet_is_refused: "backupwallet";
        dumpwallet_is_refused: "dumpwallet";
        importwallet_is_refused: "importwallet";
        commands_that_touch_keys_files_or_peers_are_refused:
            "importdescriptors", "restorewallet", "walletpassphrase", "walletpassphrasechange", "dumptxoutset",
            "loadtxoutset", "savemempool", "setban", "addnode", "setnetworkactive";
    }

    #[tokio::test]
    async fn private_descriptors_are_refused_and_public_ones_are_not() {
        for (command, args) in [
            ("listdescriptors", json!([true])),
            ("listdescriptors", json!({ "private": true })),
            ("listdescriptors", json!("[true]")),
            ("gethdkeys", json!([{ "private": true }])),
            ("gethdkeys", json!({ "options": { "private": true } })),
        ] {
            let error = refuse(json!({ "command": command, "args": args })).await;
            assert_eq!(error.kind, ToolErrorKind::Refused);
        }
        let replay = Replay::bitcoind([Turn::result(json!({ "descriptors": [] }))]).await;
        let args = json!({ "command": "listdescriptors", "args": [false] });
        assert!(replay.call(BtcRaw { nodes: replay.nodes() }, args).await.is_ok());
    }

    #[tokio::test]
    async fn arguments_and_wallet_go_through() {
        let turns = [Turn::result(json!(["a"])), Turn::result(json!(null))];
        let replay = Replay::bitcoind(turns).await;
        let tool = || BtcRaw { nodes: replay.nodes() };

        let one = replay.call(tool(), json!({ "command": "listunspent", "args": [0], "wallet": "w" })).await;
        let two = replay.call(tool(), json!({ "command": "GETPEERINFO" })).await;

        assert_eq!([one, two], [Ok(json!(["a"])), Ok(json!(null))]);
        assert_eq!(
            replay.requests(),
            [("/wallet/w listunspent".to_owned(), json!([0])), ("/ getpeerinfo".to_owned(), json!([])),]
        );
    }

    #[tokio::test]
    async fn options_never_reach_the_node() {
        let word = refuse(json!({ "command": "-rpcwallet=x" })).await;
        let option = refuse(json!({ "command": "getblockcount", "args": ["--datadir=/"] })).await;

        assert_eq!([word.kind, option.kind], [ToolErrorKind::InvalidArguments, ToolErrorKind::Refused]);
    }

    #[test]
    fn the_effect_is_that_of_the_command() {
        let cases: [(&[&str], Effect); 3] = [
            (
                &[
                    "getpeerinfo",
                    "getnetworkinfo",
                    "listunspent",
                    "decoderawtransaction",
                    "estimatesmartfee",
                    "help",
                    "getblocktemplate",
                    "validateaddress",
                    "uptime",
                ],
                Effect::Read,
            ),
            (
                &[
                    "getnewaddress",
                    "getrawchangeaddress",
                    "GetNewAddress",
                    "createwallet",
                    "generatetoaddress",
                ],
                Effect::Write,
            ),
            (
                &[
                    "sendtoaddress",
                    "sendmany",
                    "send",
                    "sendall",
                    "bumpfee",
                    "sendrawtransaction",
                    "walletprocesspsbt",
                    "signrawtransactionwithwallet",
                    "walletcreatefundedpsbt",
                    "fundrawtransaction",
                    "invalidateblock",
                    "mystery",
                    "stop",
                    "-stdin",
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
    }
}
