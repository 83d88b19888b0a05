//! What an invoice says, and whether it may be paid.

use ln_agent_core::Msat;
use ln_agent_core::tool::{ToolError, ToolErrorKind};
use ln_agent_core::types::Object;
use serde_json::{Value, json};

use crate::node::Network;
use crate::tools::args::InvoiceString;
use crate::tools::ask::Ask;
use crate::tools::msat;

/// The parts of an invoice that a payment depends on.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Decoded {
    pub(super) payment_hash: String,
    /// `None`: the payer would have to choose.
    pub(super) amount: Option<Msat>,
    pub(super) payee: Option<String>,
    /// BOLT 11's network part; BOLT 12 invoices name their chain otherwise and the node checks it.
    currency: Option<String>,
    expires_at_secs: Option<u64>,
}

impl Decoded {
    /// Lets the node decode it.
    pub(super) async fn of(ask: Ask<'_>, invoice: &InvoiceString) -> Result<Self, ToolError> {
        let fields = ask.read("decode", json!({ "string": invoice.as_str() })).await?;
        if fields.get("valid").and_then(Value::as_bool) == Some(false) {
            return Err(refused("the invoice is not valid: ask the payee for a new one"));
        }
        Self::from_fields(&fields)
            .ok_or_else(|| refused("the invoice names no payment hash: it cannot be paid"))
    }

    fn from_fields(fields: &Object) -> Option<Self> {
        let either = |bolt11: &str, bolt12: &str| fields.get(bolt11).or_else(|| fields.get(bolt12));
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let created = either("created_at", "invoice_created_at").and_then(Value::as_u64);
        let default_secs =
            if fields.contains_key("created_at") { BOLT11_EXPIRY_SECS } else { BOLT12_EXPIRY_SECS };
        let expiry =
            either("expiry", "invoice_relative_expiry").and_then(Value::as_u64).unwrap_or(default_secs);
        Some(Self {
            payment_hash: text(either("payment_hash", "invoice_payment_hash"))?,
            amount: either("amount_msat", "invoice_amount_msat").and_then(msat::read),
            payee: text(either("payee", "invoice_node_id")),
            currency: text(fields.get("currency")),
            expires_at_secs: created.map(|created| created.saturating_add(expiry)),
        })
    }

    /// The amount to pay.
    ///
    /// # Errors
    ///
    /// If it has none, is for another network, or has expired at `now_secs`.
    pub(super) fn payable(&self, network: Network, now_secs: u64) -> Result<Msat, ToolError> {
        if let Some(currency) = self.currency.as_deref().filter(|got| *got != currency_of(network)) {
            return Err(refused(&format!(
                "the invoice is for another network (ln{currency}…): the node is on {network}, whose invoices \
                 begin with ln{}",
                currency_of(network)
            )));
        }
        // On regtest time is the chain's own (the playground's runs by blocks), so there the node decides.
        let expired = self.expires_at_secs.and_then(|at| now_secs.checked_sub(at)).filter(|secs| *secs > 0);
        if let (Some(secs), true) = (expired, network != Network::Regtest) {
            let message =
                format!("the invoice expired {secs} s ago: ask the payee for a new one; nothing was paid");
            return Err(ToolError { code: Some(EXPIRED), ..ToolError::new(ToolErrorKind::Failed, message) });
        }
        self.amount.filter(|amount| amount.0 > 0).ok_or_else(|| {
            refused("the invoice names no amount: ask the payee for one with an amount; nothing was paid")
        })
    }
}

fn refused(message: &str) -> ToolError {
    ToolError::new(ToolErrorKind::InvalidArguments, format!("argument `bolt11`: {message}"))
}

const fn currency_of(network: Network) -> &'static str {
    match network {
        Network::Regtest => "bcrt",
        Network::Signet => "tbs",
        Network::Testnet | Network::Testnet4 => "tb",
        Network::Bitcoin => "bc",
    }
}

const BOLT11_EXPIRY_SECS: u64 = 3_600;
const BOLT12_EXPIRY_SECS: u64 = 7_200;
/// lightningd's own code for an expired invoice.
const EXPIRED: i64 = 207;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::recorded;

    fn decoded(name: &str) -> Decoded {
        Decoded::from_fields(recorded(name).answer().as_object().unwrap()).unwrap()
    }

    #[test]
    fn bolt_11_and_bolt_12_invoices_are_read_alike() {
        assert_eq!(
            decoded("160-decode-bolt11"),
            Decoded {
                payment_hash: "b1a511090b76281a5c4a50845a70b8e24d075074801d7a6c387084a50f926596".into(),
                amount: Some(Msat(12_345_678)),
                payee: Some("02a97471659b7cc2a9b42f284737019babe13b8a2997ea10e34adffba007d39787".into()),
                currency: Some("bcrt".into()),
                expires_at_secs: Some(1_796_089_927 + 604_800),
            }
        );
        assert_eq!(
            decoded("253-decode-bolt12-invoice"),
            Decoded {
                payment_hash: "8bede5ace54bf270a13a3003e8ffa29c09ae4133a113955e472d1aff79f189f1".into(),
                amount: Some(Msat(15_000)),
                payee: Some("03e94461a8b11d9d0f875d5efdecb5784971f87dc38545c84f57c87e0ef6eaf861".into()),
                currency: None,
                expires_at_secs: Some(1_796_089_933 + 7_200),
            }
        );
    }

    #[test]
    fn an_invoice_without_an_amount_or_of_another_network_is_not_payable() {
        let now = 1_796_089_930;

        let none = decoded("161-decode-bolt11-any").payable(Network::Regtest, now).unwrap_err();
        let foreign = decoded("160-decode-bolt11").payable(Network::Bitcoin, now).unwrap_err();

        assert!(none.message.contains("names no amount"), "{none}");
        assert!(foreign.message.contains("on bitcoin, whose invoices begin with lnbc"), "{foreign}");
        assert_eq!(decoded("160-decode-bolt11").payable(Network::Regtest, now), Ok(Msat(12_345_678)));
    }

    #[test]
    fn an_expired_invoice_fails_with_the_nodes_own_code() {
        let invoice = Decoded { currency: Some("bc".into()), ..decoded("160-decode-bolt11") };
        let expiry = 1_796_089_927 + 604_800;

        assert_eq!(invoice.payable(Network::Bitcoin, expiry), Ok(Msat(12_345_678)));
        let error = invoice.payable(Network::Bitcoin, expiry + 9).unwrap_err();
        assert_eq!((error.kind, error.code), (ToolErrorKind::Failed, Some(207)));
        assert!(error.message.starts_with("the invoice expired 9 s ago"), "{error}");
    }
}
