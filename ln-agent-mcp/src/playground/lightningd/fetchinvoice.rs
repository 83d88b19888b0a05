use bitcoin::hashes::{Hash, HashEngine, sha256};
use lightning::ln::channelmanager::{OptionalOfferPaymentParams, PaymentId, Retry};
use lightning::offers::invoice::Bolt12Invoice;
use lightning::offers::offer::{Offer, Quantity};
use lightning::routing::router::RouteParametersConfig;
use serde_json::json;

use super::call::{Answer, Call, Outcome};
use super::error::RpcError;
use super::methods::Method;
use super::sending::bare;
use crate::playground::world::bolt12_text;

pub(super) const METHODS: &[Method] = &[Method {
    name: "fetchinvoice",
    params: &[
        "offer",
        "amount_msat?",
        "quantity?",
        "recurrence_counter?",
        "recurrence_start?",
        "recurrence_label?",
        "timeout?",
        "payer_note?",
    ],
    writes: true,
    run,
}];

fn run(call: &mut Call<'_>) -> Outcome {
    let offer = call.params.required_text("offer")?;
    let amount = call.params.msat("amount_msat")?;
    let quantity = call.params.number("quantity")?;
    let note = call.params.text("payer_note")?;
    let invoice = request(call, &offer, amount, quantity, note)?;
    Ok(Answer::Done(json!({"invoice": bolt12_text(&invoice), "changes": {}})))
}

/// Asks the offer's issuer for an invoice.
pub(super) fn request(
    call: &mut Call<'_>,
    text: &str,
    amount: Option<u64>,
    quantity: Option<u64>,
    payer_note: Option<String>,
) -> Result<Bolt12Invoice, RpcError> {
    let unparsable = || RpcError::invalid("offer", "Unparsable offer: invalid bech32 string", &json!(text));
    let offer: Offer = bare(text).parse().map_err(|_| unparsable())?;
    check(&offer, amount, quantity)?;
    let number = call.node_mut().book.next_request();
    let id = request_id(&offer, number);
    let params = OptionalOfferPaymentParams {
        payer_note,
        route_params_config: RouteParametersConfig::default(),
        retry_strategy: Retry::Attempts(1),
    };
    let manager = &call.live().manager;
    let asked = match quantity {
        Some(quantity) => manager.pay_for_offer_with_quantity(&offer, amount, id, params, quantity),
        None => manager.pay_for_offer(&offer, amount, id, params),
    };
    asked.map_err(|error| refusal(&error))?;
    call.world.pump();
    let answer = call.world.fetched.remove(&id.0);
    if let Some(invoice) = answer {
        return Ok(invoice);
    }
    let live = call.live();
    let refused = live.desk.take_refusal(id);
    live.manager.abandon_payment(id);
    call.world.pump();
    Err(match refused {
        Some(words) => {
            RpcError::new(1004, "Remote node sent failure message").with_data(json!({ "error": words }))
        }
        None => RpcError::new(1005, "Timeout waiting for response"),
    })
}

fn check(offer: &Offer, amount: Option<u64>, quantity: Option<u64>) -> Result<(), RpcError> {
    if offer.amount().is_none() && amount.is_none() {
        return Err(RpcError::usage("amount_msat parameter required"));
    }
    match (offer.supported_quantity(), quantity) {
        (Quantity::One, Some(_)) => Err(RpcError::usage("quantity parameter unnecessary")),
        (Quantity::Bounded(_) | Quantity::Unbounded, None) => {
            Err(RpcError::usage("quantity parameter required"))
        }
        (Quantity::Bounded(most), Some(count)) if count > most.get() => {
            Err(RpcError::usage(format!("quantity must be <= {most}")))
        }
        (_, Some(0)) => Err(RpcError::usage("quantity must be >= 1")),
        _ => Ok(()),
    }
}

/// What LDK refuses before it asks; Core Lightning asks, and shows the issuer's refusal.
fn refusal(error: &lightning::offers::parse::Bolt12SemanticError) -> RpcError {
    use lightning::offers::parse::Bolt12SemanticError as Error;
    let words = match error {
        Error::InsufficientAmount => "Amount is below what the offer asks for".to_owned(),
        Error::AlreadyExpired => return RpcError::new(1002, "Offer expired"),
        Error::UnsupportedChain => return RpcError::usage("Offer is for another network"),
        other => format!("{other:?}"),
    };
    RpcError::new(1004, "Remote node sent failure message").with_data(json!({ "error": words }))
}

fn request_id(offer: &Offer, number: u64) -> PaymentId {
    let mut engine = sha256::Hash::engine();
    engine.input(&offer.id().0);
    engine.input(&number.to_be_bytes());
    PaymentId(sha256::Hash::from_engine(engine).to_byte_array())
}
