use bitcoin::secp256k1::PublicKey;
use lightning::ln::channel_state::ChannelDetails;
use lightning::util::config::ChannelConfigUpdate;
use serde_json::{Value, json};

use super::call::{Call, Outcome, list};
use super::channel_view::details;
use super::close::find;
use super::error::RpcError;
use super::methods::Method;
use crate::playground::node::ChannelRow;

pub(super) const METHODS: &[Method] = &[Method {
    name: "setchannel",
    params: &["id", "feebase?", "feeppm?", "htlcmin?", "htlcmax?", "enforcedelay?", "ignorefeelimits?"],
    writes: true,
    run,
}];

fn run(call: &mut Call<'_>) -> Outcome {
    for name in ["htlcmin", "htlcmax"] {
        if call.params.get(name).is_some() {
            let why = "the playground fixes a channel's payment sizes when it opens";
            return Err(RpcError::usage(format!("{name}: {why}")));
        }
    }
    let base = call.params.msat("feebase")?;
    let base = base
        .map(|base| u32::try_from(base).map_err(|_| RpcError::usage("feebase: more than 4294967295 msat")));
    let change = ChannelConfigUpdate {
        forwarding_fee_base_msat: base.transpose()?,
        forwarding_fee_proportional_millionths: call.params.number32("feeppm")?,
        ..ChannelConfigUpdate::default()
    };
    let rows = chosen(call)?;
    let mut views = Vec::new();
    for row in &rows {
        let channel = details(call, row).ok_or_else(|| {
            RpcError::invalid("id", &format!("Channel in state {}", row.state), &json!(row.channel_id))
        })?;
        let peer: PublicKey = channel.counterparty.node_id;
        call.live()
            .manager
            .update_partial_channel_config(&peer, &[channel.channel_id], &change)
            .map_err(|error| RpcError::new(-1, format!("{error:?}")))?;
        views.extend(details(call, row).map(|channel| view(row, &channel)));
    }
    list("channels", views)
}

fn chosen(call: &Call<'_>) -> Result<Vec<ChannelRow>, RpcError> {
    let given = call.params.required("id")?.clone();
    let open = call.node().book.channels.iter().map(|(_, row)| row).filter(|row| row.closing.is_none());
    if given == "all" {
        return Ok(open.cloned().collect());
    }
    // A peer's id stands for all its channels here, unlike in `close`.
    let text = given.as_str().unwrap_or_default();
    let of_peer: Vec<ChannelRow> = open.filter(|row| row.peer_id == text).cloned().collect();
    if of_peer.is_empty() { Ok(vec![find(call, &given)?]) } else { Ok(of_peer) }
}

fn view(row: &ChannelRow, channel: &ChannelDetails) -> Value {
    let config = channel.config.unwrap_or_default();
    let reserve = channel.counterparty.unspendable_punishment_reserve;
    json!({
        "peer_id": row.peer_id,
        "channel_id": row.channel_id,
        "short_channel_id": row.scid,
        "fee_base_msat": config.forwarding_fee_base_msat,
        "fee_proportional_millionths": config.forwarding_fee_proportional_millionths,
        "minimum_htlc_out_msat": channel.next_outbound_htlc_minimum_msat,
        "maximum_htlc_out_msat": channel.channel_value_satoshis.saturating_sub(reserve) * 1_000,
        "ignore_fee_limits": true,
    })
}
