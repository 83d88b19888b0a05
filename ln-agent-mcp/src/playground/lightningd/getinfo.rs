use serde_json::json;

use super::call::{Answer, Call, Outcome};
use super::methods::Method;
use crate::playground::world::{alias, hex};

pub(super) const METHODS: &[Method] = &[Method { name: "getinfo", params: &[], writes: false, run }];

fn run(call: &mut Call<'_>) -> Outcome {
    let live = call.live();
    let channels = live.manager.list_channels();
    let pending = channels.iter().filter(|channel| !channel.is_channel_ready).count();
    let active = channels.iter().filter(|channel| channel.is_channel_ready).count();
    let closing =
        call.node().book.channels.iter().filter(|(_, row)| row.closing.is_some() && row.state != "ONCHAIN");
    let fees: u64 = call.node().book.forwards.iter().filter_map(|(_, row)| row.fee_msat).sum();
    Ok(Answer::Done(json!({
        "id": live.id.to_string(),
        "alias": alias(call.me),
        "color": "010101",
        "num_peers": live.peers.list_peers().len(),
        "num_pending_channels": pending,
        "num_active_channels": active,
        "num_inactive_channels": closing.count(),
        "address": [],
        "binding": [{"type": "ipv4", "address": "127.0.0.1", "port": port(call.me)}],
        "version": concat!("playground-", env!("CARGO_PKG_VERSION")),
        "blockheight": live.manager.current_best_block().height,
        "network": "regtest",
        "fees_collected_msat": fees,
        "lightning-dir": format!("lightning/node-{}/regtest", call.me),
        "our_features": {
            "init": features(live.manager.init_features().le_flags()),
            "node": features(live.manager.node_features().le_flags()),
            "channel": features(live.manager.channel_features().le_flags()),
            "invoice": INVOICE_FEATURES,
        },
    })))
}

/// What every invoice carries: variable-length onion, payment secret, multi-part payments.
const INVOICE_FEATURES: &str = "024100";

/// Feature bits as BOLT 9 writes them: most significant byte first.
pub(super) fn features(le_flags: &[u8]) -> String {
    let bytes: Vec<u8> = le_flags.iter().rev().copied().collect();
    hex(&bytes)
}

/// The port a node would listen on, were its links not in memory.
pub(super) fn port(number: u16) -> u32 {
    9735 + u32::from(number)
}
