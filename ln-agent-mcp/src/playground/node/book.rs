use serde::{Deserialize, Serialize};

use super::rows::{ChannelRow, Datum, ForwardRow, InvoiceRow, OfferRow, PayRow};
use super::table::Table;
use crate::playground::store::{Store, StoreError};

const INVOICES: &str = "ln_invoice";
const PAYS: &str = "ln_pay";
const OFFERS: &str = "ln_offer";
const FORWARDS: &str = "ln_forward";
const CHANNELS: &str = "ln_channel";
const DATA: &str = "ln_data";
const COUNTS: &str = "ln_counts";

/// Everything Core Lightning answers from its database and LDK does not keep.
#[derive(Debug, Default)]
pub(crate) struct Book {
    /// Invoices, numbered by `created_index`.
    pub(crate) invoices: Table<InvoiceRow>,
    /// Payments sent, numbered by `created_index`.
    pub(crate) pays: Table<PayRow>,
    /// Offers made.
    pub(crate) offers: Table<OfferRow>,
    /// Payments forwarded.
    pub(crate) forwards: Table<ForwardRow>,
    /// Channels, living and ended.
    pub(crate) channels: Table<ChannelRow>,
    /// What callers keep in the `datastore`.
    pub(crate) data: Table<Datum>,
    counts: Counts,
    staged: Counts,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
struct Counts {
    paid: u64,
    invoice_updates: u64,
    pay_updates: u64,
    requests: u64,
}

impl Book {
    /// Reads the tables of the node with this key back.
    pub(crate) fn load(store: &Store, key: &[u8]) -> Result<Self, StoreError> {
        let counts = match store.get(COUNTS, key)? {
            Some(bytes) => serde_json::from_slice(&bytes)
                .map_err(|_| StoreError::Damaged("a node's counters".to_owned()))?,
            None => Counts::default(),
        };
        Ok(Self {
            invoices: Table::load(store, INVOICES, key)?,
            pays: Table::load(store, PAYS, key)?,
            offers: Table::load(store, OFFERS, key)?,
            forwards: Table::load(store, FORWARDS, key)?,
            channels: Table::load(store, CHANNELS, key)?,
            data: Table::load(store, DATA, key)?,
            staged: counts.clone(),
            counts,
        })
    }

    /// Stages what changed since the last call.
    pub(crate) fn stage(&mut self, store: &Store, key: &[u8]) {
        self.invoices.stage(store, INVOICES, key);
        self.pays.stage(store, PAYS, key);
        self.offers.stage(store, OFFERS, key);
        self.forwards.stage(store, FORWARDS, key);
        self.channels.stage(store, CHANNELS, key);
        self.data.stage(store, DATA, key);
        if self.counts != self.staged {
            let bytes = serde_json::to_vec(&self.counts).expect("counters are plain data");
            store.put(COUNTS, key, bytes);
            self.staged = self.counts.clone();
        }
    }

    /// Stages the removal of all of it.
    pub(crate) fn erase(store: &Store, key: &[u8]) -> Result<(), StoreError> {
        for table in [INVOICES, PAYS, OFFERS, FORWARDS, CHANNELS, DATA, COUNTS] {
            for (row, _) in store.scan(table, key)? {
                store.delete(table, &row);
            }
        }
        Ok(())
    }

    /// The next `pay_index`.
    pub(crate) fn next_paid(&mut self) -> u64 {
        self.counts.paid += 1;
        self.counts.paid
    }

    /// The next `updated_index` of an invoice.
    pub(crate) fn next_invoice_update(&mut self) -> u64 {
        self.counts.invoice_updates += 1;
        self.counts.invoice_updates
    }

    /// The next `updated_index` of a payment.
    pub(crate) fn next_pay_update(&mut self) -> u64 {
        self.counts.pay_updates += 1;
        self.counts.pay_updates
    }

    /// A number no payment attempt or invoice request of this node had before.
    pub(crate) fn next_request(&mut self) -> u64 {
        self.counts.requests += 1;
        self.counts.requests
    }
}
