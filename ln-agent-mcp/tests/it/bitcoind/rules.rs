use serde_json::json;

use super::lab::Lab;

#[test]
fn a_reward_is_immature_for_a_hundred_blocks() {
    let mut lab = Lab::new();
    lab.ask("createwallet", json!(["w"]));
    let mine = lab.ask("getnewaddress", json!([]));
    lab.ask("generatetoaddress", json!([1, mine]));
    let nobody = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";

    lab.ask("generatetoaddress", json!([98, nobody]));
    assert_eq!(lab.text(None, "getbalance", json!([])).unwrap(), "0.00000000");
    let refused = lab.text(None, "sendtoaddress", json!([nobody, 1])).unwrap_err();
    assert_eq!((refused.code, refused.message.as_str()), (-6, "Insufficient funds"));

    lab.ask("generatetoaddress", json!([1, nobody]));
    assert_eq!(lab.text(None, "getbalance", json!([])).unwrap(), "50.00000000");
    lab.ask("sendtoaddress", json!([nobody, 1]));
}

#[test]
fn every_kind_of_address_can_be_paid_and_spent() {
    for kind in ["legacy", "p2sh-segwit", "bech32", "bech32m"] {
        let mut lab = Lab::furnished();
        let address = lab.address("alice", kind);
        lab.send(&address, "2");
        lab.mine(1);

        let back = lab.address("miner", "bech32");
        let txid = lab.of(Some("alice"), "sendtoaddress", json!([back, "1.5"]));
        lab.mine(1);

        let confirmed = lab.of(Some("miner"), "gettransaction", json!([txid]));
        assert_eq!(confirmed["confirmations"], 1, "{kind}");
    }
}

#[test]
fn a_changed_amount_breaks_the_signature() {
    for kind in ["legacy", "p2sh-segwit", "bech32", "bech32m"] {
        let mut lab = Lab::furnished();
        let address = lab.address("alice", kind);
        lab.send(&address, "2");
        lab.mine(1);
        let to = lab.address("miner", "bech32");
        let txid = lab.of(Some("alice"), "sendtoaddress", json!([to, "1.0"]));
        let raw = lab.ask("getrawtransaction", json!([txid])).as_str().unwrap().to_owned();
        // 1 BTC and 0.99999999 BTC, as they stand in the outputs.
        let forged = raw.replace("00e1f50500000000", "ffe0f50500000000");
        assert_ne!(raw, forged);

        let mut other = Lab::furnished();
        let address = other.address("alice", kind);
        other.send(&address, "2");
        other.mine(1);
        let error = other.text(None, "sendrawtransaction", json!([forged])).unwrap_err();

        assert_eq!(error.code, -26, "{kind}: {error}");
        assert!(error.message.starts_with("mempool-script-verify-flag-failed ("), "{kind}: {error}");
        assert!(
            other.text(None, "sendrawtransaction", json!([raw])).is_ok(),
            "{kind}: the untouched one is good"
        );
    }
}

#[test]
fn a_second_spend_of_a_coin_needs_a_higher_fee_and_replaces_the_first() {
    // The same seed gives the same coins; three networks build three spends of one coin.
    let spend = |rate: u32| {
        let mut lab = Lab::furnished();
        let to = lab.address("alice", "bech32");
        let sent = json!({"address": to, "amount": "1", "fee_rate": rate});
        let txid = lab.of(Some("miner"), "sendtoaddress", sent);
        (lab.ask("getrawtransaction", json!([txid])), txid)
    };
    let ((cheap, cheap_id), (dear, dear_id)) = (spend(2), spend(9));
    let mut lab = Lab::furnished();
    lab.ask("sendrawtransaction", json!([dear]));
    let refused = lab.text(None, "sendrawtransaction", json!([cheap])).unwrap_err();
    assert_eq!(refused.code, -26);
    assert!(refused.message.starts_with("insufficient fee, rejecting replacement "), "{refused}");

    let mut lab = Lab::furnished();
    assert_eq!(lab.ask("sendrawtransaction", json!([cheap])), cheap_id);
    assert_eq!(lab.ask("sendrawtransaction", json!([dear])), dear_id);

    assert_eq!(lab.ask("getrawmempool", json!([])), json!([dear_id]));
    let block = lab.mine(1);
    assert_eq!(lab.ask("getblock", json!([block[0]]))["tx"][1], dear_id);
    let late = lab.text(None, "sendrawtransaction", json!([cheap])).unwrap_err();
    assert_eq!((late.code, late.message.as_str()), (-25, "bad-txns-inputs-missingorspent"));
    let again = lab.text(None, "sendrawtransaction", json!([dear])).unwrap_err();
    assert_eq!((again.code, again.message.as_str()), (-27, "Transaction outputs already in utxo set"));
}

#[test]
fn a_reorganisation_gives_transactions_back_and_takes_them_again() {
    let mut lab = Lab::furnished();
    let to = lab.address("alice", "bech32m");
    let txid = lab.send(&to, "1");
    let block = lab.mine(1)[0].clone();
    let before = lab.text(Some("alice"), "getbalances", json!([])).unwrap();

    lab.ask("invalidateblock", json!([block]));
    assert_eq!(lab.ask("getblockcount", json!([])), 103);
    assert_eq!(lab.ask("getrawmempool", json!([])), json!([txid]));
    assert_eq!(lab.of(Some("alice"), "getbalances", json!([]))["mine"]["untrusted_pending"], 1.0);

    lab.ask("reconsiderblock", json!([block]));
    assert_eq!(lab.ask("getbestblockhash", json!([])), block);
    assert_eq!(lab.ask("getrawmempool", json!([])), json!([]));
    assert_eq!(lab.text(Some("alice"), "getbalances", json!([])).unwrap(), before);
}

#[test]
fn what_is_paid_and_what_is_left_add_up_to_the_satoshi() {
    let mut lab = Lab::furnished();
    let to = lab.address("alice", "bech32");
    let sent = lab.send(&to, "0.12345678");
    let fee = lab.of(Some("miner"), "gettransaction", json!([sent]))["fee"].to_string();

    assert_eq!(fee, "-1.41e-6", "141 virtual bytes at 1 sat/vB");
    assert_eq!(lab.text(Some("miner"), "getbalance", json!([])).unwrap(), "199.87654181");
    assert_eq!(lab.text(Some("alice"), "getbalance", json!([])).unwrap(), "0.00000000", "not yet confirmed");
    lab.mine(1);
    assert_eq!(lab.text(Some("alice"), "getbalance", json!([])).unwrap(), "0.12345678");
}

#[test]
fn a_fee_taken_from_the_payment_leaves_the_rest_alone() {
    let mut lab = Lab::furnished();
    let to = lab.address("alice", "bech32");

    lab.of(
        Some("miner"),
        "sendtoaddress",
        json!({"address": to, "amount": 200, "subtractfeefromamount": true}),
    );

    assert_eq!(lab.text(Some("miner"), "getbalance", json!([])).unwrap(), "0.00000000");
}

#[test]
fn a_block_is_mined_of_chosen_transactions_only() {
    let mut lab = Lab::furnished();
    let to = lab.address("alice", "bech32");
    let (first, second) = (lab.send(&to, "1"), lab.send(&to, "2"));

    let hash = lab.ask("generateblock", json!([to, [second]]))["hash"].clone();

    let block = lab.ask("getblock", json!([hash]));
    assert_eq!((&block["nTx"], &block["tx"][1]), (&json!(2), &json!(second)));
    assert_eq!(lab.ask("getrawmempool", json!([])), json!([first]));
}

#[test]
fn labels_tell_which_addresses_and_how_much() {
    let mut lab = Lab::furnished();
    let (alice, to) = (Some("alice"), lab.address("alice", "bech32"));
    lab.send(&to, "1.5");
    lab.mine(1);

    assert_eq!(
        lab.of(alice, "getaddressesbylabel", json!(["lbl-bech32"])),
        json!({&to: {"purpose": "receive"}})
    );
    assert_eq!(lab.text(alice, "getreceivedbylabel", json!(["lbl-bech32"])).unwrap(), "1.50000000");
    assert_eq!(lab.text(alice, "getreceivedbyaddress", json!([to, 2])).unwrap(), "0.00000000");
}

#[test]
fn a_bumped_payment_takes_its_fee_from_the_change() {
    let mut lab = Lab::furnished();
    let to = lab.address("alice", "bech32");
    let first = lab.send(&to, "1");

    let low = lab.text(Some("miner"), "bumpfee", json!([first, {"fee_rate": 1.5}])).unwrap_err();
    let words = "Insufficient total fee 0.00000212, must be at least 0.00000282 \
                 (oldFee 0.00000141 + incrementalFee 0.00000141)";
    assert_eq!((low.code, low.message.as_str()), (-8, words));
    let bumped = lab.text(Some("miner"), "bumpfee", json!([first])).unwrap();
    let twice = lab.text(Some("miner"), "bumpfee", json!([first])).unwrap_err();

    let pool = lab.ask("getrawmempool", json!([]));
    let second = pool[0].as_str().unwrap();
    let expected = format!(r#"{{"txid":"{second}","origfee":0.00000141,"fee":0.00000846,"errors":[]}}"#);
    assert_eq!(bumped, expected, "6 instead of 1 sat/vB");
    assert_eq!(lab.text(Some("miner"), "getbalance", json!([])).unwrap(), "198.99999154");
    assert_eq!(twice.code, -5, "the replaced one is forgotten: {twice}");
}

#[test]
fn the_mempool_knows_who_builds_on_whom() {
    let mut lab = Lab::furnished();
    let to = lab.address("alice", "bech32");
    // 200 BTC in four coins: the second payment needs the change of the first.
    let (parent, child) = (lab.send(&to, "190"), lab.send(&to, "5"));

    assert_eq!(lab.ask("getmempoolancestors", json!([child])), json!([parent]));
    assert_eq!(lab.ask("getmempooldescendants", json!([parent])), json!([child]));
    let entry = lab.ask("getmempoolentry", json!([child]));
    assert_eq!((&entry["ancestorcount"], &entry["depends"]), (&json!(2), &json!([parent])));
    let refused = lab.text(Some("miner"), "bumpfee", json!([parent])).unwrap_err();
    assert_eq!((refused.code, refused.message.as_str()), (-8, "Transaction has descendants in the wallet"));
    let to = lab.address("miner", "bech32");
    let orphan = lab.text(None, "generateblock", json!([to, [child]])).unwrap_err();
    assert_eq!(orphan.message, "TestBlockValidity failed: bad-txns-inputs-missingorspent");
}

#[test]
fn absurd_numbers_are_refused_and_break_nothing() {
    let mut lab = Lab::furnished();
    let to = lab.address("alice", "bech32");
    let too_dear = (-6, "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)");
    for rate in [json!(1_000_000), json!(u64::MAX / 1_000), json!("18446744073709551")] {
        let asked = json!({"address": to, "amount": 1, "fee_rate": rate});
        let error = lab.text(Some("miner"), "sendtoaddress", asked).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), too_dear, "{rate}");
    }
    for amount in
        [json!(1e300), json!("9".repeat(40)), json!("1e2147483647"), json!(21_000_001), json!("-0.1")]
    {
        let error = lab.text(Some("miner"), "sendtoaddress", json!([to, amount])).unwrap_err();
        assert_eq!(error.code, -3, "{amount}: {error}");
    }
    let sent = lab.send(&to, "1");
    let raw = lab.ask("getrawtransaction", json!([sent]));
    assert_eq!(lab.ask("sendrawtransaction", json!([raw, "21000000"])), json!(sent));
    // An output of 2^64 - 1 satoshis, which no transaction may have.
    let huge = raw.as_str().unwrap().replace("00e1f50500000000", "ffffffffffffffff");
    lab.ask("decoderawtransaction", json!([huge]));
    let error = lab.text(None, "sendrawtransaction", json!([huge])).unwrap_err();
    assert_eq!(error.code, -26, "{error}");
}
