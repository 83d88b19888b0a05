//! Channels and peers: opened, closed, set, connected.

use serde_json::{Value, json};

use super::look::{Finding, Look, Seen, argument, list, msat, pick, text};
use crate::types::{Msat, Object};

pub(super) const OPENED: &[Look] =
    &[Look { tool: "ln_listchannels", args: of_from_node, before: false, absent: &[], judge: opened }];
pub(super) const CLOSED: &[Look] =
    &[Look { tool: "ln_listchannels", args: of_from_node, before: false, absent: &[], judge: closed }];
pub(super) const SET: &[Look] =
    &[Look { tool: "ln_listchannels", args: of_node, before: false, absent: &[], judge: set }];
pub(super) const CONNECTED: &[Look] =
    &[Look { tool: "ln_listpeers", args: of_from_node, before: false, absent: &[], judge: connected }];

/// States of a channel that was opened: its funding waits for blocks, or it is in use.
const OPEN_STATES: [&str; 3] = ["CHANNELD_AWAITING_LOCKIN", "DUALOPEND_AWAITING_LOCKIN", NORMAL];
pub(super) const NORMAL: &str = "CHANNELD_NORMAL";

fn of_from_node(args: &Object, _payload: &Value) -> Option<Object> {
    pick(args, &[("from_node", "node")])
}

fn of_node(args: &Object, _payload: &Value) -> Option<Object> {
    pick(args, &[("node", "node")])
}

fn opened(seen: &Seen<'_>) -> Finding {
    let peer = argument(seen.done.args, "peer_id");
    let txid = text(seen.done.payload, "txid");
    let channel = list(seen.now, "channels").iter().find(|channel| {
        let funded = text(channel, "funding_txid");
        text(channel, "peer_id") == Some(peer.as_str())
            && (txid.is_none() || funded.is_none() || funded == txid)
    });
    let Some(channel) = channel else {
        let funding = txid.map(|txid| format!(" funded by {txid}")).unwrap_or_default();
        return Finding::contradicted(format!("there is no channel with {peer}{funding}"), Value::Null);
    };
    let state = text(channel, "state").unwrap_or("unnamed");
    let detail = format!("the channel with {peer} is in state {state}");
    let observed = excerpt(channel);
    if OPEN_STATES.contains(&state) {
        Finding::confirmed(detail, observed)
    } else {
        Finding::contradicted(detail, observed)
    }
}

fn closed(seen: &Seen<'_>) -> Finding {
    let name = argument(seen.done.args, "peer_id");
    let named = || list(seen.now, "channels").iter().filter(|channel| is_named(channel, &name));
    if let Some(channel) = named().find(|channel| text(channel, "state") == Some(NORMAL)) {
        return Finding::contradicted(
            format!("the channel {name} is still in state {NORMAL}"),
            excerpt(channel),
        );
    }
    match named().next_back() {
        Some(channel) => {
            let state = text(channel, "state").unwrap_or("unnamed");
            Finding::confirmed(format!("the channel {name} is in state {state}"), excerpt(channel))
        }
        None => Finding::confirmed(format!("the channel {name} is gone"), Value::Null),
    }
}

/// Argument, the channel's own member, and the same under `updates.local`.
const SETTINGS: [(&str, &str, &str); 4] = [
    ("feebase", "fee_base_msat", "fee_base_msat"),
    ("feeppm", "fee_proportional_millionths", "fee_proportional_millionths"),
    ("htlcmin", "minimum_htlc_out_msat", "htlc_minimum_msat"),
    ("htlcmax", "maximum_htlc_out_msat", "htlc_maximum_msat"),
];

fn set(seen: &Seen<'_>) -> Finding {
    let args = seen.done.args;
    let name = argument(args, "peer_id");
    let named = |channel: &&Value| name == "all" || is_named(channel, &name);
    let channels: Vec<&Value> =
        list(seen.now, "channels").iter().filter(named).filter(|c| is_usable(c)).collect();
    if channels.is_empty() {
        return Finding::contradicted(format!("there is no channel {name}"), Value::Null);
    }
    let answered = list(seen.done.payload, "channels").first().unwrap_or(&Value::Null);
    let mut words = Vec::new();
    for (argument, own, update) in SETTINGS {
        // The node says so itself when it had to keep a limit within the channel's size.
        let limited = answered.get(format!("warning_{argument}_too_high")).is_some()
            || answered.get(format!("warning_{argument}_too_low")).is_some();
        let requested = if limited { msat(answered, own) } else { amount(args.get(argument)) };
        let Some(requested) = requested else { continue };
        for channel in &channels {
            let now = msat(channel, own).or_else(|| msat(&channel["updates"]["local"], update));
            let Some(now) = now else {
                return Finding::Undecided(format!("the channel {name} does not say its {own}"));
            };
            if now != requested {
                let detail = format!("{own} of channel {name} is {}, not {}", now.0, requested.0);
                return Finding::contradicted(detail, excerpt(channel));
            }
        }
        words.push(format!("{own} {}", requested.0));
    }
    Finding::confirmed(format!("channel {name} now has {}", words.join(", ")), excerpt(channels[0]))
}

fn connected(seen: &Seen<'_>) -> Finding {
    let id = argument(seen.done.args, "peer_id");
    let peer = list(seen.now, "peers").iter().find(|peer| text(peer, "id") == Some(id.as_str()));
    match peer.and_then(|peer| peer.get("connected")).and_then(Value::as_bool) {
        Some(true) => {
            Finding::confirmed(format!("peer {id} is connected"), json!({ "id": id, "connected": true }))
        }
        Some(false) => Finding::contradicted(
            format!("peer {id} is not connected"),
            json!({ "id": id, "connected": false }),
        ),
        None => Finding::contradicted(format!("peer {id} is not among the peers"), Value::Null),
    }
}

/// A channel goes by its peer, its id, or its short id.
fn is_named(channel: &Value, name: &str) -> bool {
    ["peer_id", "channel_id", "short_channel_id"].iter().any(|key| text(channel, key) == Some(name))
}

/// A channel that is not on its way to its end; others keep their settings.
fn is_usable(channel: &Value) -> bool {
    text(channel, "state").is_none_or(|state| OPEN_STATES.contains(&state))
}

fn amount(value: Option<&Value>) -> Option<Msat> {
    value.and_then(|value| serde_json::from_value(value.clone()).ok())
}

/// What a reader needs of a channel; the whole has four kilobytes.
fn excerpt(channel: &Value) -> Value {
    const MEMBERS: [&str; 9] = [
        "peer_id",
        "state",
        "short_channel_id",
        "channel_id",
        "funding_txid",
        "fee_base_msat",
        "fee_proportional_millionths",
        "minimum_htlc_out_msat",
        "maximum_htlc_out_msat",
    ];
    MEMBERS
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), channel.get(name)?.clone())))
        .collect::<Object>()
        .into()
}
