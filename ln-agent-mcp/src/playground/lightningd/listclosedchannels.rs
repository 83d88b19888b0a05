use serde_json::{Value, json};

use super::call::{Call, Outcome, list, object};
use super::channel_view::{channel_type, ended_at};
use super::methods::Method;

pub(super) const METHODS: &[Method] =
    &[Method { name: "listclosedchannels", params: &["id?"], writes: false, run }];

/// Channels whose end is so deep in the chain that `listpeerchannels` has forgotten them.
fn run(call: &mut Call<'_>) -> Outcome {
    let peer = call.params.node_id("id")?.map(|id| id.to_string());
    let height = call.world.chain.borrow().height();
    let mut found = Vec::new();
    for (_, row) in call.node().book.channels.iter() {
        let Some(closing) = &row.closing else { continue };
        let forgotten =
            ended_at(call, row).is_some_and(|at| height >= at + super::listpeerchannels::FORGET_BLOCKS);
        if !forgotten || peer.as_ref().is_some_and(|peer| *peer != row.peer_id) {
            continue;
        }
        found.push(Value::Object(object([
            ("peer_id", Some(json!(row.peer_id))),
            ("channel_id", Some(json!(row.channel_id))),
            ("short_channel_id", row.scid.as_ref().map(|scid| json!(scid))),
            ("opener", Some(json!(row.opener))),
            ("closer", Some(json!(closing.closer))),
            ("private", Some(json!(row.private))),
            ("channel_type", Some(channel_type())),
            ("total_htlcs_sent", Some(json!(row.counters.out_count))),
            ("funding_txid", Some(json!(row.funding_txid))),
            ("funding_outnum", Some(json!(row.funding_outnum))),
            ("leased", Some(json!(false))),
            ("total_msat", Some(json!(row.capacity_sat * 1_000))),
            ("final_to_us_msat", Some(json!(closing.to_us_msat))),
            ("last_commitment_txid", closing.txid.as_ref().map(|txid| json!(txid))),
            ("close_cause", Some(json!(if closing.closer == "remote" { "remote" } else { "user" }))),
        ])));
    }
    list("closedchannels", found)
}
