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
