use std::collections::BTreeMap;

use lightning::events::{Event, PaymentFailureReason, PaymentPurpose};
use lightning::ln::channelmanager::PaymentId;
use lightning::ln::types::ChannelId;
use lightning::routing::router::Path;
use lightning::types::payment::{PaymentHash, PaymentPreimage};

use super::World;
use crate::playground::node::{Book, Failure, InvoiceRow, Paid, Part, PathEnd, PayRow, PayStatus};

/// What a payer is told when its money was not taken.
const UNKNOWN_DETAILS: &str =
    "Destination said it doesn't know invoice: incorrect_or_unknown_payment_details";

impl World {
    pub(super) fn on_payment_event(&mut self, number: u16, event: Event) {
        match event {
            Event::PaymentClaimable { payment_hash, purpose, .. } => {
                self.claim(number, payment_hash, &purpose);
            }
            Event::PaymentClaimed { payment_hash, amount_msat, purpose, htlcs, .. } => {
                // LDK repeats its news of the last claims when a node starts.
                if self.received(number, payment_hash, amount_msat, &purpose) {
                    for htlc in &htlcs {
                        self.count(number, Some(htlc.channel_id), htlc.value_msat, true);
                    }
                }
            }
            Event::PaymentSent { payment_id: Some(id), payment_preimage, fee_paid_msat, .. } => {
                self.sent(number, id, payment_preimage, fee_paid_msat.unwrap_or_default());
            }
            Event::PaymentFailed { payment_id, reason, .. } => self.failed(number, payment_id, reason),
            // Everything else is for the log: LDK has done what is to be done.
            other => tracing::trace!(number, ?other, "event"),
        }
    }

    fn claim(&mut self, number: u16, hash: PaymentHash, purpose: &PaymentPurpose) {
        let now = self.now();
        let hash_text = hash.to_string();
        let (Some(node), Some(live)) = (self.nodes.get(&number), self.live(number)) else { return };
        let row = node.book.invoices.find(|row| row.payment_hash == hash_text).map(|(_, row)| row);
        let open = row.is_some_and(|row| row.paid.is_none() && now <= row.expires_at);
        let chosen = row.and_then(|row| row.preimage.as_deref()).and_then(preimage_from);
        match chosen.or_else(|| purpose.preimage()) {
            Some(preimage) if open || matches!(purpose, PaymentPurpose::SpontaneousPayment(_)) => {
                live.manager.claim_funds(preimage)
            }
            _ => live.manager.fail_htlc_backwards(&hash),
        }
    }

    /// Marks an invoice as paid. False if it was already.
    fn received(
        &mut self,
        number: u16,
        hash: PaymentHash,
        amount_msat: u64,
        purpose: &PaymentPurpose,
    ) -> bool {
        let now = self.now();
        let hash = hash.to_string();
        let Some(node) = self.nodes.get_mut(&number) else { return false };
        let known = node.book.invoices.find(|row| row.payment_hash == hash);
        let at = match known {
            Some((_, row)) if row.paid.is_some() => return false,
            Some((at, _)) => at,
            None => node.book.invoices.push(InvoiceRow {
                label: format!("keysend-{now}.{hash:.9}"),
                description: Some("keysend".to_owned()),
                payment_hash: hash,
                expires_at: now + 604_800,
                ..InvoiceRow::default()
            }),
        };
        let (pay_index, updated) = (node.book.next_paid(), node.book.next_invoice_update());
        let Some(row) = node.book.invoices.edit(at) else { return false };
        let preimage =
            row.preimage.clone().or_else(|| purpose.preimage().map(|preimage| preimage.to_string()));
        let preimage = preimage.unwrap_or_default();
        row.paid = Some(Paid { pay_index, received_msat: amount_msat, at: now, preimage });
        row.updated_index = Some(updated);
        if let Some(offer_id) = row.offer_id.clone() {
            use_offer(&mut node.book, &offer_id);
            self.close_offers(number);
        }
        true
    }

    fn sent(&mut self, number: u16, id: PaymentId, preimage: PaymentPreimage, fee_msat: u64) {
        let now = self.now();
        self.edit_pay(number, id, |row| {
            row.status = PayStatus::Complete;
            row.preimage = Some(preimage.to_string());
            row.fee_msat = fee_msat;
            row.completed_at = Some(now);
        });
    }

    fn failed(&mut self, number: u16, id: PaymentId, reason: Option<PaymentFailureReason>) {
        let now = self.now();
        let failure = match reason {
            Some(PaymentFailureReason::RecipientRejected) => (203, UNKNOWN_DETAILS.to_owned()),
            Some(PaymentFailureReason::PaymentExpired) => (207, "Invoice expired".to_owned()),
            Some(PaymentFailureReason::UnknownRequiredFeatures) => {
                (203, "The invoice requires features that this node does not know".to_owned())
            }
            Some(PaymentFailureReason::RouteNotFound) | None => {
                (205, "Failed: We could not find a usable set of paths.".to_owned())
            }
            Some(PaymentFailureReason::RetriesExhausted) => {
                (210, "Failed: every path that was tried refused the payment".to_owned())
            }
            Some(other) => (209, format!("Failed: {other:?}")),
        };
        self.edit_pay(number, id, |row| {
            row.status = PayStatus::Failed;
            row.completed_at = Some(now);
            row.failure = Some(Failure { code: failure.0, message: failure.1 });
        });
    }

    /// Notes the end of one path.
    pub(super) fn path_done(&mut self, number: u16, id: PaymentId, path: &Path, end: PathEnd) {
        let time = self.time();
        let part = Part {
            amount_msat: path.final_value_msat(),
            fee_msat: path.fee_msat(),
            status: if end == PathEnd::Arrived { PayStatus::Complete } else { PayStatus::Failed },
        };
        let sent_msat = part.amount_msat + part.fee_msat;
        if !self.edit_pay(number, id, |row| row.parts.push(part)) {
            return;
        }
        if end == PathEnd::Arrived {
            let first = path.hops.first().and_then(|hop| self.channel_by_scid(number, hop.short_channel_id));
            self.count(number, first, sent_msat, false);
        }
        if let Some(live) = self.nodes.get_mut(&number).and_then(|node| node.live.as_mut()) {
            live.score(path, end, time);
        }
    }

    /// Changes a payment's row. False if there is none, or nothing more to learn about it.
    fn edit_pay(&mut self, number: u16, id: PaymentId, change: impl FnOnce(&mut PayRow)) -> bool {
        let id = id.to_string();
        let Some(node) = self.nodes.get_mut(&number) else { return false };
        // Requests for invoices have payment ids too, but no row.
        let open = |row: &PayRow| row.payment_id == id && !is_settled(row);
        let Some(at) = node.book.pays.find(open).map(|(at, _)| at) else { return false };
        let updated = node.book.next_pay_update();
        let Some(row) = node.book.pays.edit(at) else { return false };
        change(row);
        row.updated_index = Some(updated);
        true
    }

    fn channel_by_scid(&self, number: u16, scid: u64) -> Option<ChannelId> {
        let channels = self.live(number)?.manager.list_channels();
        let found = channels.into_iter().find(|channel| {
            channel.short_channel_id == Some(scid) || channel.outbound_scid_alias == Some(scid)
        });
        found.map(|channel| channel.channel_id)
    }

    /// Writes down invoices that the node issued for requests.
    pub(super) fn book_issued(&mut self, number: u16) {
        let Some(issued) = self.live(number).map(|live| live.desk.take_issued()) else { return };
        let Some(node) = self.nodes.get_mut(&number) else { return };
        for invoice in issued {
            let offer_id = invoice.offer_id().map(|id| hex(&id.0));
            let payer = invoice.payer_signing_pubkey();
            node.book.invoices.push(InvoiceRow {
                label: format!("{}-{payer}-0", offer_id.clone().unwrap_or_default()),
                description: invoice.description().map(|text| text.to_string()),
                bolt12: Some(super::bolt12_text(&invoice)),
                offer_id,
                payment_hash: invoice.payment_hash().to_string(),
                amount_msat: Some(invoice.amount_msats()),
                expires_at: (invoice.created_at() + invoice.relative_expiry()).as_secs(),
                ..InvoiceRow::default()
            });
        }
    }

    /// Tells the running node which offers it must not answer any more.
    pub(crate) fn close_offers(&mut self, number: u16) {
        let now = self.now();
        let Some(node) = self.nodes.get(&number) else { return };
        let Some(live) = &node.live else { return };
        let mut closed = BTreeMap::new();
        for (_, row) in node.book.offers.iter() {
            let expired = row.absolute_expiry.is_some_and(|end| end < now);
            let Some(id) = bytes32(&row.offer_id) else { continue };
            if expired {
                closed.insert(id, "Offer expired".to_owned());
            } else if !row.active {
                closed.insert(id, "Offer no longer available".to_owned());
            }
        }
        live.desk.set_closed(closed);
    }
}

/// Marks an offer as used; a single-use offer ends with that.
fn use_offer(book: &mut Book, offer_id: &str) {
    let Some(at) = book.offers.find(|row| row.offer_id == offer_id).map(|(at, _)| at) else { return };
    if let Some(row) = book.offers.edit(at) {
        row.used = true;
        row.active &= !row.single_use;
    }
}

/// Whether nothing more can be learned about a payment: it succeeded, and all its parts are known.
fn is_settled(row: &PayRow) -> bool {
    let arrived: u64 =
        row.parts.iter().filter(|part| part.status == PayStatus::Complete).map(|part| part.amount_msat).sum();
    row.status == PayStatus::Complete && arrived >= row.amount_msat
}

fn preimage_from(text: &str) -> Option<PaymentPreimage> {
    bytes32(text).map(PaymentPreimage)
}

/// 32 bytes of hex.
pub(crate) fn bytes32(text: &str) -> Option<[u8; 32]> {
    bitcoin::hex::FromHex::from_hex(text).ok()
}

/// Bytes as lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use bitcoin::hex::DisplayHex;
    bytes.to_lower_hex_string()
}
