//! One channel as `listpeerchannels` shows it.

use bitcoin::{Address, Network, Txid};
use lightning::ln::channel_state::ChannelDetails;
use serde_json::{Map, Value, json};

use super::call::{Call, object};
use super::params::iso_time;
use crate::playground::node::{ChannelRow, FEERATE_PER_KW};
use crate::playground::world::{scid_text, to_us_msat};

/// The channel with everything that is known about it.
pub(super) fn describe(call: &Call<'_>, row: &ChannelRow) -> Value {
    let details = details(call, row);
    let mut view = common(call, row, details.as_ref());
    view.extend(match &details {
        Some(details) => living(row, details),
        None => ended(row),
    });
    view.extend(history(row));
    Value::Object(view)
}

/// LDK's view of a channel that still lives.
pub(super) fn details(call: &Call<'_>, row: &ChannelRow) -> Option<ChannelDetails> {
    let channels = call.live().manager.list_channels();
    channels.into_iter().find(|channel| channel.channel_id.to_string() == row.channel_id)
}

/// The height of the block that ended the channel.
pub(super) fn ended_at(call: &Call<'_>, row: &ChannelRow) -> Option<u32> {
    let txid: Txid = row.closing.as_ref()?.txid.as_ref()?.parse().ok()?;
    let chain = call.world.chain.borrow();
    chain.find(&txid).map(|(entry, _)| entry.height)
}

/// This node's balance, in millisatoshis.
pub(super) fn balance_msat(row: &ChannelRow, details: Option<&ChannelDetails>) -> u64 {
    match details {
        Some(details) => to_us_msat(details),
        None => row.closing.as_ref().map_or(0, |closing| closing.to_us_msat),
    }
}

/// Core Lightning's name for the channel type, which the playground always opens.
pub(super) fn channel_type() -> Value {
    json!({"bits": [12], "names": ["static_remotekey/even"]})
}

fn common(call: &Call<'_>, row: &ChannelRow, details: Option<&ChannelDetails>) -> Map<String, Value> {
    let connected = call
        .live()
        .peers
        .list_peers()
        .iter()
        .any(|peer| peer.counterparty_node_id.to_string() == row.peer_id);
    let owner = details.filter(|_| connected).map(|_| match row.state.as_str() {
        "CLOSINGD_SIGEXCHANGE" => "closingd",
        _ => "channeld",
    });
    let owner = match (owner, row.state.as_str()) {
        (None, "FUNDING_SPEND_SEEN" | "ONCHAIN") => Some("onchaind"),
        (owner, _) => owner,
    };
    let me = call.live().id.to_string();
    let home = call.node().wallet.home();
    let address = Address::from_script(&home, Network::Regtest).ok();
    let local = (row.opener == "local").then_some(row.capacity_sat * 1_000);
    let remote = (row.opener == "remote").then_some(row.capacity_sat * 1_000);
    object([
        ("peer_id", Some(json!(row.peer_id))),
        ("peer_connected", Some(json!(connected))),
        ("reestablished", details.map(|_| json!(connected))),
        ("channel_type", Some(channel_type())),
        ("ignore_fee_limits", Some(json!(true))),
        ("state", Some(json!(row.state))),
        ("lost_state", Some(json!(false))),
        ("feerate", Some(json!({"perkw": FEERATE_PER_KW, "perkb": FEERATE_PER_KW * 4}))),
        ("owner", owner.map(Into::into)),
        ("short_channel_id", row.scid.as_ref().map(|scid| json!(scid))),
        ("direction", Some(json!(i32::from(me > row.peer_id)))),
        ("channel_id", Some(json!(row.channel_id))),
        ("funding_txid", Some(json!(row.funding_txid))),
        ("funding_outnum", Some(json!(row.funding_outnum))),
        ("close_to_addr", address.map(|address| json!(address.to_string()))),
        ("close_to", Some(json!(home.to_hex_string()))),
        ("private", Some(json!(row.private))),
        ("opener", Some(json!(row.opener))),
        ("closer", row.closing.as_ref().map(|closing| json!(closing.closer))),
        ("features", Some(json!(["option_static_remotekey"]))),
        (
            "funding",
            Some(json!({
                "local_funds_msat": local.unwrap_or_default(),
                "remote_funds_msat": remote.unwrap_or_default(),
                "pushed_msat": row.push_msat,
            })),
        ),
    ])
}

fn living(row: &ChannelRow, details: &ChannelDetails) -> Map<String, Value> {
    let config = details.config.unwrap_or_default();
    let ready = details.is_channel_ready;
    let most = details.channel_value_satoshis * 1_000
        - details.counterparty.unspendable_punishment_reserve.min(details.channel_value_satoshis) * 1_000;
    let remote = details.counterparty.forwarding_info.as_ref().map(|info| {
        json!({
            "htlc_minimum_msat": details.counterparty.outbound_htlc_minimum_msat.unwrap_or_default(),
            "htlc_maximum_msat": details.counterparty.outbound_htlc_maximum_msat.unwrap_or(most),
            "cltv_expiry_delta": info.cltv_expiry_delta,
            "fee_base_msat": info.fee_base_msat,
            "fee_proportional_millionths": info.fee_proportional_millionths,
        })
    });
    let local = json!({
        "htlc_minimum_msat": details.inbound_htlc_minimum_msat.unwrap_or_default(),
        "htlc_maximum_msat": details.inbound_htlc_maximum_msat.unwrap_or(most),
        "cltv_expiry_delta": config.cltv_expiry_delta,
        "fee_base_msat": config.forwarding_fee_base_msat,
        "fee_proportional_millionths": config.forwarding_fee_proportional_millionths,
    });
    let total = details.channel_value_satoshis * 1_000;
    let missing =
        details.confirmations_required.unwrap_or(1).saturating_sub(details.confirmations.unwrap_or(0));
    let status = match row.state.as_str() {
        "CHANNELD_AWAITING_LOCKIN" => {
            format!("CHANNELD_AWAITING_LOCKIN:Funding needs {missing} more confirmations to be ready.")
        }
        "CHANNELD_NORMAL" => "CHANNELD_NORMAL:Channel ready for use.".to_owned(),
        other => format!("{other}:Closing"),
    };
    let spendable = if ready { details.next_outbound_htlc_limit_msat } else { 0 };
    let receivable = if ready { details.inbound_capacity_msat } else { 0 };
    object([
        ("updates", Some(Value::Object(object([("local", Some(local)), ("remote", remote)])))),
        ("alias", alias(details)),
        ("to_us_msat", Some(json!(balance_msat(row, Some(details))))),
        ("total_msat", Some(json!(total))),
        ("fee_base_msat", Some(json!(config.forwarding_fee_base_msat))),
        ("fee_proportional_millionths", Some(json!(config.forwarding_fee_proportional_millionths))),
        ("dust_limit_msat", Some(json!(354_000))),
        ("their_max_htlc_value_in_flight_msat", Some(json!(total))),
        ("our_max_htlc_value_in_flight_msat", Some(json!(total))),
        ("their_reserve_msat", Some(json!(details.counterparty.unspendable_punishment_reserve * 1_000))),
        ("our_reserve_msat", Some(json!(details.unspendable_punishment_reserve.unwrap_or_default() * 1_000))),
        ("spendable_msat", Some(json!(spendable))),
        ("receivable_msat", Some(json!(receivable))),
        ("minimum_htlc_in_msat", Some(json!(details.inbound_htlc_minimum_msat.unwrap_or_default()))),
        ("minimum_htlc_out_msat", Some(json!(details.next_outbound_htlc_minimum_msat))),
        ("maximum_htlc_out_msat", Some(json!(most))),
        ("their_to_self_delay", Some(json!(details.force_close_spend_delay.unwrap_or_default()))),
        ("our_to_self_delay", Some(json!(details.force_close_spend_delay.unwrap_or_default()))),
        ("max_accepted_htlcs", Some(json!(483))),
        ("status", Some(json!([status]))),
        ("htlcs", Some(Value::Array(htlcs(details)))),
    ])
}

fn alias(details: &ChannelDetails) -> Option<Value> {
    let local = details.inbound_scid_alias.map(|scid| json!(scid_text(scid)));
    let remote = details.outbound_scid_alias.map(|scid| json!(scid_text(scid)));
    (local.is_some() || remote.is_some())
        .then(|| Value::Object(object([("local", local), ("remote", remote)])))
}

fn htlcs(details: &ChannelDetails) -> Vec<Value> {
    let inbound = details.pending_inbound_htlcs.iter().map(|htlc| {
        json!({
            "direction": "in",
            "id": htlc.htlc_id,
            "amount_msat": htlc.amount_msat,
            "expiry": htlc.cltv_expiry,
            "payment_hash": htlc.payment_hash.to_string(),
            "state": "RCVD_ADD_ACK_REVOCATION",
        })
    });
    let outbound = details.pending_outbound_htlcs.iter().map(|htlc| {
        json!({
            "direction": "out",
            "id": htlc.htlc_id.unwrap_or_default(),
            "amount_msat": htlc.amount_msat,
            "expiry": htlc.cltv_expiry,
            "payment_hash": htlc.payment_hash.to_string(),
            "state": "SENT_ADD_ACK_REVOCATION",
        })
    });
    inbound.chain(outbound).collect()
}

fn ended(row: &ChannelRow) -> Map<String, Value> {
    object([
        ("to_us_msat", Some(json!(balance_msat(row, None)))),
        ("total_msat", Some(json!(row.capacity_sat * 1_000))),
        ("spendable_msat", Some(json!(0))),
        ("receivable_msat", Some(json!(0))),
        ("status", Some(json!([format!("{}:Closed", row.state)]))),
        ("htlcs", Some(json!([]))),
    ])
}

fn history(row: &ChannelRow) -> Map<String, Value> {
    let changes = row.state_changes.iter().map(|change| {
        json!({
            "timestamp": iso_time(change.at),
            "old_state": change.old,
            "new_state": change.new,
            "cause": change.cause,
            "message": change.message,
        })
    });
    let counters = row.counters;
    object([
        ("state_changes", Some(changes.collect())),
        ("in_payments_offered", Some(json!(counters.in_count))),
        ("in_offered_msat", Some(json!(counters.in_msat))),
        ("in_payments_fulfilled", Some(json!(counters.in_count))),
        ("in_fulfilled_msat", Some(json!(counters.in_msat))),
        ("out_payments_offered", Some(json!(counters.out_count))),
        ("out_offered_msat", Some(json!(counters.out_msat))),
        ("out_payments_fulfilled", Some(json!(counters.out_count))),
        ("out_fulfilled_msat", Some(json!(counters.out_msat))),
    ])
}
