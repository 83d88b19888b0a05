use serde_json::{Value, json};

use super::lab::Lab;

fn msat(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

async fn on_chain(lab: &Lab, node: u16) -> u64 {
    let funds = lab.ok(node, "listfunds", json!({})).await;
    funds["outputs"].as_array().unwrap().iter().map(|output| msat(&output["amount_msat"])).sum()
}

#[tokio::test]
async fn a_payment_larger_than_any_channel_goes_in_parts() {
    let lab = Lab::new(2);
    lab.channel(1, 2, 300_000).await;
    lab.channel(1, 2, 300_000).await;
    let bolt11 = lab.invoice(2, 500_000_000, "large").await;

    let paid = lab.ok(1, "pay", json!({"bolt11": bolt11})).await;

    assert!(paid["parts"].as_u64().unwrap() >= 2, "{paid}");
    let sent = lab.ok(1, "listsendpays", json!({"bolt11": bolt11})).await;
    let parts = sent["payments"].as_array().unwrap();
    let total: u64 = parts.iter().map(|part| msat(&part["amount_msat"])).sum();
    assert_eq!(total, 500_000_000);
}

#[tokio::test]
async fn a_private_channel_is_reached_by_the_hint_in_its_invoice() {
    let lab = Lab::new(3);
    lab.channel(1, 2, 1_000_000).await;
    let id = lab.id(3).await;
    lab.ok(2, "fundchannel", json!({"id": id, "amount": 500_000, "announce": false})).await;
    lab.mine(6).await;
    let bolt11 = lab.invoice(3, 10_000, "hidden").await;

    let paid = lab.ok(1, "pay", json!({"bolt11": bolt11})).await;

    assert_eq!(paid["status"], "complete");
    let channel = &lab.ok(3, "listpeerchannels", json!({})).await["channels"][0];
    assert_eq!((&channel["private"], &channel["to_us_msat"]), (&json!(true), &json!(10_000)));
}

#[tokio::test]
async fn a_changed_fee_is_what_later_payments_pay() {
    let lab = Lab::new(3);
    lab.channel(1, 2, 1_000_000).await;
    let opened = lab.channel(2, 3, 1_000_000).await;
    lab.ok(2, "setchannel", json!({"id": opened["channel_id"], "feebase": "2sat", "feeppm": 100})).await;
    let bolt11 = lab.invoice(3, 1_000_000, "dear").await;

    let paid = lab.ok(1, "pay", json!({"bolt11": bolt11})).await;

    assert_eq!(paid["amount_sent_msat"], 1_000_000 + 2_000 + 100);
}

#[tokio::test]
async fn a_node_pays_its_own_invoice_without_a_channel() {
    let lab = Lab::new(1);
    let bolt11 = lab.invoice(1, 7_000, "mine").await;

    let paid = lab.ok(1, "pay", json!({"bolt11": bolt11})).await;

    assert_eq!(paid["status"], "complete");
    let invoices = lab.ok(1, "listinvoices", json!({"label": "mine"})).await;
    assert_eq!(invoices["invoices"][0]["payment_preimage"], paid["payment_preimage"]);
}

#[tokio::test]
async fn a_deposit_to_either_kind_of_address_can_be_spent_to_the_last_satoshi() {
    let lab = Lab::new(1);
    let before = on_chain(&lab, 1).await;
    let addresses = lab.ok(1, "newaddr", json!({})).await;
    for kind in ["bech32", "p2tr"] {
        lab.bitcoin("sendtoaddress", json!([addresses[kind], "0.5"])).await;
    }
    lab.mine(1).await;
    assert_eq!(on_chain(&lab, 1).await, before + 100_000_000_000);
    let destination = lab.bitcoin("getnewaddress", json!([])).await;

    let sent = lab.ok(1, "withdraw", json!({"destination": destination, "satoshi": "all"})).await;

    assert_eq!(on_chain(&lab, 1).await, 0);
    lab.mine(1).await;
    let tx = lab.bitcoin("gettransaction", json!([sent["txid"]])).await;
    assert_eq!(tx["confirmations"], 1);
    let poor = lab.error(1, "withdraw", json!({"destination": destination, "satoshi": 1_000})).await;
    assert_eq!(poor.0, 301);
}

#[tokio::test]
async fn a_channel_may_take_all_the_money_or_give_some_away() {
    let lab = Lab::new(2);
    let id = lab.id(2).await;

    let opened = lab.ok(1, "fundchannel", json!({"id": id, "amount": "all", "push_msat": 1_000_000})).await;

    assert_eq!(on_chain(&lab, 1).await, 0);
    lab.mine(1).await;
    let channel = &lab.ok(2, "listpeerchannels", json!({})).await["channels"][0];
    assert_eq!(channel["channel_id"], opened["channel_id"]);
    assert_eq!((&channel["state"], &channel["to_us_msat"]), (&json!("CHANNELD_NORMAL"), &json!(1_000_000)));
}

#[tokio::test]
async fn a_closed_channel_gives_both_sides_their_balance_back() {
    let lab = Lab::new(2);
    let before = (on_chain(&lab, 1).await, on_chain(&lab, 2).await);
    let opened = lab.channel(1, 2, 1_000_000).await;
    let bolt11 = lab.invoice(2, 400_000_000, "half").await;
    lab.ok(1, "pay", json!({"bolt11": bolt11})).await;

    lab.ok(2, "close", json!({"id": opened["channel_id"]})).await;
    let closing = lab.ok(2, "listfunds", json!({})).await;
    let unconfirmed =
        closing["outputs"].as_array().unwrap().iter().find(|output| output["status"] == "unconfirmed");
    assert_eq!(unconfirmed.unwrap()["amount_msat"], 400_000_000);
    lab.mine(1).await;

    assert_eq!(on_chain(&lab, 2).await, before.1 + 400_000_000);
    let cost = before.0 - 400_000_000 - on_chain(&lab, 1).await;
    assert!(cost < 1_000_000, "{cost}");
    let again = lab.error(2, "close", json!({"id": opened["channel_id"]})).await;
    assert_eq!(again.0, -32602);
    assert!(again.1.starts_with("id: Channel in state ONCHAIN: invalid token"), "{}", again.1);
}

#[tokio::test]
async fn blocks_that_are_undone_are_followed_and_the_channel_lives_on() {
    let lab = Lab::new(2);
    lab.channel(1, 2, 1_000_000).await;
    lab.mine(3).await;
    let height = lab.ok(1, "getinfo", json!({})).await["blockheight"].as_u64().unwrap();
    let hash = lab.bitcoin("getblockhash", json!([height - 1])).await;

    lab.bitcoin("invalidateblock", json!([hash])).await;

    assert_eq!(lab.ok(1, "getinfo", json!({})).await["blockheight"], height - 2);
    lab.mine(4).await;
    let bolt11 = lab.invoice(2, 1_000, "after").await;
    assert_eq!(lab.ok(1, "pay", json!({"bolt11": bolt11})).await["status"], "complete");
}

#[tokio::test]
async fn an_offer_is_paid_directly_by_xpay_and_keeps_its_amount() {
    let lab = Lab::new(2);
    lab.channel(1, 2, 1_000_000).await;
    let any = lab.ok(2, "offer", json!({"amount": "any", "description": "tip"})).await;

    let paid = lab.ok(1, "xpay", json!({"invstring": any["bolt12"], "amount_msat": 5_000})).await;

    assert_eq!(paid["amount_msat"], 5_000);
    let open = lab.error(1, "xpay", json!({"invstring": any["bolt12"]})).await;
    assert_eq!(open, (-32602, "Must specify amount for this offer".to_owned()));
    let foreign = lab.ok(1, "fetchinvoice", json!({"offer": any["bolt12"], "amount_msat": 6_000})).await;
    assert_eq!(lab.ok(1, "pay", json!({"bolt11": foreign["invoice"]})).await["amount_msat"], 6_000);
}
