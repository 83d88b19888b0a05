use lightning::routing::router::{PaymentParameters, RouteParameters, Router};
use serde_json::{Value, json};

use super::call::{Call, Outcome, list};
use super::error::RpcError;
use super::methods::Method;
use crate::playground::world::scid_text;

pub(super) const METHODS: &[Method] =
    &[Method { name: "getroute", params: &["id", "amount_msat", "riskfactor", "cltv?"], writes: false, run }];

/// LDK's best single path. Other than for lightningd, it starts at the node itself only.
fn run(call: &mut Call<'_>) -> Outcome {
    let payee =
        call.params.node_id("id")?.ok_or_else(|| RpcError::usage("missing required parameter: id"))?;
    let amount = call.params.msat("amount_msat")?.unwrap_or_default();
    let cltv = call.params.number32("cltv")?.unwrap_or(24);
    let live = call.live();
    let parameters = PaymentParameters::from_node_id(payee, cltv).with_max_path_count(1);
    let wanted = RouteParameters {
        payment_params: parameters,
        final_value_msat: amount,
        max_total_routing_fee_msat: None,
    };
    let usable = live.manager.list_usable_channels();
    let first: Vec<_> = usable.iter().collect();
    let found =
        live.router.find_route(&live.id, &wanted, Some(&first), live.manager.compute_inflight_htlcs());
    let route = found.map_err(|_| RpcError::new(205, "Could not find a route"))?;
    let path = route.paths.first().ok_or_else(|| RpcError::new(205, "Could not find a route"))?;
    let mut from = live.id;
    // A hop's fee and delay are what the next one takes; seen from the payer they add up from the end.
    let mut hops: Vec<Value> = Vec::new();
    for (at, hop) in path.hops.iter().enumerate() {
        let rest = &path.hops[at..];
        hops.push(json!({
            "id": hop.pubkey.to_string(),
            "channel": scid_text(hop.short_channel_id),
            "direction": i32::from(from.serialize() > hop.pubkey.serialize()),
            "amount_msat": rest.iter().map(|hop| hop.fee_msat).sum::<u64>(),
            "delay": rest.iter().map(|hop| hop.cltv_expiry_delta).sum::<u32>(),
            "style": "tlv",
        }));
        from = hop.pubkey;
    }
    list("route", hops)
}
