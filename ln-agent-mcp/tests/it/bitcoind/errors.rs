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

#[test]
fn errors_have_bitcoinds_codes_and_words() {
    let recorded: Vec<Recorded> =
        serde_json::from_str(include_str!("../../fixtures/bitcoind/errors.json")).unwrap();
    for case in recorded {
        let mut lab =
            if case.name == "getwalletinfo-no-wallet-loaded-err-18" { Lab::new() } else { Lab::furnished() };

        let error = lab.text(case.wallet.as_deref(), &case.method, case.params).unwrap_err();

        assert_eq!(error.code, case.code, "{}: {}", case.name, error.message);
        // Wrong arguments are answered by the help text; its first line is the usage.
        let words = if case.code == -1 { error.message.lines().next().unwrap() } else { &error.message };
        assert_eq!(words, case.message, "{}", case.name);
    }
}
