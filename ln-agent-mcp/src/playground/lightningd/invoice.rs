use std::time::Duration;

use bitcoin::hashes::{Hash, sha256};
use bitcoin::secp256k1::SecretKey;
use bitcoin::{Address, Network};
use lightning::ln::channel_state::ChannelDetails;
use lightning::routing::gossip::RoutingFees;
use lightning::routing::router::{RouteHint, RouteHintHop};
use lightning::types::payment::{PaymentHash, PaymentSecret};
use lightning_invoice::{Bolt11Invoice, Currency, InvoiceBuilder};
use serde_json::{Value, json};

use super::call::{Answer, Call, Outcome, object};
use super::error::RpcError;
use super::methods::Method;
use super::params::AnyOr;
use crate::playground::node::InvoiceRow;
use crate::playground::world::{bytes32, hex};

pub(super) const METHODS: &[Method] = &[Method {
    name: "invoice",
    params: &[
        "amount_msat",
        "label",
        "description",
        "expiry?",
        "fallbacks?",
        "preimage?",
        "exposeprivatechannels?",
        "cltv?",
        "deschashonly?",
    ],
    writes: true,
    run,
}];

/// Core Lightning's default: one week.
const EXPIRY_SECS: u64 = 604_800;
/// What BOLT 11 can hold.
const MOST_DESCRIPTION: usize = 639;
/// LDK wants this many blocks to claim a payment.
const CLTV_BLOCKS: u64 = 24;

struct Order {
    amount: Option<u64>,
    label: String,
    description: String,
    expiry: u64,
    fallbacks: Vec<Address>,
    preimage: Option<[u8; 32]>,
    expose: Option<bool>,
    cltv: u64,
    hash_only: bool,
}

fn run(call: &mut Call<'_>) -> Outcome {
    let order = order(call)?;
    if call.node().book.invoices.find(|row| row.label == order.label).is_some() {
        return Err(RpcError::new(900, format!("Duplicate label '{}'", order.label)));
    }
    let (hash, secret) = payment_secret(call, &order)?;
    let hash_text = hash.to_string();
    if call.node().book.invoices.find(|row| row.payment_hash == hash_text).is_some() {
        return Err(RpcError::new(901, "preimage already used"));
    }
    let invoice = sign(call, &order, hash, secret)?;
    let expires_at = call.world.now().saturating_add(order.expiry);
    let index = call.node_mut().book.invoices.push(InvoiceRow {
        label: order.label,
        description: Some(order.description),
        bolt11: Some(invoice.to_string()),
        payment_hash: hash_text.clone(),
        preimage: order.preimage.map(|preimage| hex(&preimage)),
        amount_msat: order.amount,
        expires_at,
        ..InvoiceRow::default()
    });
    Ok(Answer::Done(Value::Object(object([
        ("payment_hash", Some(json!(hash_text))),
        ("expires_at", Some(json!(expires_at))),
        ("bolt11", Some(json!(invoice.to_string()))),
        ("payment_secret", Some(json!(hex(&secret.0)))),
        ("created_index", Some(json!(index))),
        ("warning_capacity", capacity_warning(call, order.amount)),
    ]))))
}

fn order(call: &Call<'_>) -> Result<Order, RpcError> {
    let params = &call.params;
    let amount = match params.msat_or_any("amount_msat")? {
        AnyOr::Any => None,
        AnyOr::Amount(amount) => Some(amount),
    };
    let description = params.required_text("description")?;
    let hash_only = params.flag("deschashonly")?.unwrap_or(false);
    if description.len() > MOST_DESCRIPTION && !hash_only {
        return Err(RpcError::usage(format!(
            "Description greater than 639 bytes invalid (description length {})",
            description.len()
        )));
    }
    let mut fallbacks = Vec::new();
    if let Some(given) = params.get("fallbacks") {
        let texts =
            given.as_array().ok_or_else(|| RpcError::invalid("fallbacks", "should be an array", given))?;
        for text in texts {
            let address = text.as_str().and_then(|text| text.parse::<Address<_>>().ok());
            let address = address.and_then(|address| address.require_network(Network::Regtest).ok());
            fallbacks.push(address.ok_or_else(|| RpcError::new(-1, "Fallback address not valid"))?);
        }
    }
    Ok(Order {
        amount,
        label: params.required_text("label")?,
        description,
        expiry: params.number("expiry")?.unwrap_or(EXPIRY_SECS),
        fallbacks,
        preimage: params.hash("preimage")?.as_deref().and_then(bytes32),
        expose: params.flag("exposeprivatechannels").unwrap_or(None),
        cltv: params.number("cltv")?.unwrap_or(CLTV_BLOCKS).max(CLTV_BLOCKS),
        hash_only,
    })
}

fn payment_secret(call: &Call<'_>, order: &Order) -> Result<(PaymentHash, PaymentSecret), RpcError> {
    let manager = &call.live().manager;
    // LDK's own limit must not end before ours, which is checked when the payment arrives.
    let expiry = u32::try_from(order.expiry.saturating_add(EXPIRY_SECS)).unwrap_or(u32::MAX);
    let made = match order.preimage {
        Some(preimage) => {
            let hash = PaymentHash(sha256::Hash::hash(&preimage).to_byte_array());
            manager
                .create_inbound_payment_for_hash(hash, order.amount, expiry, None)
                .map(|secret| (hash, secret))
        }
        None => manager.create_inbound_payment(order.amount, expiry, None),
    };
    made.map_err(|()| RpcError::usage("amount_msat: more than there are bitcoins"))
}

fn sign(
    call: &Call<'_>,
    order: &Order,
    hash: PaymentHash,
    secret: PaymentSecret,
) -> Result<Bolt11Invoice, RpcError> {
    let hash = sha256::Hash::from_byte_array(hash.0);
    let builder = InvoiceBuilder::new(Currency::Regtest);
    let builder = if order.hash_only {
        builder.description_hash(sha256::Hash::hash(order.description.as_bytes()))
    } else {
        builder.description(order.description.clone())
    };
    let mut builder = builder
        .payment_hash(hash)
        .payment_secret(secret)
        .duration_since_epoch(Duration::from_secs(call.world.now()))
        .min_final_cltv_expiry_delta(order.cltv)
        .expiry_time(Duration::from_secs(order.expiry))
        .basic_mpp();
    if let Some(amount) = order.amount {
        builder = builder.amount_milli_satoshis(amount);
    }
    for hint in hints(call, order.expose) {
        builder = builder.private_route(hint);
    }
    for fallback in &order.fallbacks {
        builder = builder.fallback(fallback_of(fallback)?);
    }
    let key: SecretKey = call.live().keys.get_node_secret_key();
    let secp = &call.world.secp;
    builder
        .build_signed(|message| secp.sign_ecdsa_recoverable(message, &key))
        .map_err(|error| RpcError::usage(format!("the invoice cannot be written: {error}")))
}

fn fallback_of(address: &Address) -> Result<lightning_invoice::Fallback, RpcError> {
    use lightning_invoice::Fallback;
    let unusable = || RpcError::new(-1, "Fallback address not valid");
    if let (Some(version), Some(program)) = (
        address.script_pubkey().witness_version(),
        address.witness_program().map(|program| program.program().as_bytes().to_vec()),
    ) {
        return Ok(Fallback::SegWitProgram { version, program });
    }
    match (address.pubkey_hash(), address.script_hash()) {
        (Some(hash), _) => Ok(Fallback::PubKeyHash(hash)),
        (_, Some(hash)) => Ok(Fallback::ScriptHash(hash)),
        _ => Err(unusable()),
    }
}

/// Ways in through private channels, for a node that has no public one, or where the caller wants them.
fn hints(call: &Call<'_>, expose: Option<bool>) -> Vec<RouteHint> {
    let channels = call.live().manager.list_usable_channels();
    let has_public = channels.iter().any(|channel| channel.is_announced);
    if !expose.unwrap_or(!has_public) {
        return Vec::new();
    }
    channels.iter().filter(|channel| !channel.is_announced).filter_map(hint).collect()
}

fn hint(channel: &ChannelDetails) -> Option<RouteHint> {
    let forwarding = channel.counterparty.forwarding_info.as_ref()?;
    Some(RouteHint(vec![RouteHintHop {
        src_node_id: channel.counterparty.node_id,
        short_channel_id: channel.inbound_scid_alias.or(channel.short_channel_id)?,
        fees: RoutingFees {
            base_msat: forwarding.fee_base_msat,
            proportional_millionths: forwarding.fee_proportional_millionths,
        },
        cltv_expiry_delta: forwarding.cltv_expiry_delta,
        htlc_minimum_msat: channel.inbound_htlc_minimum_msat,
        htlc_maximum_msat: channel.inbound_htlc_maximum_msat,
    }]))
}

fn capacity_warning(call: &Call<'_>, amount: Option<u64>) -> Option<Value> {
    let inbound: u64 =
        call.live().manager.list_usable_channels().iter().map(|channel| channel.inbound_capacity_msat).sum();
    (inbound < amount.unwrap_or(1)).then(|| json!("Insufficient incoming channel capacity to pay invoice"))
}
