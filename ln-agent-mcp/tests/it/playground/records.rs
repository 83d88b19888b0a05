use serde_json::json;

use super::lab::Lab;

#[tokio::test]
async fn the_datastore_keeps_what_it_is_given_through_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let lab = Lab::stored(dir.path(), 1);
    let key = json!(["app", "k"]);
    let made = lab.ok(1, "datastore", json!({"key": key, "string": "v"})).await;
    assert_eq!(made, json!({"key": ["app", "k"], "generation": 0, "hex": "76", "string": "v"}));
    let exists = lab.error(1, "datastore", json!({"key": key, "string": "w"})).await;
    assert_eq!(exists, (1202, "Key already exists".to_owned()));
    lab.ok(1, "datastore", json!({"key": key, "hex": "77", "mode": "must-append"})).await;
    lab.end().await;

    let lab = Lab::stored(dir.path(), 0);

    let kept = lab.ok(1, "listdatastore", json!({"key": "app"})).await;
    assert_eq!(
        kept["datastore"],
        json!([{"key": ["app", "k"], "generation": 1, "hex": "7677", "string": "vw"}])
    );
    lab.ok(1, "deldatastore", json!({"key": key})).await;
    let gone = lab.error(1, "deldatastore", json!({"key": key})).await;
    assert_eq!(gone, (1200, "Key does not exist".to_owned()));
}

#[tokio::test]
async fn a_closed_channel_moves_to_its_own_list_after_a_hundred_blocks() {
    let lab = Lab::new(2);
    let opened = lab.channel(1, 2, 1_000_000).await;
    lab.ok(1, "close", json!({"id": opened["channel_id"]})).await;
    lab.mine(100).await;
    assert_eq!(lab.ok(1, "listclosedchannels", json!({})).await["closedchannels"], json!([]));

    lab.mine(1).await;

    assert_eq!(lab.ok(1, "listpeerchannels", json!({})).await["channels"], json!([]));
    let closed = &lab.ok(1, "listclosedchannels", json!({})).await["closedchannels"][0];
    assert_eq!(closed["channel_id"], opened["channel_id"]);
    assert_eq!(closed["final_to_us_msat"], 1_000_000_000);
    assert_eq!((&closed["closer"], &closed["close_cause"]), (&json!("local"), &json!("user")));
}

#[tokio::test]
async fn a_route_adds_up_fees_and_delays_from_its_end() {
    let lab = Lab::new(3);
    lab.channel(1, 2, 1_000_000).await;
    lab.channel(2, 3, 1_000_000).await;
    let (two, three) = (lab.id(2).await, lab.id(3).await);

    let found = lab.ok(1, "getroute", json!({"id": three, "amount_msat": 10_000, "riskfactor": 10})).await;

    let hops = &found["route"];
    assert_eq!((&hops[0]["id"], &hops[0]["amount_msat"]), (&json!(two), &json!(10_001)));
    assert_eq!((&hops[1]["id"], &hops[1]["amount_msat"]), (&json!(three), &json!(10_000)));
    let delay = |at: usize| hops[at]["delay"].as_u64().unwrap();
    assert_eq!(delay(0) - delay(1), 72);
}

#[tokio::test]
async fn the_log_tells_of_the_start_and_of_each_channels_states() {
    let lab = Lab::new(2);
    lab.channel(1, 2, 1_000_000).await;
    let (one, two) = (lab.id(1).await, lab.id(2).await);

    let log = lab.ok(1, "getlog", json!({})).await;

    let lines: Vec<_> =
        log["log"].as_array().unwrap().iter().map(|line| line["log"].as_str().unwrap()).collect();
    assert_eq!(
        lines,
        [
            format!(
                "Server started with public key {one}, alias node-1 (color #010101) and lightningd playground-0.1.0"
            ),
            format!("{two}-chan#1: State changed from CHANNELD_AWAITING_LOCKIN to CHANNELD_NORMAL"),
        ]
    );
}

#[tokio::test]
async fn waiting_for_a_block_ends_when_it_is_mined() {
    let lab = Lab::new(1);
    let height = lab.ok(1, "getinfo", json!({})).await["blockheight"].as_u64().unwrap();
    let waiting = tokio::spawn({
        let network = lab.network.clone();
        async move { network.lightning(1, "waitblockheight", json!([height + 2])).await }
    });
    tokio::task::yield_now().await;

    lab.mine(3).await;

    assert_eq!(waiting.await.unwrap().unwrap(), json!({"blockheight": height + 3}));
}

#[tokio::test]
async fn help_lists_every_method_with_its_parameters() {
    let lab = Lab::new(1);

    let all = lab.ok(1, "help", json!({})).await;
    let one = lab.ok(1, "help", json!({"command": "close"})).await;

    assert!(all["help"].as_array().unwrap().len() > 40);
    assert_eq!(
        one["help"][0]["command"],
        "close id [unilateraltimeout] [destination] [fee_negotiation_step] [wrong_funding] [force_lease_closed] [feerange]"
    );
    assert_eq!(lab.error(1, "help", json!(["nosuch"])).await, (-32601, "Unknown command nosuch".to_owned()));
}
