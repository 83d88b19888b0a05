//! Every tool that changes something is confirmed, contradicted or not looked at, by what real nodes answered.

use ln_agent_core::tool::{Effect, ToolErrorKind};
use ln_agent_core::types::{Object, VerificationStatus};
use ln_agent_core::verify::{Done, Snapshot, confirm, confirm_intent, snapshot};
use ln_agent_core::{IntentBlock, IntentType, StepId, StepResult, Verification};
use serde_json::{Value, json};

use super::actors::{Cast, Reply};
use VerificationStatus::{Confirmed, Contradicted, Unavailable};

macro_rules! recorded {
    ($name:literal) => {
        serde_json::from_str::<Value>(include_str!(concat!("../fixtures/verify/", $name, ".json"))).unwrap()
    };
}

const PEER: &str = "02a97471659b7cc2a9b42f284737019babe13b8a2997ea10e34adffba007d39787";

/// One step, the read that follows it, and what that read must mean.
struct Case {
    tool: &'static str,
    args: Value,
    payload: Value,
    read: &'static str,
    seen: Value,
    status: VerificationStatus,
    detail: &'static str,
}

async fn verified(tool: &str, args: &Value, payload: &Value, cast: Cast) -> Option<Verification> {
    let (tools, _) = cast.finish();
    let args = args.as_object().unwrap();
    let before = snapshot(&tools, tool, args).await;
    confirm(&tools, Done { step_id: StepId(3), tool, args, payload }, &before).await
}

async fn check(cases: Vec<Case>) {
    for case in cases {
        let cast = Cast::default().reading(case.read, case.seen);
        let seen = verified(case.tool, &case.args, &case.payload, cast).await.unwrap();
        assert_eq!((seen.status, seen.detail.as_str()), (case.status, case.detail), "{}", case.tool);
        assert_eq!((seen.step_id, seen.tool.as_str()), (Some(StepId(3)), case.read));
        assert_eq!(seen.ok, case.status == Confirmed);
    }
}

#[tokio::test]
async fn an_opened_channel_counts_from_its_funding_on() {
    let args = json!({ "from_node": 1, "peer_id": PEER, "amount_sat": 1_000_000 });
    let case = |seen: Value, status, detail| Case {
        tool: "ln_openchannel",
        args: args.clone(),
        payload: recorded!("fundchannel"),
        read: "ln_listchannels",
        seen,
        status,
        detail,
    };
    let mut broken = recorded!("listpeerchannels-awaiting-lockin");
    broken["channels"][0]["state"] = json!("AWAITING_UNILATERAL");
    check(vec![
        case(recorded!("listpeerchannels-awaiting-lockin"), Confirmed, "the channel with 02a97471659b7cc2a9b42f284737019babe13b8a2997ea10e34adffba007d39787 is in state CHANNELD_AWAITING_LOCKIN"),
        case(recorded!("listpeerchannels-two-normal"), Confirmed, "the channel with 02a97471659b7cc2a9b42f284737019babe13b8a2997ea10e34adffba007d39787 is in state CHANNELD_NORMAL"),
        case(broken, Contradicted, "the channel with 02a97471659b7cc2a9b42f284737019babe13b8a2997ea10e34adffba007d39787 is in state AWAITING_UNILATERAL"),
        case(json!({ "channels": [] }), Contradicted, "there is no channel with 02a97471659b7cc2a9b42f284737019babe13b8a2997ea10e34adffba007d39787 funded by 2c659ab42ecb8dcbb8ec4b02bca11348a4d690c3deba138b9bef7d431edb2573"),
    ])
    .await;
}

#[tokio::test]
async fn a_closed_channel_is_no_longer_normal() {
    let case = |channel: &str, seen: Value, status, detail| Case {
        tool: "ln_closechannel",
        args: json!({ "from_node": 1, "peer_id": channel }),
        payload: json!({ "type": "mutual" }),
        read: "ln_listchannels",
        seen,
        status,
        detail,
    };
    check(vec![
        case(
            "122x1x0",
            recorded!("listpeerchannels-closing"),
            Confirmed,
            "the channel 122x1x0 is in state CLOSINGD_COMPLETE",
        ),
        case(
            "103x1x0",
            recorded!("listpeerchannels-closing"),
            Contradicted,
            "the channel 103x1x0 is still in state CHANNELD_NORMAL",
        ),
        case("122x1x0", json!({ "channels": [] }), Confirmed, "the channel 122x1x0 is gone"),
    ])
    .await;
}

#[tokio::test]
async fn a_set_channel_has_the_requested_values() {
    let case = |args: Value, status, detail| Case {
        tool: "ln_setchannel",
        args,
        payload: recorded!("setchannel"),
        read: "ln_listchannels",
        seen: recorded!("listpeerchannels-two-normal"),
        status,
        detail,
    };
    check(vec![
        case(
            json!({ "node": 1, "peer_id": "103x1x0", "feebase": 500, "feeppm": 20 }),
            Confirmed,
            "channel 103x1x0 now has fee_base_msat 500, fee_proportional_millionths 20",
        ),
        case(
            json!({ "node": 1, "peer_id": "103x1x0", "htlcmax": "990000sat" }),
            Confirmed,
            "channel 103x1x0 now has maximum_htlc_out_msat 990000000",
        ),
        case(
            json!({ "node": 1, "peer_id": "103x1x0", "feeppm": 21 }),
            Contradicted,
            "fee_proportional_millionths of channel 103x1x0 is 20, not 21",
        ),
        case(
            json!({ "node": 1, "peer_id": "9x9x9", "feeppm": 20 }),
            Contradicted,
            "there is no channel 9x9x9",
        ),
    ])
    .await;
}

#[tokio::test]
async fn a_connected_peer_is_connected() {
    let case = |peer: &str, seen: Value, status, detail| Case {
        tool: "ln_connect",
        args: json!({ "from_node": 1, "peer_id": peer, "host": "127.0.0.1", "port": 9736 }),
        payload: json!({}),
        read: "ln_listpeers",
        seen,
        status,
        detail,
    };
    let mut gone = recorded!("listpeers-connected");
    gone["peers"][0]["connected"] = json!(false);
    check(vec![
        case(
            PEER,
            recorded!("listpeers-connected"),
            Confirmed,
            "peer 02a97471659b7cc2a9b42f284737019babe13b8a2997ea10e34adffba007d39787 is connected",
        ),
        case(
            PEER,
            gone,
            Contradicted,
            "peer 02a97471659b7cc2a9b42f284737019babe13b8a2997ea10e34adffba007d39787 is not connected",
        ),
        case("03ff", recorded!("listpeers-connected"), Contradicted, "peer 03ff is not among the peers"),
    ])
    .await;
}

/// The payer's funds before and after, and its payments.
fn payer(after_msat: u64, pays: Value) -> Cast {
    Cast::default()
        .tool("ln_listfunds", Effect::Read, move |asked, _| {
            let mut funds = recorded!("listfunds-normal");
            if asked > 0 {
                funds["channels"][0]["our_amount_msat"] = json!(after_msat);
            }
            Reply::Answer(funds)
        })
        .reading("ln_listpays", pays)
}

#[tokio::test]
async fn a_payment_shows_in_the_funds_or_in_its_record() {
    let pay = recorded!("pay");
    let invoice = recorded!("listpays-bolt11")["pays"][0]["bolt11"].clone();
    let args = json!({ "from_node": 1, "bolt11": invoice });
    let case = async |after, pays| {
        let seen = verified("ln_pay", &args, &pay, payer(after, pays)).await.unwrap();
        (seen.tool, seen.status, seen.detail)
    };
    let hash = "b1a511090b76281a5c4a50845a70b8e24d075074801d7a6c387084a50f926596";
    let mut failed = recorded!("listpays-failed");
    failed["pays"][0]["payment_hash"] = json!(hash);
    let mut pending = recorded!("listpays-pending");
    pending["pays"][0]["payment_hash"] = json!(hash);

    assert_eq!(
        case(987_654_322, json!({ "pays": [] })).await,
        (
            "ln_listfunds".into(),
            Confirmed,
            "the payer's channels hold 987654322 msat, 12345678 msat less than before".into()
        )
    );
    assert_eq!(
        case(1_000_000_000, recorded!("listpays-bolt11")).await,
        ("ln_listpays".into(), Confirmed, format!("payment {hash} is complete, 12345678 msat sent"))
    );
    assert_eq!(
        case(1_000_000_000, pending).await,
        ("ln_listpays".into(), Unavailable, format!("payment {hash} is still pending"))
    );
    assert_eq!(
        case(1_000_000_000, failed).await,
        ("ln_listpays".into(), Contradicted, format!("payment {hash} failed"))
    );
    assert_eq!(
        case(1_000_000_000, json!({ "pays": [] })).await,
        ("ln_listpays".into(), Contradicted, format!("there is no payment {hash}"))
    );
}

#[tokio::test]
async fn money_sent_without_an_invoice_is_looked_up_by_its_hash() {
    let sent = recorded!("keysend");
    let args = json!({ "from_node": 1, "destination": PEER, "amount_msat": 10_000 });
    let pays = json!({ "pays": [{ "payment_hash": sent["payment_hash"], "status": "complete", "amount_sent_msat": "10000msat" }] });
    let seen = verified("ln_keysend", &args, &sent, payer(1_000_000_000, pays)).await.unwrap();
    assert_eq!((seen.tool.as_str(), seen.status), ("ln_listpays", Confirmed));
    assert_eq!(Value::Object(seen.args), json!({ "node": 1 }));
}

#[tokio::test]
async fn invoices_and_offers_are_listed() {
    let mut invoice = recorded!("listinvoices-unpaid")["invoices"][0].clone();
    invoice["label"] = json!(null);
    let args = json!({ "node": 2, "label": "inv-1", "amount_msat": 1, "description": "coffee" });
    let invoiced = |seen: Value, status, detail| Case {
        tool: "ln_invoice",
        args: args.clone(),
        payload: invoice.clone(),
        read: "ln_listinvoices",
        seen,
        status,
        detail,
    };
    let offered = |seen: Value, status, detail| Case {
        tool: "ln_offer",
        args: json!({ "node": 3, "amount_msat": "any", "description": "donations" }),
        payload: recorded!("offer-any"),
        read: "ln_listoffers",
        seen,
        status,
        detail,
    };
    check(vec![
        invoiced(recorded!("listinvoices-unpaid"), Confirmed, "invoice \"inv-1\" is unpaid"),
        invoiced(json!({ "invoices": [] }), Contradicted, "the invoice is not among the node's invoices"),
        offered(recorded!("listoffers"), Confirmed, "the offer is listed and active"),
        offered(json!({ "offers": [] }), Contradicted, "the offer is not among the node's offers"),
    ])
    .await;
}

#[tokio::test]
async fn onchain_money_counts_from_the_mempool_on() {
    let txid = "b634fd1b559f0799f89e28ac35b731c9dda1a9d600231ffcb251fd7281043ff8";
    let withdrawn = |seen: Value, status, detail| Case {
        tool: "ln_withdraw",
        args: json!({ "node": 1, "destination": "bcrt1q", "amount_sat": "all" }),
        payload: recorded!("withdraw"),
        read: "ln_listtransactions",
        seen,
        status,
        detail,
    };
    let sent = |seen: Value, status, detail| Case {
        tool: "btc_sendtoaddress",
        args: json!({ "address": "bcrt1q", "amount_btc": "1.5", "wallet": "miner" }),
        payload: json!(txid),
        read: "btc_gettransaction",
        seen,
        status,
        detail,
    };
    let mut replaced = recorded!("gettransaction-unconfirmed-send");
    replaced["confirmations"] = json!(-1);
    check(vec![
        withdrawn(recorded!("listtransactions-after-withdraw"), Confirmed, Box::leak(format!("transaction {} waits for a block", recorded!("withdraw")["txid"].as_str().unwrap()).into_boxed_str())),
        withdrawn(json!({ "transactions": [] }), Contradicted, Box::leak(format!("transaction {} is not among the node's", recorded!("withdraw")["txid"].as_str().unwrap()).into_boxed_str())),
        sent(recorded!("gettransaction-unconfirmed-send"), Confirmed, "transaction b634fd1b559f0799f89e28ac35b731c9dda1a9d600231ffcb251fd7281043ff8 waits for a block"),
        sent(replaced, Contradicted, "transaction b634fd1b559f0799f89e28ac35b731c9dda1a9d600231ffcb251fd7281043ff8 conflicts with one in the chain"),
        Case { tool: "btc_wallet_ensure", args: json!({ "wallet_name": "miner" }), payload: json!({ "ensured": true }), read: "btc_getbalance", seen: json!(1.5), status: Confirmed, detail: "wallet miner answers" },
    ])
    .await;
}

#[tokio::test]
async fn an_answer_that_means_absent_contradicts() {
    let unknown = Cast::default().tool("btc_gettransaction", Effect::Read, |_, _| Reply::Code(-5));
    let seen =
        verified("btc_sendtoaddress", &json!({ "address": "x" }), &json!("ab"), unknown).await.unwrap();
    assert_eq!(
        (seen.status, seen.detail.as_str()),
        (Contradicted, "btc_gettransaction found nothing: the node says no")
    );

    let other = Cast::default().tool("btc_gettransaction", Effect::Read, |_, _| Reply::Code(-28));
    let seen = verified("btc_sendtoaddress", &json!({ "address": "x" }), &json!("ab"), other).await.unwrap();
    assert_eq!(seen.status, Unavailable);
}

#[tokio::test]
async fn mined_blocks_raise_the_chain() {
    let info = recorded!("getblockchaininfo");
    let (tip, height) = (info["bestblockhash"].clone(), info["blocks"].as_u64().unwrap());
    let chain = |grown: u64| {
        let info = info.clone();
        Cast::default().tool("btc_getblockchaininfo", Effect::Read, move |asked, _| {
            let mut now = info.clone();
            now["blocks"] = json!(height + if asked > 0 { grown } else { 0 });
            Reply::Answer(now)
        })
    };
    let args = json!({ "blocks": 2, "address": "bcrt1q" });
    for (hashes, grown, status) in [
        (json!(["aa", tip]), 0, Confirmed),
        (json!(["aa", "bb"]), 2, Confirmed),
        (json!(["aa", "bb"]), 3, Confirmed),
        (json!(["aa", "bb"]), 1, Contradicted),
    ] {
        let seen = verified("btc_generatetoaddress", &args, &hashes, chain(grown)).await.unwrap();
        assert_eq!(seen.status, status, "{hashes} after {grown}: {}", seen.detail);
    }
}

#[tokio::test]
async fn nodes_run_exist_or_do_not() {
    let case = |tool, read, seen: Value, status, detail| Case {
        tool,
        args: json!({ "node": 2 }),
        payload: json!({}),
        read,
        seen,
        status,
        detail,
    };
    let nodes = json!({ "nodes": [{ "node": 1, "running": true }, { "node": 2, "running": false }] });
    let named = json!({ "nodes": [{ "name": "node-1" }, { "name": "node-12" }] });
    check(vec![
        case("ln_node_start", "ln_node_status", json!({ "running": true }), Confirmed, "node 2 is running"),
        case(
            "ln_node_start",
            "ln_node_status",
            json!({ "running": false }),
            Contradicted,
            "node 2 is not running",
        ),
        case(
            "ln_node_stop",
            "ln_node_status",
            json!({ "running": false }),
            Confirmed,
            "node 2 is not running",
        ),
        case("ln_node_stop", "ln_node_status", json!({}), Unavailable, "node 2 does not say whether it runs"),
        case("ln_node_create", "ln_listnodes", nodes.clone(), Confirmed, "node 2 exists"),
        case("ln_node_create", "ln_listnodes", named.clone(), Contradicted, "node 2 does not exist"),
        case("ln_node_delete", "ln_listnodes", named, Confirmed, "node 2 does not exist"),
        case("ln_node_delete", "ln_listnodes", nodes, Contradicted, "node 2 exists"),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_looked_at_says_nothing() {
    let args = json!({ "node": 1 });
    let missing = verified("ln_node_start", &args, &json!({}), Cast::default()).await.unwrap();
    assert_eq!(
        (missing.status, missing.detail.as_str()),
        (Unavailable, "ln_node_status failed: there is no tool `ln_node_status`")
    );

    let silent = Cast::default().tool("ln_node_status", Effect::Read, |_, _| Reply::Hang);
    let silent = verified("ln_node_start", &args, &json!({}), silent).await.unwrap();
    assert_eq!(
        (silent.status, silent.detail.as_str()),
        (Unavailable, "ln_node_status failed: no answer within 30 s")
    );

    let down = Cast::default()
        .tool("ln_node_status", Effect::Read, |_, _| Reply::Fail(ToolErrorKind::Unreachable, "down"));
    assert_eq!(verified("ln_node_start", &args, &json!({}), down).await.unwrap().status, Unavailable);
}

#[tokio::test]
async fn tools_that_return_data_are_not_looked_at() {
    for tool in ["btc_getnewaddress", "ln_fetchinvoice", "ln_raw", "btc_raw", "ln_getinfo", "roll_dice"] {
        assert_eq!(verified(tool, &json!({ "node": 1 }), &json!({}), Cast::default()).await, None, "{tool}");
    }
}

#[tokio::test]
async fn a_snapshot_reads_only_where_a_difference_tells() {
    let (tools, record) = payer(1, json!({})).reading("ln_listpeers", json!({})).finish();
    let args = Object::from_iter([("from_node".to_owned(), json!(1))]);
    assert_eq!(snapshot(&tools, "ln_connect", &args).await, Snapshot::default());
    assert!(record.calls().is_empty());
    assert_ne!(snapshot(&tools, "ln_pay", &args).await, Snapshot::default());
    assert_eq!(record.calls(), [("ln_listfunds".to_owned(), json!({ "node": 1 }))]);
}

fn result(step: u32, tool: &str, args: Value, payload: Value) -> StepResult {
    StepResult {
        step_id: StepId(step),
        tool: tool.to_owned(),
        args: args.as_object().unwrap().clone(),
        ok: true,
        raw_result: json!({ "id": step, "result": { "ok": true, "payload": payload } }),
        ..StepResult::default()
    }
}

fn intent(intent_type: IntentType, context: Value) -> IntentBlock {
    IntentBlock { intent_type, context: context.as_object().unwrap().clone(), ..IntentBlock::default() }
}

#[tokio::test]
async fn a_payment_is_confirmed_at_the_payer_and_at_the_payee() {
    let invoice = recorded!("listpays-bolt11")["pays"][0]["bolt11"].clone();
    let results = [
        result(1, "ln_invoice", json!({ "node": 2 }), json!({ "bolt11": invoice })),
        result(2, "ln_pay", json!({ "from_node": 1, "bolt11": invoice }), recorded!("pay")),
    ];
    for (held, status) in [(12_345_678, Confirmed), (12_345_677, Contradicted)] {
        let funds = json!({ "outputs": [], "channels": [{ "our_amount_msat": held }] });
        let cast = Cast::default()
            .reading("ln_listpays", recorded!("listpays-bolt11"))
            .reading("ln_listfunds", funds);
        let (tools, record) = cast.finish();
        let seen = confirm_intent(&tools, &intent(IntentType::PayInvoice, json!({})), &results).await;
        assert_eq!(seen.iter().map(|one| one.status).collect::<Vec<_>>(), [Confirmed, status]);
        assert_eq!(seen[1].step_id, None);
        assert_eq!(record.calls()[1], ("ln_listfunds".to_owned(), json!({ "node": 2 })));
    }
}

#[tokio::test]
async fn the_payees_invoice_decides_over_what_it_holds() {
    let paid = |step, invoice: &str| {
        result(step, "ln_pay", json!({ "from_node": 1, "bolt11": invoice }), json!({ "amount_msat": 5_000 }))
    };
    let made = |step, invoice: &str| {
        result(step, "ln_invoice", json!({ "node": 2, "label": invoice }), json!({ "bolt11": invoice }))
    };
    let results = [made(1, "lnbcrt1a"), paid(2, "lnbcrt1a"), made(3, "lnbcrt1b"), paid(4, "lnbcrt1b")];
    let invoices = json!({ "invoices": [{ "bolt11": "lnbcrt1a", "label": "a", "status": "paid" },
                                        { "bolt11": "lnbcrt1b", "label": "b", "status": "unpaid" }] });
    let (tools, _) = Cast::default()
        .reading("ln_listinvoices", invoices)
        .reading("ln_listfunds", json!({ "outputs": [], "channels": [] }))
        .finish();
    let seen = confirm_intent(&tools, &intent(IntentType::Freeform, json!({})), &results).await;
    let found: Vec<_> = seen.iter().map(|one| (one.tool.as_str(), one.status)).collect();
    // Nothing is held any more, which the paid invoice explains and the unpaid one does not.
    assert_eq!(
        found,
        [("ln_listinvoices", Confirmed), ("ln_listfunds", Contradicted), ("ln_listinvoices", Contradicted)]
    );
}

#[tokio::test]
async fn the_goal_of_a_run_is_looked_at_again_at_its_end() {
    let open =
        || result(1, "ln_openchannel", json!({ "from_node": 1, "peer_id": PEER }), recorded!("fundchannel"));
    let set = result(
        1,
        "ln_setchannel",
        json!({ "node": 1, "peer_id": "103x1x0", "feebase": 500 }),
        recorded!("setchannel"),
    );
    let pay = result(1, "ln_pay", json!({ "from_node": 1, "bolt11": "lnbcrt1" }), recorded!("pay"));
    let close = result(2, "ln_closechannel", json!({ "from_node": 1, "peer_id": PEER }), json!({}));
    let cases = [
        (IntentType::OpenChannel, vec![open()], 1),
        (IntentType::OpenChannel, vec![open(), close], 0),
        (IntentType::SetFee, vec![set], 1),
        (IntentType::Rebalance, vec![pay], 1),
        (IntentType::OpenChannel, vec![], 0),
        (IntentType::Freeform, vec![open()], 1),
        (IntentType::Informational, vec![open()], 0),
    ];
    for (kind, results, expected) in cases {
        let (tools, _) =
            Cast::default().reading("ln_listchannels", recorded!("listpeerchannels-two-normal")).finish();
        let seen = confirm_intent(&tools, &intent(kind, json!({})), &results).await;
        assert_eq!(seen.len(), expected, "{kind:?}");
        assert!(seen.iter().all(|one| one.status == Confirmed && one.step_id.is_none()), "{seen:?}");
    }
}
