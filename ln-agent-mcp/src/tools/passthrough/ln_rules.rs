//! What lightningd's commands may do.

use super::arguments::RawArgs;
use super::command::{Names, Rules};

/// Core Lightning's commands, as of v26.06.
pub(super) const LIGHTNING: Rules = Rules {
    // The second line gives away secrets or the right to call; `sql` and `commando` reach past these rules.
    blocked: Names(&[
        "stop",
        "recover",
        "emergencyrecover",
        "plugin",
        "dev-*",
        "autoclean-*",
        "exposesecret",
        "makesecret",
        "createrune",
        "invokerune",
        "showrunes",
        "commando*",
        "hsm*",
        "sql",
        "recoverchannel",
        "dev",
        "setconfig",
    ]),
    write: Names(&[
        "addgossip",
        "batching",
        "blacklistrune",
        "connect",
        "createinvoice",
        "datastore",
        "deldatastore",
        "delforward",
        "delinvoice",
        "delpay",
        "deprecations",
        "destroyrune",
        "disableinvoicerequest",
        "disableoffer",
        "disconnect",
        "enableoffer",
        "fetchinvoice",
        "invoice",
        "newaddr",
        "notifications",
        "offer",
        "reserveinputs",
        "sendcustommsg",
        "sendinvoice",
        "setchannel",
        "setleaserates",
        "setpsbtversion",
        "txdiscard",
        "unreserveinputs",
        "askrene-age",
        "askrene-create-layer",
        "askrene-remove-layer",
        "askrene-bias-*",
        "askrene-inform-channel",
        "askrene-disable-node",
        "askrene-reserve",
        "askrene-unreserve",
        "askrene-update-channel",
        "askrene-create-channel",
        "bkpr-edit*",
        "getaddress*",
        "getnewaddress*",
    ]),
    read: Names(&[
        "list*",
        "get*",
        "decode*",
        "help",
        "check",
        "checkmessage",
        "checkrune",
        "estimate*",
        "feerates",
        "parsefeerate",
        "paystatus",
        "ping",
        "summary",
        "signmessage",
        "staticbackup",
        "wait",
        "waitanyinvoice",
        "waitblockheight",
        "waitinvoice",
        "waitsendpay",
        "bkpr-list*",
        "bkpr-inspect",
        "bkpr-channelsapy",
        "bkpr-report",
        "askrene-list*",
        "bkpr-dumpincomecsv",
    ]),
    objection,
};

/// An expiry below zero aborts lightningd v26.06.
fn objection(command: &str, args: &RawArgs) -> Option<String> {
    let expiry = (command == "invoice").then(|| args.get("expiry", EXPIRY_POSITION)).flatten()?;
    let negative = expiry.as_f64().is_some_and(|secs| secs < 0.0)
        || expiry.as_str().is_some_and(|text| text.trim_start().starts_with('-'));
    negative.then(|| format!("argument `expiry` was {expiry}: expected seconds from 0"))
}

/// `invoice amount_msat label description expiry`, counted from 0.
const EXPIRY_POSITION: usize = 3;
