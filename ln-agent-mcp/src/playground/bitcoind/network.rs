use bitcoin::Amount;
use serde_json::json;

use super::answer::{Answer, object};
use super::method::{Call, Method};
use crate::playground::chain::{MIN_RELAY_SAT_PER_KVB, Res};

/// The version of bitcoind whose answers these are.
const VERSION: u32 = 290_000;
const SUBVERSION: &str = concat!("/ln-agent-playground:", env!("CARGO_PKG_VERSION"), "/");

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "getnetworkinfo",
        params: &[],
        about: "Returns an object containing various state info regarding P2P networking: a playground has no peers.",
        run: getnetworkinfo,
    },
    Method {
        name: "getpeerinfo",
        params: &[],
        about: "Returns data about each connected network peer: a playground has none.",
        run: |_| Ok(Answer::List(Vec::new())),
    },
    Method {
        name: "getconnectioncount",
        params: &[],
        about: "Returns the number of connections to other nodes: a playground has none.",
        run: |_| Ok(0.into()),
    },
];

fn getnetworkinfo(_: &mut Call<'_>) -> Res<Answer> {
    let relay_fee = Amount::from_sat(MIN_RELAY_SAT_PER_KVB);
    Ok(object()
        .with("version", VERSION)
        .with("subversion", SUBVERSION)
        .with("protocolversion", 70_016)
        .with("localservices", "0000000000000009")
        .with("localservicesnames", json!(["NETWORK", "WITNESS"]))
        .with("localrelay", true)
        .with("timeoffset", 0)
        .with("networkactive", false)
        .with("connections", 0)
        .with("connections_in", 0)
        .with("connections_out", 0)
        .with("networks", Answer::List(Vec::new()))
        .with("relayfee", relay_fee)
        .with("incrementalfee", relay_fee)
        .with("localaddresses", Answer::List(Vec::new()))
        .with("warnings", Answer::List(Vec::new()))
        .into())
}
