//! What bitcoind's commands may do.

use serde_json::Value;

use super::arguments::RawArgs;
use super::command::{Names, Rules};

/// Bitcoin Core's commands, as of v30, and those Knots adds.
pub(super) const BITCOIN: Rules = Rules {
    // The further lines take or give keys, open wallets, read and write files, or cut the node off.
    blocked: Names(&[
        "stop",
        "dumpprivkey",
        "importprivkey",
        "encryptwallet",
        "backupwallet",
        "dumpwallet",
        "importwallet",
        "importdescriptors",
        "importmulti",
        "restorewallet",
        "migratewallet",
        "sethdseed",
        "sweepprivkeys",
        "walletpassphrase",
        "walletpassphrasechange",
        "signrawtransactionwithkey",
        "signmessagewithprivkey",
        "dumptxoutset",
        "loadtxoutset",
        "savemempool",
        "importmempool",
        "setban",
        "clearbanned",
        "addnode",
        "disconnectnode",
        "setnetworkactive",
    ]),
    write: Names(&[
        "abandontransaction",
        "addmultisigaddress",
        "createwallet",
        "generatetoaddress",
        "generateblock",
        "generatetodescriptor",
        "getnewaddress",
        "getrawchangeaddress",
        "keypoolrefill",
        "loadwallet",
        "lockunspent",
        "logging",
        "prioritisetransaction",
        "rescanblockchain",
        "setlabel",
        "settxfee",
        "setwalletflag",
        "signmessage",
        "simulaterawtransaction",
        "submitblock",
        "submitheader",
        "unloadwallet",
        "walletlock",
    ]),
    read: Names(&[
        "list*",
        "get*",
        "decode*",
        "help",
        "estimate*",
        "analyzepsbt",
        "combinepsbt",
        "combinerawtransaction",
        "converttopsbt",
        "createmultisig",
        "createpsbt",
        "createrawtransaction",
        "deriveaddresses",
        "echo",
        "finalizepsbt",
        "gettxspendingprevout",
        "joinpsbts",
        "ping",
        "scanblocks",
        "scantxoutset",
        "testmempoolaccept",
        "uptime",
        "utxoupdatepsbt",
        "validateaddress",
        "verifychain",
        "verifymessage",
        "verifytxoutproof",
        "waitforblock",
        "waitforblockheight",
        "waitfornewblock",
    ]),
    objection,
};

/// Both of these show private keys when asked to.
fn objection(command: &str, args: &RawArgs) -> Option<String> {
    let private = match command {
        "listdescriptors" => args.get("private", 0)?,
        "gethdkeys" => match args {
            RawArgs::List(values) => values.first()?.get("private")?,
            RawArgs::Named(values) => {
                values.get("private").or_else(|| values.get("options").and_then(|o| o.get("private")))?
            }
        },
        _ => return None,
    };
    let harmless = matches!(private, Value::Null | Value::Bool(false));
    (!harmless).then(|| format!("`{command}` is passed on without private keys only"))
}
