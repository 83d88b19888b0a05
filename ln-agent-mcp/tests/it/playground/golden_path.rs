use serde_json::json;

use super::lab::Lab;

#[tokio::test]
async fn a_channel_is_opened_an_invoice_is_paid_and_both_sides_know_it() {
    let lab = Lab::new(2);
    lab.channel(1, 2, 1_000_000).await;
    let bolt11 = lab.invoice(2, 12_345_678, "coffee").await;

    let paid = lab.ok(1, "pay", json!({"bolt11": bolt11})).await;

    assert_eq!(paid["status"], "complete");
    assert_eq!(paid["amount_msat"], 12_345_678);
    assert_eq!(paid["amount_sent_msat"], 12_345_678);
    let invoices = lab.ok(2, "listinvoices", json!({"label": "coffee"})).await;
    assert_eq!(invoices["invoices"][0]["status"], "paid");
    assert_eq!(invoices["invoices"][0]["payment_preimage"], paid["payment_preimage"]);
    let pays = lab.ok(1, "listpays", json!({"bolt11": bolt11})).await;
    assert_eq!(pays["pays"][0]["status"], "complete");
    let channel = &lab.ok(1, "listpeerchannels", json!({})).await["channels"][0];
    assert_eq!(channel["state"], "CHANNELD_NORMAL");
    assert_eq!(channel["to_us_msat"], 1_000_000_000 - 12_345_678);
    let mirrored = &lab.ok(2, "listpeerchannels", json!({})).await["channels"][0];
    assert_eq!(mirrored["to_us_msat"], 12_345_678);
}

#[tokio::test]
async fn a_payment_is_routed_over_a_node_that_earns_a_fee() {
    let lab = Lab::new(3);
    lab.channel(1, 2, 1_000_000).await;
    lab.channel(2, 3, 1_000_000).await;
    let bolt11 = lab.invoice(3, 2_000_000, "far").await;

    let paid = lab.ok(1, "pay", json!({"bolt11": bolt11})).await;

    assert_eq!(paid["amount_sent_msat"], 2_000_021);
    let forwards = lab.ok(2, "getinfo", json!({})).await;
    assert_eq!(forwards["fees_collected_msat"], 21);
}

#[tokio::test]
async fn an_offer_is_fetched_and_its_invoice_paid() {
    let lab = Lab::new(2);
    lab.channel(1, 2, 1_000_000).await;
    let offer = lab.ok(2, "offer", json!({"amount": 5_000, "description": "tea"})).await;

    let fetched = lab.ok(1, "fetchinvoice", json!({"offer": offer["bolt12"]})).await;
    let paid = lab.ok(1, "pay", json!({"bolt11": fetched["invoice"]})).await;

    assert_eq!(paid["amount_msat"], 5_000);
    let invoices = lab.ok(2, "listinvoices", json!({"offer_id": offer["offer_id"]})).await;
    assert_eq!(invoices["invoices"][0]["status"], "paid");
}

#[tokio::test]
async fn a_keysend_needs_no_invoice() {
    let lab = Lab::new(2);
    lab.channel(1, 2, 1_000_000).await;
    let id = lab.id(2).await;

    let paid = lab.ok(1, "keysend", json!({"destination": id, "amount_msat": 10_000})).await;

    assert_eq!(paid["status"], "complete");
    let invoices = lab.ok(2, "listinvoices", json!({})).await;
    assert_eq!(invoices["invoices"][0]["amount_received_msat"], 10_000);
}

#[tokio::test]
async fn a_channel_closes_by_agreement_while_its_peer_is_there() {
    let lab = Lab::new(2);
    let opened = lab.channel(1, 2, 1_000_000).await;

    let closed = lab.ok(1, "close", json!({"id": opened["channel_id"]})).await;

    assert_eq!(closed["type"], "mutual");
    lab.mine(1).await;
    let channel = &lab.ok(1, "listpeerchannels", json!({})).await["channels"][0];
    assert_eq!(channel["state"], "ONCHAIN");
}

#[tokio::test]
async fn a_channel_whose_peer_is_stopped_is_closed_by_one_side_and_swept() {
    let lab = Lab::new(2);
    let opened = lab.channel(1, 2, 1_000_000).await;
    lab.network.stop_node(2).await.unwrap();

    let closed = lab.ok(1, "close", json!({"id": opened["channel_id"], "unilateraltimeout": 1})).await;

    assert_eq!(closed["type"], "unilateral");
    lab.mine(160).await;
    lab.mine(1).await;
    let funds = lab.ok(1, "listfunds", json!({})).await;
    let total: u64 =
        funds["outputs"].as_array().unwrap().iter().map(|o| o["amount_msat"].as_u64().unwrap()).sum();
    assert!(total > 99_990_000_000, "{total}");
}
