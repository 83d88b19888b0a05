use serde_json::{Value, json};

use super::call::{Call, Outcome, list, object};
use super::getinfo::{features, port};
use super::methods::Method;

pub(super) const METHODS: &[Method] =
    &[Method { name: "listpeers", params: &["id?", "level?"], writes: false, run }];

fn run(call: &mut Call<'_>) -> Outcome {
    let only = call.params.node_id("id")?.map(|id| id.to_string());
    let node = call.node();
    let mut open = std::collections::BTreeMap::<String, usize>::new();
    for (_, row) in node.book.channels.iter().filter(|(_, row)| row.state != "ONCHAIN") {
        *open.entry(row.peer_id.clone()).or_default() += 1;
    }
    let mut peers = std::collections::BTreeMap::<String, Value>::new();
    for peer in call.live().peers.list_peers() {
        let id = peer.counterparty_node_id.to_string();
        let at = call.world.number_of(&peer.counterparty_node_id).map(port).unwrap_or_default();
        let address = format!("127.0.0.1:{at}");
        let seen = json!({
            "id": id,
            "connected": true,
            "num_channels": open.get(&id).copied().unwrap_or_default(),
            "netaddr": [address],
            "features": features(peer.init_features.le_flags()),
        });
        peers.insert(id, seen);
    }
    for (id, channels) in open {
        peers.entry(id.clone()).or_insert_with(|| {
            Value::Object(object([
                ("id", Some(id.into())),
                ("connected", Some(false.into())),
                ("num_channels", Some(channels.into())),
            ]))
        });
    }
    list(
        "peers",
        peers
            .into_iter()
            .filter(|(id, _)| only.as_ref().is_none_or(|only| only == id))
            .map(|(_, peer)| peer)
            .collect(),
    )
}
