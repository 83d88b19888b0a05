//! The family in one list.

use std::sync::Arc;

use ln_agent_core::clock::{Clock, SystemClock};
use ln_agent_core::tool::{Tool, typed};

use super::invoice::Invoice;
use super::keysend::Keysend;
use super::listinvoices::ListInvoices;
use super::pay::Pay;
use super::waitinvoice::WaitInvoice;
use crate::node::Nodes;

/// The five tools for invoices and payments.
#[must_use]
pub fn tools(nodes: &Nodes) -> Vec<Arc<dyn Tool>> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    vec![
        typed(Invoice { nodes: nodes.clone() }),
        typed(Pay { nodes: nodes.clone(), clock: clock.clone() }),
        typed(Keysend { nodes: nodes.clone(), clock: clock.clone() }),
        typed(ListInvoices { nodes: nodes.clone() }),
        typed(WaitInvoice { nodes: nodes.clone(), clock }),
    ]
}
