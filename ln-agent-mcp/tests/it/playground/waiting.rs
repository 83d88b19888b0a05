use serde_json::json;

use super::lab::Lab;

#[tokio::test]
async fn a_waiting_call_does_not_hold_up_others_and_ends_when_the_invoice_is_paid() {
    let lab = Lab::new(2);
    lab.channel(1, 2, 1_000_000).await;
    let bolt11 = lab.invoice(2, 9_000, "wait").await;
    let waiting = tokio::spawn({
        let network = lab.network.clone();
        async move { network.lightning(2, "waitinvoice", json!({"label": "wait"})).await }
    });
    let any = tokio::spawn({
        let network = lab.network.clone();
        async move { network.lightning(2, "waitanyinvoice", json!({"lastpay_index": 0, "timeout": 600})).await }
    });
    tokio::task::yield_now().await;

    let paid = lab.ok(1, "pay", json!({"bolt11": bolt11})).await;

    let waited = waiting.await.unwrap().unwrap();
    assert_eq!(waited["status"], "paid");
    assert_eq!(waited["payment_preimage"], paid["payment_preimage"]);
    assert_eq!(any.await.unwrap().unwrap(), waited);
}

#[tokio::test(start_paused = true)]
async fn waiting_for_any_invoice_ends_after_its_timeout() {
    let lab = Lab::new(1);

    let error = lab.error(1, "waitanyinvoice", json!({"timeout": 60})).await;

    assert_eq!(error, (904, "Timed out while waiting for invoice to be paid".to_owned()));
}

#[tokio::test]
async fn waiting_for_an_expired_invoice_is_error_903() {
    let lab = Lab::new(1);
    lab.ok(1, "invoice", json!({"amount_msat": 1_000, "label": "a", "description": "", "expiry": 60})).await;
    lab.mine(1).await;

    let error = lab.error(1, "waitinvoice", json!({"label": "a"})).await;

    assert_eq!(error, (903, "invoice expired during wait".to_owned()));
    assert_eq!(lab.error(1, "waitinvoice", json!({"label": "b"})).await, (-1, "Label not found".to_owned()));
}

#[tokio::test]
async fn a_payment_whose_answer_is_held_up_is_pending_until_it_comes() {
    let lab = Lab::new(3);
    lab.channel(1, 2, 1_000_000).await;
    lab.channel(2, 3, 1_000_000).await;
    let bolt11 = lab.invoice(3, 5_000, "slow").await;
    lab.network.hold_link(2, 3, true).await.unwrap();
    let paying = tokio::spawn({
        let (network, bolt11) = (lab.network.clone(), bolt11.clone());
        async move { network.lightning(1, "pay", json!({"bolt11": bolt11, "retry_for": 3_600})).await }
    });
    tokio::task::yield_now().await;
    let pending = lab.ok(1, "listpays", json!({"bolt11": bolt11})).await;
    assert_eq!(pending["pays"][0]["status"], "pending");
    let (code, _) = lab.error(1, "pay", json!({"bolt11": bolt11})).await;
    assert_eq!(code, -3);
    lab.mine(2).await;

    lab.network.hold_link(2, 3, false).await.unwrap();

    assert_eq!(paying.await.unwrap().unwrap()["status"], "complete");
}

#[tokio::test(start_paused = true)]
async fn a_payment_that_stays_pending_is_answered_as_such_after_retry_for() {
    let lab = Lab::new(2);
    lab.channel(1, 2, 1_000_000).await;
    let bolt11 = lab.invoice(2, 5_000, "never").await;
    lab.network.hold_link(1, 2, true).await.unwrap();

    let (code, message) = lab.error(1, "pay", json!({"invstring": bolt11, "retry_for": 5})).await;

    assert_eq!((code, message.as_str()), (200, "Timed out, but the payment is still pending: see listpays"));
    let dir = lab.ok(1, "listpays", json!({"status": "pending"})).await;
    assert_eq!(dir["pays"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_pending_payment_is_settled_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let lab = Lab::stored(dir.path(), 3);
    lab.channel(1, 2, 1_000_000).await;
    lab.channel(2, 3, 1_000_000).await;
    let bolt11 = lab.invoice(3, 5_000, "slow").await;
    lab.network.hold_link(2, 3, true).await.unwrap();
    let paying = tokio::spawn({
        let (network, bolt11) = (lab.network.clone(), bolt11.clone());
        async move { network.lightning(1, "pay", json!({"bolt11": bolt11})).await }
    });
    tokio::task::yield_now().await;
    lab.ok(1, "getinfo", json!({})).await;
    lab.end().await;
    paying.await.unwrap().unwrap_err();

    let lab = Lab::stored(dir.path(), 0);

    let end = &lab.ok(1, "listpays", json!({"bolt11": bolt11})).await["pays"][0];
    let invoice = &lab.ok(3, "listinvoices", json!({"label": "slow"})).await["invoices"][0];
    let ends = (end["status"].as_str().unwrap(), invoice["status"].as_str().unwrap());
    assert!([("complete", "paid"), ("failed", "unpaid")].contains(&ends), "{ends:?}");
}
