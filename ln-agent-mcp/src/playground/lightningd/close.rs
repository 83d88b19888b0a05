use bitcoin::consensus::encode::serialize_hex;
use bitcoin::{Address, Network};
use lightning::ln::script::ShutdownScript;
use lightning::ln::types::ChannelId;
use serde_json::{Value, json};

use super::call::{Answer, Call, Outcome};
use super::channel_view::details;
use super::error::RpcError;
use super::methods::Method;
use crate::playground::node::ChannelRow;
use crate::playground::world::spender_of;

pub(super) const METHODS: &[Method] = &[Method {
    name: "close",
    params: &[
        "id",
        "unilateraltimeout?",
        "destination?",
        "fee_negotiation_step?",
        "wrong_funding?",
        "force_lease_closed?",
        "feerange?",
    ],
    writes: true,
    run,
}];

fn run(call: &mut Call<'_>) -> Outcome {
    let given = call.params.required("id")?.clone();
    call.params.number("unilateraltimeout")?;
    let row = find(call, &given)?;
    let destination = destination(call)?;
    let peer: bitcoin::secp256k1::PublicKey =
        row.peer_id.parse().map_err(|_| RpcError::new(-1, "the channel's peer is not known"))?;
    let Some(channel) = details(call, &row) else {
        return Err(RpcError::invalid("id", &format!("Channel in state {}", row.state), &given));
    };
    let id = channel.channel_id;
    let live = call.live();
    let agreed = match destination {
        Some(script) => live.manager.close_channel_with_feerate_and_script(&id, &peer, None, Some(script)),
        None => live.manager.close_channel(&id, &peer),
    };
    if agreed.is_ok() {
        call.world.pump();
    }
    if let Some(answer) = closed(call, &row, "mutual") {
        return Ok(Answer::Done(answer));
    }
    force(call, &id, &peer)?;
    closed(call, &row, "unilateral")
        .map(Answer::Done)
        .ok_or_else(|| RpcError::new(-1, "the channel was given up, but no transaction ends it yet"))
}

/// A peer that is gone, or a payment that hangs, would keep an agreement waiting for `unilateraltimeout`. Time is
/// the playground's own, so that wait is skipped.
fn force(call: &mut Call<'_>, id: &ChannelId, peer: &bitcoin::secp256k1::PublicKey) -> Result<(), RpcError> {
    let words = "Forcibly closed by `close` command timeout".to_owned();
    let forced = call.live().manager.force_close_broadcasting_latest_txn(id, peer, words);
    forced.map_err(|error| RpcError::new(-1, format!("{error:?}")))?;
    call.world.pump();
    Ok(())
}

/// The channel that `id` names: a channel id, a short channel id, or a peer with one channel.
pub(super) fn find(call: &Call<'_>, given: &Value) -> Result<ChannelRow, RpcError> {
    let text = given.as_str().unwrap_or_default();
    let rows: Vec<&ChannelRow> = call.node().book.channels.iter().map(|(_, row)| row).collect();
    if let Some(row) = rows.iter().find(|row| row.channel_id == text || row.scid.as_deref() == Some(text)) {
        return Ok((*row).clone());
    }
    let open: Vec<_> = rows.iter().filter(|row| row.peer_id == text && row.closing.is_none()).collect();
    match open.as_slice() {
        [row] => Ok((**row).clone()),
        [] if is_scid(text) => Err(RpcError::invalid("id", "Short channel id not found", given)),
        [] => Err(RpcError::invalid("id", "should be a channel ID or short channel ID", given)),
        _ => Err(RpcError::new(-1, "Peer has multiple channels: use channel_id or short_channel_id")),
    }
}

fn is_scid(text: &str) -> bool {
    let parts: Vec<_> = text.split('x').collect();
    parts.len() == 3 && parts.iter().all(|part| part.parse::<u32>().is_ok())
}

fn destination(call: &Call<'_>) -> Result<Option<ShutdownScript>, RpcError> {
    let Some(text) = call.params.text("destination")? else { return Ok(None) };
    let address =
        text.parse::<Address<_>>().ok().and_then(|address| address.require_network(Network::Regtest).ok());
    let script = address.and_then(|address| ShutdownScript::try_from(address.script_pubkey()).ok());
    let invalid = || RpcError::invalid("destination", "should be a valid address", &json!(text));
    script.map(Some).ok_or_else(invalid)
}

fn closed(call: &Call<'_>, row: &ChannelRow, kind: &str) -> Option<Value> {
    if details(call, row).is_some() {
        return None;
    }
    let chain = call.world.chain.borrow();
    let (txid, _) = spender_of(&chain, &row.funding()?)?;
    let (tx, _) = chain.get_tx(&txid)?;
    Some(json!({"txs": [serialize_hex(&tx)], "txids": [txid.to_string()], "type": kind}))
}
