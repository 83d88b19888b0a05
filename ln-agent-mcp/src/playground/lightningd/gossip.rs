use lightning::routing::gossip::{ChannelInfo, NodeId, NodeInfo};
use serde_json::{Value, json};

use super::call::{Call, Outcome, list, object};
use super::error::RpcError;
use super::getinfo::features;
use super::methods::Method;
use crate::playground::world::{hex, scid_text};

pub(super) const METHODS: &[Method] = &[
    Method { name: "listnodes", params: &["id?"], writes: false, run: listnodes },
    Method {
        name: "listchannels",
        params: &["short_channel_id?", "source?", "destination?"],
        writes: false,
        run: listchannels,
    },
];

fn listnodes(call: &mut Call<'_>) -> Outcome {
    let only = call.params.node_id("id")?.map(|id| NodeId::from_pubkey(&id));
    let graph = call.live().graph.read_only();
    let mut nodes: Vec<_> = graph.nodes().unordered_iter().collect();
    nodes.sort_by_key(|(id, _)| **id);
    let picked = nodes.into_iter().filter(|(id, _)| only.is_none_or(|only| only == **id));
    list("nodes", picked.map(|(id, node)| describe_node(id, node)).collect())
}

fn describe_node(id: &NodeId, node: &NodeInfo) -> Value {
    let announced = node.announcement_info.as_ref();
    Value::Object(object([
        ("nodeid", Some(json!(hex(id.as_slice())))),
        ("alias", announced.map(|info| json!(info.alias().to_string()))),
        ("color", announced.map(|info| json!(hex(&info.rgb())))),
        ("last_timestamp", announced.map(|info| json!(info.last_update()))),
        ("features", announced.map(|info| json!(features(info.features().le_flags())))),
        ("addresses", announced.map(|_| json!([]))),
    ]))
}

fn listchannels(call: &mut Call<'_>) -> Outcome {
    let scid = call.params.text("short_channel_id")?;
    let source = call.params.node_id("source")?.map(|id| NodeId::from_pubkey(&id));
    let destination = call.params.node_id("destination")?.map(|id| NodeId::from_pubkey(&id));
    let given = [scid.is_some(), source.is_some(), destination.is_some()];
    if given.iter().filter(|given| **given).count() > 1 {
        return Err(RpcError::usage("Can only specify one of `short_channel_id`, `source` or `destination`"));
    }
    let graph = call.live().graph.read_only();
    let mut channels: Vec<_> = graph.channels().unordered_iter().collect();
    channels.sort_by_key(|(scid, _)| **scid);
    let mut found = Vec::new();
    for (number, channel) in channels {
        if scid.as_ref().is_some_and(|scid| *scid != scid_text(*number)) {
            continue;
        }
        for direction in [0, 1] {
            let (from, to) = if direction == 0 {
                (channel.node_one, channel.node_two)
            } else {
                (channel.node_two, channel.node_one)
            };
            if source.is_none_or(|source| source == from) && destination.is_none_or(|end| end == to) {
                found.extend(describe_channel(*number, channel, direction, &from, &to));
            }
        }
    }
    list("channels", found)
}

fn describe_channel(
    scid: u64,
    channel: &ChannelInfo,
    direction: u8,
    from: &NodeId,
    to: &NodeId,
) -> Option<Value> {
    let update = if direction == 0 { channel.one_to_two.as_ref() } else { channel.two_to_one.as_ref() }?;
    Some(json!({
        "source": hex(from.as_slice()),
        "destination": hex(to.as_slice()),
        "short_channel_id": scid_text(scid),
        "direction": direction,
        "public": true,
        "amount_msat": channel.capacity_sats.unwrap_or_default() * 1_000,
        "message_flags": 1,
        "channel_flags": direction | if update.enabled { 0 } else { 2 },
        "active": update.enabled,
        "last_update": update.last_update,
        "base_fee_millisatoshi": update.fees.base_msat,
        "fee_per_millionth": update.fees.proportional_millionths,
        "delay": update.cltv_expiry_delta,
        "htlc_minimum_msat": update.htlc_minimum_msat,
        "htlc_maximum_msat": update.htlc_maximum_msat,
        "features": features(channel.features.le_flags()),
    }))
}
