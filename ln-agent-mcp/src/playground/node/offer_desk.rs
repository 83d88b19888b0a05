use std::cell::RefCell;
use std::collections::BTreeMap;
use std::mem;
use std::rc::Rc;

use lightning::blinded_path::message::OffersContext;
use lightning::ln::channelmanager::PaymentId;
use lightning::offers::invoice::Bolt12Invoice;
use lightning::offers::invoice_error::InvoiceError;
use lightning::onion_message::messenger::{MessageSendInstructions, Responder, ResponseInstruction};
use lightning::onion_message::offers::{OffersMessage, OffersMessageHandler};
use lightning::types::string::UntrustedString;

use super::parts::Manager;

/// Stands before LDK's offer code: refuses requests for closed offers, and notes what was issued and refused.
pub(crate) struct OfferDesk {
    manager: Rc<Manager>,
    closed: RefCell<BTreeMap<[u8; 32], String>>,
    issued: RefCell<Vec<Bolt12Invoice>>,
    refused: RefCell<BTreeMap<[u8; 32], String>>,
}

impl std::fmt::Debug for OfferDesk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OfferDesk").field("closed", &self.closed).finish_non_exhaustive()
    }
}

impl OfferDesk {
    pub(super) fn new(manager: Rc<Manager>) -> Self {
        Self { manager, closed: RefCell::default(), issued: RefCell::default(), refused: RefCell::default() }
    }

    /// The offers to refuse from now on, each with the words to refuse it with.
    pub(crate) fn set_closed(&self, closed: BTreeMap<[u8; 32], String>) {
        *self.closed.borrow_mut() = closed;
    }

    /// Invoices that were made for requests since the last call.
    pub(crate) fn take_issued(&self) -> Vec<Bolt12Invoice> {
        mem::take(&mut self.issued.borrow_mut())
    }

    /// What the other side answered to this request of ours instead of an invoice.
    pub(crate) fn take_refusal(&self, id: PaymentId) -> Option<String> {
        self.refused.borrow_mut().remove(&id.0)
    }

    fn review(&self, reply: OffersMessage) -> OffersMessage {
        let OffersMessage::Invoice(invoice) = reply else { return reply };
        let closed = self.closed.borrow();
        match invoice.offer_id().and_then(|id| closed.get(&id.0)) {
            Some(reason) => OffersMessage::InvoiceError(InvoiceError {
                erroneous_field: None,
                message: UntrustedString(reason.clone()),
            }),
            None => {
                self.issued.borrow_mut().push(invoice.clone());
                OffersMessage::Invoice(invoice)
            }
        }
    }
}

impl OffersMessageHandler for OfferDesk {
    fn handle_message(
        &self,
        message: OffersMessage,
        context: Option<OffersContext>,
        responder: Option<Responder>,
    ) -> Option<(OffersMessage, ResponseInstruction)> {
        if let (OffersMessage::InvoiceError(error), Some(OffersContext::OutboundPayment { payment_id, .. })) =
            (&message, &context)
        {
            self.refused.borrow_mut().insert(payment_id.0, error.message.to_string());
        }
        let (reply, how) = self.manager.handle_message(message, context, responder)?;
        Some((self.review(reply), how))
    }

    fn release_pending_messages(&self) -> Vec<(OffersMessage, MessageSendInstructions)> {
        OffersMessageHandler::release_pending_messages(self.manager.as_ref())
    }
}
