use serde_json::{Value, json};

use super::lab::Lab;

/// A mainnet invoice.
const MAINNET: &str = "lnbc1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdpl2pkx2ctnv5sxxmmwwd5kgetjypeh2ursdae8g6twvus8g6rfwvs8qun0dfjkxaq8rkx3yf5tcsyz3d73gafnh3cax9rn449d9p5uxz9ezhhypd0elx87sjle52x86fux2ypatgddc6k63n7erqz25le42c4u4ecky03ylcqca784w";

fn is(code: i64, message: &str) -> (i64, String) {
    (code, message.to_owned())
}

#[tokio::test]
async fn payments_that_cannot_be_made_say_so_in_core_lightnings_words() {
    let lab = Lab::new(2);
    let poor = lab.invoice(2, 1_000, "poor").await;
    let (code, message) = lab.error(1, "pay", json!({"bolt11": poor})).await;
    assert_eq!((code, message.starts_with("Failed: Unknown source node 0")), (205, true));
    lab.channel(1, 2, 1_000_000).await;
    let any = lab.ok(2, "invoice", json!({"amount_msat": "any", "label": "any", "description": ""})).await;
    let short = lab
        .ok(2, "invoice", json!({"amount_msat": 1_000, "label": "short", "description": "", "expiry": 60}))
        .await;
    let rich = lab.invoice(2, 5_000_000_000, "rich").await;
    lab.mine(1).await;

    let errors = [
        lab.error(1, "pay", json!({"bolt11": any["bolt11"]})).await,
        lab.error(1, "pay", json!({"bolt11": poor, "amount_msat": 5})).await,
        lab.error(1, "pay", json!({"bolt11": "lnbcrtgarbage"})).await,
        lab.error(1, "pay", json!({"bolt11": MAINNET})).await,
        lab.error(1, "pay", json!({})).await,
        lab.error(1, "pay", json!({"bolt11": poor, "maxfee": 1, "maxfeepercent": 1})).await,
        lab.error(1, "keysend", json!({"destination": lab.id(1).await, "amount_msat": 5})).await,
        lab.error(1, "keysend", json!({"destination": "nothex", "amount_msat": 5})).await,
    ];
    let expired = lab.error(1, "pay", json!({"bolt11": short["bolt11"]})).await;
    let too_much = lab.error(1, "pay", json!({"bolt11": rich})).await;

    assert_eq!(
        errors,
        [
            is(-32602, "amount_msat required"),
            is(-32602, "amount_msat unnecessary"),
            is(-32602, "Invalid bolt11 invoice: Bad bech32 string"),
            is(-32602, "Invalid bolt11 invoice: Prefix bc is not for regtest"),
            is(-32602, "missing required parameter: bolt11"),
            is(-32602, "If you specify maxfee, cannot specify maxfeepercent or exemptfee."),
            is(-32602, "We are the destination. Keysend cannot be used to send funds to yourself"),
            is(-32602, "destination: should be a node id: invalid token '\"nothex\"'"),
        ]
    );
    assert_eq!((expired.0, expired.1.starts_with("Invoice expired ")), (207, true));
    assert_eq!(too_much.0, 205);
    assert!(too_much.1.contains("Total source capacity is only "), "{}", too_much.1);
}

#[tokio::test]
async fn a_paid_invoice_is_not_paid_twice() {
    let lab = Lab::new(2);
    lab.channel(1, 2, 1_000_000).await;
    let bolt11 = lab.invoice(2, 1_000, "once").await;
    let first = lab.ok(1, "pay", json!({"bolt11": bolt11})).await;

    let second = lab.ok(1, "pay", json!({"bolt11": bolt11})).await;

    assert_eq!(second, first);
    let again = lab.error(1, "xpay", json!({"invstring": bolt11})).await;
    assert_eq!(again, is(219, "Already paid this invoice successfully"));
    let channel = &lab.ok(2, "listpeerchannels", json!({})).await["channels"][0];
    assert_eq!(channel["to_us_msat"], 1_000);
}

#[tokio::test]
async fn a_fee_above_the_limit_is_error_206() {
    let lab = Lab::new(3);
    lab.channel(1, 2, 1_000_000).await;
    lab.channel(2, 3, 1_000_000).await;
    let bolt11 = lab.invoice(3, 100_000_000, "dear").await;

    let error = lab.error(1, "pay", json!({"bolt11": bolt11, "maxfee": 1})).await;

    assert_eq!(error, is(206, "Failed: Could not find route without excessive cost"));
}

#[tokio::test]
async fn invoices_that_make_no_sense_are_refused() {
    let lab = Lab::new(1);
    lab.invoice(1, 1_000, "inv-1").await;
    let order = |amount: Value| json!({"amount_msat": amount, "label": "x", "description": "x"});

    let errors = [
        lab.error(1, "invoice", order(json!(0))).await,
        lab.error(1, "invoice", order(json!(-1))).await,
        lab.error(1, "invoice", order(json!("abc"))).await,
        lab.error(1, "invoice", order(json!(1.5))).await,
        lab.error(1, "invoice", json!({"amount_msat": 1, "label": "inv-1", "description": "x"})).await,
        lab.error(1, "invoice", json!({"amount_msat": 1, "label": "y", "description": "d".repeat(700)}))
            .await,
        lab.error(1, "invoice", json!({"amount_msat": 1, "label": "y", "description": "", "expiry": "1w"}))
            .await,
        lab.error(1, "invoice", json!({"amount_msat": 1, "label": "y", "description": "", "expiry": -1}))
            .await,
        lab.error(1, "nosuchcommand", json!({})).await,
    ];

    assert_eq!(
        errors,
        [
            is(-32602, "amount_msat: should be positive msat or 'any': invalid token '0'"),
            is(-32602, "amount_msat: should be positive msat or 'any': invalid token '-1'"),
            is(-32602, "amount_msat: should be positive msat or 'any': invalid token '\"abc\"'"),
            is(-32602, "amount_msat: should be positive msat or 'any': invalid token '1.5'"),
            is(900, "Duplicate label 'inv-1'"),
            is(-32602, "Description greater than 639 bytes invalid (description length 700)"),
            is(-32602, "expiry: should be an unsigned 64 bit integer: invalid token '\"1w\"'"),
            is(-32602, "expiry: should be an unsigned 64 bit integer: invalid token '-1'"),
            is(-32601, "Unknown command 'nosuchcommand'"),
        ]
    );
}

#[tokio::test]
async fn channels_that_cannot_be_opened_say_why() {
    let lab = Lab::new(2);
    let id = lab.id(2).await;
    let stranger = "02a97471659b7cc2a9b42f284737019babe13b8a2997ea10e34adffba007d39787";

    let unknown = lab.error(1, "fundchannel", json!({"id": stranger, "amount": 100_000})).await;
    let dear = lab.error(1, "fundchannel", json!({"id": id, "amount": 100_000_000_000_u64})).await;
    let dust = lab.error(1, "fundchannel", json!({"id": id, "amount": 100})).await;
    let junk = lab.error(1, "fundchannel", json!({"id": id, "amount": "abc"})).await;
    let push = lab
        .error(1, "fundchannel", json!({"id": id, "amount": 1_000_000, "push_msat": 2_000_000_000_u64}))
        .await;

    assert_eq!(unknown, is(400, "Unable to connect, no address known for peer"));
    assert_eq!(dear.0, 301);
    assert!(
        dear.1.starts_with("Could not afford 100000000000sat using all 4 available UTXOs: "),
        "{}",
        dear.1
    );
    assert_eq!(
        dust,
        is(
            -32602,
            &format!(
                "destinations: output would be dust: invalid token '{{\"id\":\"{id}\",\"amount\":100}}'"
            )
        )
    );
    assert_eq!(junk, is(-32602, "amount: should be a satoshi amount: invalid token '\"abc\"'"));
    assert_eq!(
        push,
        is(
            301,
            "Requested to push_msat of 2000000000msat is greater than available funding amount 1000000sat"
        )
    );
    let tiny = lab.error(1, "fundchannel", json!({"id": id, "amount": 999})).await;
    assert_eq!(tiny.0, -1);
}

#[tokio::test]
async fn offers_that_are_closed_or_need_more_words_are_refused() {
    let lab = Lab::new(2);
    lab.channel(1, 2, 1_000_000).await;
    let any = lab.ok(2, "offer", json!({"amount": "any", "description": "tip"})).await;
    let once = lab.ok(2, "offer", json!({"amount": 1_000, "description": "once", "single_use": true})).await;
    let invoice = lab.ok(1, "fetchinvoice", json!({"offer": once["bolt12"]})).await;
    lab.ok(1, "pay", json!({"bolt11": invoice["invoice"]})).await;

    let open = lab.error(1, "fetchinvoice", json!({"offer": any["bolt12"]})).await;
    let used = lab.error(1, "fetchinvoice", json!({"offer": once["bolt12"]})).await;
    lab.ok(2, "disableoffer", json!({"offer_id": any["offer_id"]})).await;
    let disabled = lab.error(1, "fetchinvoice", json!({"offer": any["bolt12"], "amount_msat": 5})).await;
    lab.network.stop_node(2).await.unwrap();
    let silent = lab.error(1, "fetchinvoice", json!({"offer": any["bolt12"], "amount_msat": 5})).await;

    assert_eq!(open, is(-32602, "amount_msat parameter required"));
    assert_eq!(used, is(1004, "Remote node sent failure message"));
    assert_eq!(disabled, is(1004, "Remote node sent failure message"));
    assert_eq!(silent, is(1005, "Timeout waiting for response"));
    let words = lab.error(1, "fetchinvoice", json!({"offer": "garbage"})).await;
    assert_eq!(
        words,
        is(-32602, "offer: Unparsable offer: invalid bech32 string: invalid token '\"garbage\"'")
    );
    let direct = lab.error(1, "pay", json!({"bolt11": any["bolt12"]})).await;
    assert_eq!(direct, is(-32602, "Invalid bolt12 invoice: unexpected prefix lno"));
}
