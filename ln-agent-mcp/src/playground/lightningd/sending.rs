//! What `pay`, `xpay` and `keysend` share: from an invoice to a payment that is sent and followed.

use std::time::Duration;

use bitcoin::hashes::{Hash, HashEngine, sha256};
use bitcoin::secp256k1::PublicKey;
use lightning::ln::channelmanager::{PaymentId, RecipientOnionFields, Retry, RetryableSendFailure};
use lightning::routing::router::{PaymentParameters, RouteParameters, Router};
use lightning::types::payment::{PaymentHash, PaymentPreimage};
use lightning_invoice::{Bolt11Invoice, Bolt11InvoiceDescriptionRef, Currency, SignedRawBolt11Invoice};
use serde_json::Value;

use super::call::{Answer, Call, Outcome, Wait};
use super::error::RpcError;
use crate::playground::node::{Paid, Part, PayRow, PayStatus};
use crate::playground::world::{World, bolt12_invoice, bytes32};

/// How often LDK looks for another route before it gives up.
const ATTEMPTS: u32 = 10;
/// Rounds of LDK's minute timer after which a payment of several parts has either arrived or been given up.
const ROUNDS: usize = 5;
const RETRY_FOR_SECS: u64 = 60;

/// A payment about to be made.
pub(super) struct Bill {
    pub(super) payment_hash: String,
    pub(super) amount_msat: u64,
    pub(super) max_fee_msat: u64,
    pub(super) payee: PublicKey,
    pub(super) parameters: PaymentParameters,
    pub(super) onion: RecipientOnionFields,
    pub(super) bolt11: Option<String>,
    pub(super) bolt12: Option<String>,
    pub(super) description: Option<String>,
    /// Set for a keysend: the payer chooses it.
    pub(super) preimage: Option<[u8; 32]>,
    expires_at: u64,
}

/// An invoice string without `lightning:`, in lower case.
pub(super) fn bare(text: &str) -> String {
    let text = text.trim().to_lowercase();
    text.strip_prefix("lightning:").map_or(text.clone(), str::to_owned)
}

impl Bill {
    /// Reads a BOLT 11 or BOLT 12 invoice, with `amount_msat` of the call where it leaves the amount open.
    pub(super) fn read(call: &Call<'_>, text: &str) -> Result<Self, RpcError> {
        let text = bare(text);
        let given = call.params.msat("amount_msat")?;
        if text.starts_with("lni1") {
            return Self::from_bolt12(&text, given);
        }
        for prefix in ["lno", "lnr"] {
            if text.starts_with(&format!("{prefix}1")) {
                return Err(RpcError::usage(format!("Invalid bolt12 invoice: unexpected prefix {prefix}")));
            }
        }
        let bad = |_| RpcError::usage("Invalid bolt11 invoice: Bad bech32 string");
        let raw: SignedRawBolt11Invoice = text.parse().map_err(bad)?;
        if raw.currency() != Currency::Regtest {
            let prefix = raw.currency().to_string();
            return Err(RpcError::usage(format!(
                "Invalid bolt11 invoice: Prefix {prefix} is not for regtest"
            )));
        }
        let invoice = Bolt11Invoice::from_signed(raw)
            .map_err(|error| RpcError::usage(format!("Invalid bolt11 invoice: {error}")))?;
        let amount_msat = amount(invoice.amount_milli_satoshis(), given)?;
        let description = match invoice.description() {
            Bolt11InvoiceDescriptionRef::Direct(text) => Some(text.to_string()),
            Bolt11InvoiceDescriptionRef::Hash(_) => None,
        };
        let mut onion = RecipientOnionFields::secret_only(*invoice.payment_secret());
        onion.payment_metadata = invoice.payment_metadata().cloned();
        Ok(Self {
            payment_hash: invoice.payment_hash().to_string(),
            amount_msat,
            max_fee_msat: 0,
            payee: invoice.get_payee_pub_key(),
            parameters: PaymentParameters::from_bolt11_invoice(&invoice),
            onion,
            bolt11: Some(text),
            bolt12: None,
            description,
            preimage: None,
            expires_at: (invoice.duration_since_epoch() + invoice.expiry_time()).as_secs(),
        })
    }

    fn from_bolt12(text: &str, given: Option<u64>) -> Result<Self, RpcError> {
        let invoice = bolt12_invoice(text)
            .ok_or_else(|| RpcError::usage("Invalid bolt12 invoice: Bad bech32 string"))?;
        Ok(Self {
            payment_hash: invoice.payment_hash().to_string(),
            amount_msat: amount(Some(invoice.amount_msats()), given)?,
            max_fee_msat: 0,
            payee: invoice.signing_pubkey(),
            parameters: PaymentParameters::from_bolt12_invoice(&invoice),
            onion: RecipientOnionFields::spontaneous_empty(),
            bolt11: None,
            bolt12: Some(text.to_owned()),
            description: invoice.description().map(|text| text.to_string()),
            preimage: None,
            expires_at: (invoice.created_at() + invoice.relative_expiry()).as_secs(),
        })
    }

    /// A payment without an invoice.
    pub(super) fn keysend(payee: PublicKey, amount_msat: u64, max_fee_msat: u64, preimage: [u8; 32]) -> Self {
        Self {
            payment_hash: sha256::Hash::hash(&preimage).to_string(),
            amount_msat,
            max_fee_msat,
            payee,
            parameters: PaymentParameters::for_keysend(payee, 24, false),
            onion: RecipientOnionFields::spontaneous_empty(),
            bolt11: None,
            bolt12: None,
            description: None,
            preimage: Some(preimage),
            expires_at: u64::MAX,
        }
    }

    /// Refuses an invoice that has expired on the network's clock.
    pub(super) fn check_payable(&self, call: &Call<'_>) -> Result<(), RpcError> {
        match call.world.now().checked_sub(self.expires_at) {
            Some(late) if late > 0 => Err(RpcError::new(207, format!("Invoice expired {late} seconds ago"))),
            _ => Ok(()),
        }
    }
}

fn amount(own: Option<u64>, given: Option<u64>) -> Result<u64, RpcError> {
    match (own, given) {
        (Some(own), None) => Ok(own),
        (None, Some(given)) if given > 0 => Ok(given),
        (None, Some(_)) => Err(RpcError::usage("amount_msat: should be more than 0")),
        (Some(_), Some(_)) => Err(RpcError::usage("amount_msat unnecessary")),
        (None, None) => Err(RpcError::usage("amount_msat required")),
    }
}

/// Sends the payment and lets the network work until it has arrived, failed, or is stuck.
pub(super) fn send(call: &mut Call<'_>, bill: Bill) -> Result<(), RpcError> {
    let request = call.node_mut().book.next_request();
    let id = payment_id(&bill.payment_hash, request);
    let itself = bill.payee == call.live().id;
    if !itself {
        start(call, &bill, id)?;
    }
    let now = call.world.now();
    let label = call.params.text("label")?;
    let hash = bill.payment_hash.clone();
    call.node_mut().book.pays.push(PayRow {
        payment_hash: bill.payment_hash,
        payment_id: id.to_string(),
        destination: Some(bill.payee.to_string()),
        amount_msat: bill.amount_msat,
        fee_msat: 0,
        status: PayStatus::Pending,
        created_at: now,
        completed_at: None,
        preimage: None,
        bolt11: bill.bolt11,
        bolt12: bill.bolt12,
        label,
        description: bill.description,
        parts: Vec::new(),
        failure: None,
        updated_index: None,
    });
    if itself {
        pay_itself(call, &hash, bill.amount_msat);
        return Ok(());
    }
    call.world.pump();
    for _ in 0..ROUNDS {
        if find(call.world, call.me, &hash).is_none_or(|row| row.status != PayStatus::Pending) {
            break;
        }
        call.world.chores();
    }
    Ok(())
}

fn payment_id(hash: &str, request: u64) -> PaymentId {
    let mut engine = sha256::Hash::engine();
    engine.input(hash.as_bytes());
    engine.input(&request.to_be_bytes());
    PaymentId(sha256::Hash::from_engine(engine).to_byte_array())
}

fn start(call: &Call<'_>, bill: &Bill, id: PaymentId) -> Result<(), RpcError> {
    let mut parameters = bill.parameters.clone();
    if let Some(blocks) = call.params.number32("maxdelay")? {
        parameters.max_total_cltv_expiry_delta = blocks;
    }
    let route = RouteParameters {
        payment_params: parameters,
        final_value_msat: bill.amount_msat,
        max_total_routing_fee_msat: Some(bill.max_fee_msat),
    };
    let manager = &call.live().manager;
    let hash = PaymentHash(bytes32(&bill.payment_hash).unwrap_or_default());
    let (onion, retry) = (bill.onion.clone(), Retry::Attempts(ATTEMPTS));
    let sent = match bill.preimage {
        Some(preimage) => {
            let preimage = Some(PaymentPreimage(preimage));
            manager.send_spontaneous_payment(preimage, onion, id, route, retry).map(|_| ())
        }
        None => manager.send_payment(hash, onion, id, route, retry),
    };
    sent.map_err(|error| match error {
        RetryableSendFailure::PaymentExpired => RpcError::new(207, "Invoice expired"),
        RetryableSendFailure::RouteNotFound => no_route(call, bill),
        RetryableSendFailure::DuplicatePayment => RpcError::new(200, "Payment still in progress"),
        RetryableSendFailure::OnionPacketSizeExceeded => {
            RpcError::new(205, "Failed: the route does not fit into an onion")
        }
    })
}

/// Says why there is no route, in xpay's words.
fn no_route(call: &Call<'_>, bill: &Bill) -> RpcError {
    let live = call.live();
    let channels = live.manager.list_channels();
    let usable = live.manager.list_usable_channels();
    if channels.is_empty() {
        return RpcError::new(205, format!("Failed: Unknown source node {}", live.id));
    }
    let paths = "Failed: We could not find a usable set of paths.";
    if usable.is_empty() {
        return RpcError::new(
            205,
            format!("{paths} All {} channels to the source are disabled.", channels.len()),
        );
    }
    let total: u64 = usable.iter().map(|channel| channel.outbound_capacity_msat).sum();
    if bill.amount_msat > total {
        let count = usable.len();
        return RpcError::new(
            205,
            format!("{paths} Total source capacity is only {total}msat (in {count} channels)."),
        );
    }
    let free = RouteParameters {
        payment_params: bill.parameters.clone(),
        final_value_msat: bill.amount_msat,
        max_total_routing_fee_msat: None,
    };
    let first: Vec<_> = usable.iter().collect();
    match live.router.find_route(&live.id, &free, Some(&first), live.manager.compute_inflight_htlcs()) {
        Ok(_) => RpcError::new(206, "Failed: Could not find route without excessive cost"),
        Err(_) => RpcError::new(205, paths),
    }
}

/// Settles an invoice of the payer's own, as Core Lightning does, without any channel.
fn pay_itself(call: &mut Call<'_>, hash: &str, amount_msat: u64) {
    let now = call.world.now();
    let secrets = call.node().book.invoices.find(|row| row.payment_hash == hash).map(|(at, row)| {
        let chosen = row.preimage.as_deref().and_then(bytes32);
        let open = row.paid.is_none() && now <= row.expires_at;
        let secret = row.bolt11.as_ref().and_then(|text| text.parse::<Bolt11Invoice>().ok());
        let derived = secret.and_then(|invoice| {
            let hash = PaymentHash(invoice.payment_hash().to_byte_array());
            call.live().manager.get_payment_preimage(hash, *invoice.payment_secret()).ok()
        });
        (at, open, chosen.or(derived.map(|preimage| preimage.0)))
    });
    let book = &mut call.node_mut().book;
    let preimage = match secrets {
        Some((at, true, Some(preimage))) => {
            let text = crate::playground::world::hex(&preimage);
            let (pay_index, updated) = (book.next_paid(), book.next_invoice_update());
            if let Some(row) = book.invoices.edit(at) {
                row.paid =
                    Some(Paid { pay_index, received_msat: amount_msat, at: now, preimage: text.clone() });
                row.updated_index = Some(updated);
            }
            Some(text)
        }
        _ => None,
    };
    let updated = book.next_pay_update();
    let at = book.pays.iter().rev().find(|(_, row)| row.payment_hash == hash).map(|(at, _)| at);
    let Some(row) = at.and_then(|at| book.pays.edit(at)) else { return };
    row.updated_index = Some(updated);
    row.completed_at = Some(now);
    row.parts.push(Part { amount_msat, fee_msat: 0, status: PayStatus::Complete });
    row.status = if preimage.is_some() { PayStatus::Complete } else { PayStatus::Failed };
    row.preimage = preimage;
}

/// The newest payment of this hash.
pub(super) fn find<'a>(world: &'a World, me: u16, hash: &str) -> Option<&'a PayRow> {
    let pays = &world.nodes.get(&me)?.book.pays;
    pays.iter().rev().find(|(_, row)| row.payment_hash == hash).map(|(_, row)| row)
}

/// Parts that arrived; a payment that succeeded had at least one.
pub(super) fn succeeded(row: &PayRow) -> usize {
    row.parts.iter().filter(|part| part.status == PayStatus::Complete).count().max(1)
}

/// The payment's end as an answer; a payment that is still under way is waited for.
pub(super) fn answer(call: &Call<'_>, hash: String, show: fn(&PayRow) -> Value) -> Outcome {
    let retry_for = call.params.number("retry_for")?.unwrap_or(RETRY_FOR_SECS);
    let me = call.me;
    let ended = move |world: &World| {
        let row = find(world, me, &hash)?;
        match row.status {
            PayStatus::Pending => None,
            PayStatus::Complete => Some(Ok(show(row))),
            PayStatus::Failed => {
                let failure = row.failure.clone();
                Some(Err(failure.map_or_else(
                    || RpcError::new(203, UNKNOWN_INVOICE),
                    |failure| RpcError::new(failure.code, failure.message),
                )))
            }
        }
    };
    match ended(call.world) {
        Some(end) => end.map(Answer::Done),
        None => Ok(Answer::Later(Wait {
            ready: Box::new(ended),
            timeout: Some(Duration::from_secs(retry_for)),
            late: RpcError::new(200, "Timed out, but the payment is still pending: see listpays"),
        })),
    }
}

const UNKNOWN_INVOICE: &str =
    "Destination said it doesn't know invoice: incorrect_or_unknown_payment_details";
