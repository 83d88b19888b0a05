use serde::Deserialize;
use serde_json::Value;

use super::lab::Lab;

#[derive(Deserialize)]
struct Recorded {
    name: String,
    method: String,
    params: Value,
    wallet: Option<String>,
    code: i64,
    message: String,
}

/// Where our words must differ, and why.
const REWORDED: [(&str, &str); 4] = [
    ("createwallet-exists-err-4", "the wallet's path is not that of the recording machine"),
    ("loadwallet-not-found-err-18", "the wallet's path is not that of the recording machine"),
    ("getnewaddress-wallet-not-found-err-18", "same words"),
    ("decoderawtransaction-err-22", "same words"),
];

#[test]
fn errors_have_bitcoinds_codes_and_words() {
    let recorded: Vec<Recorded> =
        serde_json::from_str(include_str!("../../fixtures/bitcoind/errors.json")).unwrap();
    for case in recorded {
        let mut lab =
            if case.name == "getwalletinfo-no-wallet-loaded-err-18" { Lab::new() } else { Lab::furnished() };
        if case.name == "getwalletinfo-two-wallets-err-19" {
            assert_eq!(lab.ask("listwallets", Value::Null).as_array().map(Vec::len), Some(2));
        }

        let error = lab.text(case.wallet.as_deref(), &case.method, case.params).unwrap_err();

        assert_eq!(error.code, case.code, "{}: {}", case.name, error.message);
        if !REWORDED.iter().any(|(name, _)| *name == case.name) {
            // Wrong arguments are answered by the help text; its first line is the usage.
            let words = if case.code == -1 { error.message.lines().next().unwrap() } else { &error.message };
            assert_eq!(words, case.message, "{}", case.name);
        }
    }
}
