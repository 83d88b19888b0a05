use bitcoin::constants::ChainHash;
use lightning::offers::offer::{Amount, Offer, Quantity};
use lightning_invoice::{Bolt11Invoice, Bolt11InvoiceDescriptionRef};
use serde_json::{Map, Value, json};

use super::call::{Answer, Call, Outcome, object};
use super::error::RpcError;
use super::getinfo::features;
use super::methods::Method;
use super::sending::bare;
use crate::playground::world::{bolt12_invoice, hex};

pub(super) const METHODS: &[Method] = &[Method { name: "decode", params: &["string"], writes: false, run }];

fn run(call: &mut Call<'_>) -> Outcome {
    let given = call.params.required_text("string")?;
    let text = bare(&given);
    let invalid = |why: &str| RpcError::invalid("string", why, &json!(given));
    let view = match text.get(..4).unwrap_or_default() {
        "lno1" => {
            text.parse::<Offer>().map(|decoded| offer(&decoded)).map_err(|_| invalid("Bad bech32 string"))?
        }
        "lni1" => bolt12_invoice(&text)
            .map(|decoded| bolt12(&decoded))
            .ok_or_else(|| invalid("Bad bech32 string"))?,
        prefix if prefix.starts_with("ln") => text
            .parse::<Bolt11Invoice>()
            .map(|decoded| bolt11(&decoded))
            .map_err(|error| invalid(why(&error)))?,
        _ => return Err(invalid("Unparsable string")),
    };
    Ok(Answer::Done(Value::Object(view)))
}

fn why(error: &lightning_invoice::ParseOrSemanticError) -> &'static str {
    use lightning_invoice::{Bolt11SemanticError, ParseOrSemanticError};
    match error {
        ParseOrSemanticError::SemanticError(Bolt11SemanticError::NoPaymentSecret) => {
            "Missing required payment secret (s field)"
        }
        ParseOrSemanticError::SemanticError(_) => "Invalid bolt11 invoice",
        ParseOrSemanticError::ParseError(_) => "Bad bech32 string",
    }
}

fn bolt11(invoice: &Bolt11Invoice) -> Map<String, Value> {
    let (text, hash) = match invoice.description() {
        Bolt11InvoiceDescriptionRef::Direct(text) => (Some(text.to_string()), None),
        Bolt11InvoiceDescriptionRef::Hash(hash) => (None, Some(hash.0.to_string())),
    };
    let routes: Vec<Value> = invoice
        .route_hints()
        .iter()
        .map(|hint| {
            hint.0
                .iter()
                .map(|hop| {
                    json!({
                        "pubkey": hop.src_node_id.to_string(),
                        "short_channel_id": crate::playground::world::scid_text(hop.short_channel_id),
                        "fee_base_msat": hop.fees.base_msat,
                        "fee_proportional_millionths": hop.fees.proportional_millionths,
                        "cltv_expiry_delta": hop.cltv_expiry_delta,
                    })
                })
                .collect()
        })
        .collect();
    let fallbacks: Vec<Value> =
        invoice.fallback_addresses().iter().map(|address| json!({"addr": address.to_string()})).collect();
    let signature = invoice.clone().into_signed_raw().signature().0.to_standard().serialize_der();
    object([
        ("type", Some(json!("bolt11 invoice"))),
        ("currency", Some(json!(invoice.currency().to_string()))),
        ("created_at", Some(json!(invoice.duration_since_epoch().as_secs()))),
        ("expiry", Some(json!(invoice.expiry_time().as_secs()))),
        ("payee", Some(json!(invoice.get_payee_pub_key().to_string()))),
        ("amount_msat", invoice.amount_milli_satoshis().map(|amount| json!(amount))),
        ("description", text.map(Value::from)),
        ("description_hash", hash.map(Value::from)),
        ("min_final_cltv_expiry", Some(json!(invoice.min_final_cltv_expiry_delta()))),
        ("payment_secret", Some(json!(hex(&invoice.payment_secret().0)))),
        ("features", invoice.features().map(|bits| json!(features(bits.le_flags())))),
        ("fallbacks", (!fallbacks.is_empty()).then(|| Value::Array(fallbacks))),
        ("routes", (!routes.is_empty()).then(|| Value::Array(routes))),
        ("payment_hash", Some(json!(invoice.payment_hash().to_string()))),
        ("signature", Some(json!(hex(&signature)))),
        ("valid", Some(json!(true))),
    ])
}

fn offer(offer: &Offer) -> Map<String, Value> {
    let most = match offer.supported_quantity() {
        Quantity::Bounded(most) => Some(json!(most.get())),
        Quantity::Unbounded => Some(json!(0)),
        Quantity::One => None,
    };
    object([
        ("type", Some(json!("bolt12 offer"))),
        ("offer_id", Some(json!(hex(&offer.id().0)))),
        ("offer_chains", Some(chains(&offer.chains()))),
        ("offer_amount_msat", offer_amount(offer.amount())),
        ("offer_description", offer.description().map(|text| json!(text.to_string()))),
        ("offer_issuer", offer.issuer().map(|text| json!(text.to_string()))),
        ("offer_absolute_expiry", offer.absolute_expiry().map(|end| json!(end.as_secs()))),
        ("offer_paths", Some(paths(offer.paths()))),
        ("offer_quantity_max", most),
        ("offer_issuer_id", offer.issuer_signing_pubkey().map(|id| json!(id.to_string()))),
        ("valid", Some(json!(true))),
    ])
}

fn chains(chains: &[ChainHash]) -> Value {
    chains.iter().map(|chain| json!(hex(chain.as_bytes()))).collect()
}

fn offer_amount(amount: Option<Amount>) -> Option<Value> {
    match amount? {
        Amount::Bitcoin { amount_msats } => Some(json!(amount_msats)),
        Amount::Currency { amount, .. } => Some(json!(amount)),
    }
}

fn paths(paths: &[lightning::blinded_path::message::BlindedMessagePath]) -> Value {
    use lightning::blinded_path::IntroductionNode;
    paths
        .iter()
        .map(|path| {
            let hops: Vec<Value> = path
                .blinded_hops()
                .iter()
                .map(|hop| {
                    json!({
                        "blinded_node_id": hop.blinded_node_id.to_string(),
                        "encrypted_recipient_data": hex(&hop.encrypted_payload),
                    })
                })
                .collect();
            let first = match path.introduction_node() {
                IntroductionNode::NodeId(id) => Some(json!(id.to_string())),
                IntroductionNode::DirectedShortChannelId(..) => None,
            };
            Value::Object(object([
                ("first_node_id", first),
                ("first_path_key", Some(json!(path.blinding_point().to_string()))),
                ("path", Some(Value::Array(hops))),
            ]))
        })
        .collect()
}

fn bolt12(invoice: &lightning::offers::invoice::Bolt12Invoice) -> Map<String, Value> {
    object([
        ("type", Some(json!("bolt12 invoice"))),
        ("offer_id", invoice.offer_id().map(|id| json!(hex(&id.0)))),
        ("offer_chains", invoice.offer_chains().map(|list| chains(&list))),
        ("offer_amount_msat", offer_amount(invoice.amount())),
        ("offer_description", invoice.description().map(|text| json!(text.to_string()))),
        ("offer_issuer", invoice.issuer().map(|text| json!(text.to_string()))),
        ("offer_paths", Some(paths(invoice.message_paths()))),
        ("offer_issuer_id", invoice.issuer_signing_pubkey().map(|id| json!(id.to_string()))),
        ("invreq_metadata", Some(json!(hex(invoice.payer_metadata())))),
        ("invreq_payer_id", Some(json!(invoice.payer_signing_pubkey().to_string()))),
        ("invreq_chain", Some(json!(hex(invoice.chain().as_bytes())))),
        ("invreq_quantity", invoice.quantity().map(|count| json!(count))),
        ("invreq_payer_note", invoice.payer_note().map(|text| json!(text.to_string()))),
        ("invoice_created_at", Some(json!(invoice.created_at().as_secs()))),
        ("invoice_relative_expiry", Some(json!(invoice.relative_expiry().as_secs()))),
        ("invoice_payment_hash", Some(json!(invoice.payment_hash().to_string()))),
        ("invoice_amount_msat", Some(json!(invoice.amount_msats()))),
        ("invoice_features", Some(json!(features(invoice.invoice_features().le_flags())))),
        ("invoice_node_id", Some(json!(invoice.signing_pubkey().to_string()))),
        ("signature", Some(json!(hex(&invoice.signature().serialize())))),
        ("valid", Some(json!(true))),
    ])
}
