use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::lab::Lab;

#[derive(Deserialize)]
struct Recorded {
    name: String,
    method: String,
    result: Value,
}

/// Fields that only Bitcoin Knots has, or that tell of machinery a playground has not.
const LEFT_OUT: [&str; 16] = [
    "txcount",
    "header_version",
    "startingpriority",
    "currentpriority",
    "dustrelayfee",
    "dustrelayfeefloor",
    "dustdynamic",
    "rbf_policy",
    "truc_policy",
    "mintxfee",
    "currentblocksize",
    "currentblockweight",
    "currentblocktx",
    "use_txids",
    "usage",
    "hash",
];

/// Fields of ours that the recording happens to lack: no block follows the recorded ones, and the recorded raw
/// transaction is not signed.
const OURS: [&str; 2] = ["nextblockhash", "txinwitness"];

/// Lists that a playground leaves empty, or that the asked-about transaction does.
const EMPTY: [&str; 4] = ["localservicesnames", "networks", "spentby", "getmempooldescendants"];

fn differences(path: &str, ours: &Value, theirs: &Value) -> Vec<String> {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let missing =
                theirs.keys().filter(|key| !ours.contains_key(*key) && !LEFT_OUT.contains(&key.as_str()));
            let extra = ours.keys().filter(|key| !theirs.contains_key(*key) && !OURS.contains(&key.as_str()));
            let names = missing
                .map(|key| format!("{path} lacks {key}"))
                .chain(extra.map(|key| format!("{path} has {key}")));
            let shared = ours.iter().filter_map(|(key, value)| Some((key, value, theirs.get(key)?)));
            let inner =
                shared.flat_map(|(key, ours, theirs)| differences(&format!("{path}.{key}"), ours, theirs));
            names.chain(inner).collect()
        }
        (Value::Array(ours), Value::Array(theirs)) => {
            let may_be_empty = EMPTY.iter().any(|name| path.ends_with(name));
            if ours.is_empty() && !theirs.is_empty() && !may_be_empty {
                return vec![format!("{path} is empty")];
            }
            // A list may hold several kinds of elements; each of ours must look like one of theirs.
            let alone = |ours: &Value| {
                let all = theirs.iter().map(|theirs| differences(path, ours, theirs));
                all.min_by_key(Vec::len).unwrap_or_default()
            };
            ours.iter().flat_map(alone).collect()
        }
        (Value::Null, Value::Null)
        | (Value::Bool(_), Value::Bool(_))
        | (Value::Number(_), Value::Number(_))
        | (Value::String(_), Value::String(_)) => Vec::new(),
        _ => vec![format!("{path} is {ours}, recorded {theirs}")],
    }
}

/// What each recorded call becomes here: the wallet and the parameters. `unsent` is a good raw transaction.
fn calls(lab: &mut Lab, unsent: &Value) -> BTreeMap<&'static str, (Option<&'static str>, Value)> {
    let (alice, miner) = (Some("alice"), Some("miner"));
    let [legacy, nested, bech32, bech32m] =
        ["legacy", "p2sh-segwit", "bech32", "bech32m"].map(|kind| lab.address("alice", kind));
    let other = lab.address("miner", "bech32");
    let [first, second] = [&nested, &bech32].map(|to| lab.send(to, "0.10000000"));
    let raw = lab.ask("getrawtransaction", json!([first]));
    let block = lab.mine(1)[0].clone();
    let confirmed = lab.of(
        miner,
        "sendtoaddress",
        json!({"address": legacy, "amount": 0.5, "comment": "rent", "comment_to": "landlord"}),
    );
    let pending_block = lab.mine(1)[0].clone();
    let pending = lab.send(&bech32, "1.5");
    let many = lab.of(miner, "sendmany", json!(["", {&bech32: 0.01, &legacy: "0.02"}]));
    BTreeMap::from([
        ("getbalances", (miner, json!([]))),
        ("getbalances-immature", (miner, json!([]))),
        ("getbalance", (miner, json!([]))),
        ("getwalletinfo", (miner, json!([]))),
        ("listwallets", (None, json!([]))),
        ("listwalletdir", (None, json!([]))),
        ("getaddressinfo-legacy", (alice, json!([legacy]))),
        ("getaddressinfo-p2sh-segwit", (alice, json!([nested]))),
        ("getaddressinfo-bech32", (alice, json!([bech32]))),
        ("getaddressinfo-bech32m", (alice, json!([bech32m]))),
        ("getaddressinfo-not-mine", (alice, json!([other]))),
        ("validateaddress-legacy", (None, json!([legacy]))),
        ("validateaddress-p2sh-segwit", (None, json!([nested]))),
        ("validateaddress-bech32", (None, json!([bech32]))),
        ("validateaddress-bech32m", (None, json!([bech32m]))),
        ("validateaddress-mainnet", (None, json!(["bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"]))),
        ("validateaddress-garbage", (None, json!(["garbage"]))),
        ("validateaddress-empty", (None, json!([""]))),
        ("getmempoolinfo", (None, json!([]))),
        ("getrawmempool", (None, json!([]))),
        ("getrawmempool-sequence", (None, json!([false, true]))),
        ("getmempoolentry", (None, json!([pending]))),
        ("gettransaction-unconfirmed-send", (miner, json!([pending]))),
        ("gettransaction-unconfirmed-receive", (alice, json!([pending]))),
        ("listunspent-0conf", (alice, json!([0, 0]))),
        ("listunspent", (alice, json!([]))),
        ("gettransaction-confirmed-receive", (alice, json!([second]))),
        ("gettransaction-confirmed-send", (miner, json!([confirmed]))),
        ("gettransaction-verbose", (alice, json!([second, false, true]))),
        ("listtransactions", (alice, json!(["*", 2, 4]))),
        ("listtransactions-immature-generate", (miner, json!(["*", 1, 12]))),
        ("sendtoaddress", (miner, json!([bech32m, 0.25]))),
        (
            "sendtoaddress-named-verbose",
            (miner, json!({"address": nested, "amount": 0.1, "fee_rate": 5, "verbose": true})),
        ),
        ("getblockchaininfo", (None, json!([]))),
        ("getchaintips", (None, json!([]))),
        ("getbestblockhash", (None, json!([]))),
        ("getblockhash", (None, json!({"height": 1}))),
        ("getblock", (None, json!([block]))),
        ("getblock-v2", (None, json!([block, 2]))),
        ("getblock-v3", (None, json!([pending_block, 3]))),
        ("getblockheader", (None, json!([block]))),
        ("getblockheader-hex", (None, json!([block, false]))),
        ("gettxout", (None, json!([confirmed, 0]))),
        ("gettxout-spent-or-unknown", (None, json!(["00".repeat(32), 0]))),
        ("getrawtransaction-verbose", (None, json!([first, true]))),
        ("decoderawtransaction", (None, json!([raw]))),
        ("testmempoolaccept", (None, json!([[unsent]]))),
        ("testmempoolaccept-rejected", (None, json!([[raw]]))),
        ("getmininginfo", (None, json!([]))),
        ("getnetworkinfo-alone", (None, json!([]))),
        ("getpeerinfo-alone", (None, json!([]))),
        ("getconnectioncount-alone", (None, json!([]))),
        ("estimatesmartfee", (None, json!([6]))),
        ("generateblock", (None, json!([other, []]))),
        ("getunconfirmedbalance", (alice, json!([]))),
        ("bumpfee", (miner, json!([many]))),
        ("getmempooldescendants", (None, json!([pending]))),
        ("listreceivedbyaddress", (alice, json!([]))),
        ("listreceivedbylabel", (alice, json!([]))),
        ("getreceivedbyaddress", (alice, json!([bech32]))),
        ("getreceivedbylabel", (alice, json!(["lbl-bech32"]))),
        ("createwallet", (None, json!(["third"]))),
        ("unloadwallet-default", (None, json!(["third"]))),
        ("reconsiderblock", (None, json!([block]))),
    ])
}

#[test]
fn answers_have_the_fields_and_types_of_bitcoinds() {
    let recorded: Vec<Recorded> =
        serde_json::from_str(include_str!("../../fixtures/bitcoind/answers.json")).unwrap();
    // The same seed and calls give the same network, so what one would send next is good in the other.
    let mut ahead = Lab::furnished();
    calls(&mut ahead, &Value::Null);
    let next = ahead.send("bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", "3");
    let unsent = ahead.ask("getrawtransaction", json!([next]));
    let mut lab = Lab::furnished();
    let calls = calls(&mut lab, &unsent);
    let mut problems = Vec::new();
    for case in recorded {
        let Some((wallet, params)) = calls.get(case.name.as_str()) else {
            problems.push(format!("{} is never called", case.name));
            continue;
        };
        let ours = lab.of(*wallet, &case.method, params.clone());
        problems.extend(differences(&case.name, &ours, &case.result));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
