//! The Lightning tools over a served playground: the story that their recorded answers cannot tell.

use ln_agent_core::tool::ToolErrorKind;
use serde_json::json;

use crate::served::Lab;

#[tokio::test]
async fn money_goes_by_invoice_offer_and_keysend_and_an_invoice_is_paid_once() {
    let lab = Lab::open().await;
    let payee = lab.channel().await;
    let invoice =
        json!({ "node": 2, "amount_msat": 10_000_000, "label": "tea", "description": "green\ttea" });

    let bolt11 = lab.call("ln_invoice", invoice.clone()).await["bolt11"].clone();
    let again = lab.call("ln_invoice", invoice).await;
    let first = lab.call("ln_pay", json!({ "from_node": 1, "bolt11": bolt11 })).await;
    let second = lab.call("ln_pay", json!({ "from_node": 1, "bolt11": bolt11 })).await;
    let offer = json!({ "node": 2, "amount_msat": "any", "description": "tips" });
    let offer = lab.call("ln_offer", offer).await["offer"].clone();
    let fetch = json!({ "node": 1, "offer": offer, "amount_msat": 5_000_000 });
    let fetched = lab.call("ln_fetchinvoice", fetch).await["invoice"].clone();
    let tip = lab.call("ln_pay", json!({ "from_node": 1, "bolt11": fetched })).await;
    let keysend = json!({ "from_node": 1, "destination": payee, "amount_msat": 3_000_000 });
    let keysend = lab.call("ln_keysend", keysend).await;
    let channels = lab.call("ln_listchannels", json!({ "node": 1 })).await;

    assert_eq!((&again["bolt11"], &again["reused"]), (&bolt11, &json!(true)));
    assert_eq!([&first["already_paid"], &second["already_paid"]], [&json!(false), &json!(true)]);
    assert_eq!(first["payment_preimage"], second["payment_preimage"]);
    assert_eq!([&tip["status"], &keysend["status"]], [&json!("complete"); 2]);
    let channel = &channels["channels"][0];
    assert_eq!(channel["to_us_msat"], json!(500_000_000 - 18_000_000));
    assert_eq!(channel["our_share_percent"], json!(96));
}

#[tokio::test]
async fn a_stopped_node_is_started_by_asking_for_its_information() {
    let lab = Lab::open().await;
    lab.call("ln_node_stop", json!({ "node": 2 })).await;

    let started = lab.call("ln_getinfo", json!({ "node": 2 })).await;
    let running = lab.call("ln_getinfo", json!({ "node": 2 })).await;

    assert_eq!((&started["auto_started"], running.get("auto_started")), (&json!(true), None));
}

#[tokio::test]
async fn fees_close_withdrawal_and_passthrough_reach_the_node() {
    let lab = Lab::open().await;
    let peer = lab.channel().await;
    let address = lab.call("ln_newaddr", json!({ "node": 2 })).await["address"].clone();

    let set = lab.call("ln_setchannel", json!({ "node": 1, "peer_id": peer, "feeppm": 77 })).await;
    let close = lab.call("ln_closechannel", json!({ "from_node": 1, "peer_id": peer })).await;
    let withdraw = json!({ "node": 1, "destination": address, "amount_sat": 50_000 });
    let withdraw = lab.call("ln_withdraw", withdraw).await;
    let raw = lab.call("ln_raw", json!({ "node": 1, "command": "listconfigs" })).await;
    let height = lab.call("btc_raw", json!({ "command": "getblockcount" })).await;
    let refused = lab.try_call("ln_raw", json!({ "node": 1, "command": "stop" })).await.unwrap_err();

    assert_eq!(set["channels"][0]["fee_proportional_millionths"], json!(77));
    assert_eq!(close["type"], json!("mutual"));
    assert!(close["txids"][0].is_string() && withdraw["txid"].is_string());
    assert!(raw.is_object() && height.is_u64());
    assert_eq!(refused.kind, ToolErrorKind::Refused);
}
