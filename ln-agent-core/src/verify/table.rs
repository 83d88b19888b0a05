//! From the tool that acted to the reads that confirm it.

use super::look::Look;
use super::{channels, invoices, lifecycle, onchain, payments};

/// The looks for a tool, the first that decides counts. Empty where there is nothing to look at.
pub(super) fn looks(tool: &str) -> &'static [Look] {
    match tool {
        "ln_openchannel" => channels::OPENED,
        "ln_closechannel" => channels::CLOSED,
        "ln_setchannel" => channels::SET,
        "ln_connect" => channels::CONNECTED,
        "ln_pay" => payments::PAID,
        "ln_keysend" => payments::SENT,
        "ln_invoice" => invoices::INVOICED,
        "ln_offer" => invoices::OFFERED,
        "ln_withdraw" => onchain::WITHDRAWN,
        "btc_wallet_ensure" => onchain::WALLET,
        "btc_sendtoaddress" => onchain::SENT,
        "btc_generatetoaddress" => onchain::MINED,
        "ln_node_start" => lifecycle::STARTED,
        "ln_node_stop" => lifecycle::STOPPED,
        "ln_node_create" => lifecycle::CREATED,
        "ln_node_delete" => lifecycle::DELETED,
        _ => &[],
    }
}
