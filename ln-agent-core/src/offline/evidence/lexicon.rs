//! Which tools a verb asks for, and which tools come with which.

use crate::offline::grammar::Verb;

/// Tools that change something without money leaving.
pub(super) const WRITES: &[&str] = &[
    "btc_generatetoaddress",
    "btc_getnewaddress",
    "btc_wallet_ensure",
    "http_fetch",
    "ln_closechannel",
    "ln_connect",
    "ln_fetchinvoice",
    "ln_invoice",
    "ln_node_create",
    "ln_node_delete",
    "ln_node_start",
    "ln_node_stop",
    "ln_offer",
    "ln_setchannel",
];

/// Tools that can move money.
pub(super) const SPENDS: &[&str] =
    &["btc_raw", "btc_sendtoaddress", "ln_keysend", "ln_openchannel", "ln_pay", "ln_raw", "ln_withdraw"];

/// Whether a tool of this name may change something. One that is not known may.
pub(super) fn changes(tool: &str) -> bool {
    WRITES.contains(&tool) || SPENDS.contains(&tool)
}

/// Tools that pass on commands of their own.
pub(super) fn passes_on(tool: &str) -> bool {
    matches!(tool, "ln_raw" | "btc_raw")
}

const MINING: &[&str] = &["btc_getnewaddress", "btc_generatetoaddress", "btc_wallet_ensure"];

/// Tools that usually come before or after this one and were therefore asked for with it. None of them moves money.
pub(super) fn beside(tool: &str) -> &'static [&'static str] {
    match tool {
        "ln_openchannel" => {
            &["ln_connect", "btc_getnewaddress", "btc_generatetoaddress", "btc_wallet_ensure"]
        }
        "ln_closechannel" | "ln_withdraw" | "btc_sendtoaddress" | "btc_generatetoaddress" => MINING,
        "btc_getnewaddress" => &["btc_wallet_ensure"],
        "ln_pay" => &["ln_invoice", "ln_fetchinvoice"],
        "ln_node_delete" => &["ln_node_stop"],
        _ => &[],
    }
}

/// The tools a verb asks for; `says` tells whether its clause holds one of some words.
pub(super) fn tools(verb: Verb, says: &dyn Fn(&[&str]) -> bool) -> Vec<&'static str> {
    let channel = says(&["channel", "channels"]);
    let chain = says(&["onchain", "wallet", "address"]);
    let offers = says(&["offer", "offers", "bolt12"]);
    if says(&["reachable", "expose", "announce"])
        && matches!(verb, Verb::Create | Verb::Set | Verb::Start | Verb::Open | Verb::Restart)
    {
        return vec!["ln_node_stop", "ln_node_start"];
    }
    match verb {
        Verb::Open if says(&["wallet"]) && !channel => vec!["btc_wallet_ensure"],
        Verb::Open => vec!["ln_openchannel"],
        Verb::Close => vec!["ln_closechannel"],
        Verb::Stop if channel => vec!["ln_closechannel"],
        Verb::Pay | Verb::Rebalance => vec!["ln_pay", "ln_keysend"],
        Verb::Send if chain => vec!["btc_sendtoaddress", "ln_withdraw"],
        Verb::Send => vec!["ln_pay", "ln_keysend"],
        Verb::Keysend => vec!["ln_keysend"],
        Verb::Bill if offers => vec!["ln_offer"],
        Verb::Bill => vec!["ln_invoice"],
        Verb::Offer => vec!["ln_offer"],
        Verb::Create => made(says),
        Verb::Mine => vec!["btc_generatetoaddress"],
        Verb::Start => vec!["ln_node_start"],
        Verb::Stop => vec!["ln_node_stop"],
        Verb::Restart => vec!["ln_node_stop", "ln_node_start"],
        Verb::Delete if channel || says(&["invoice", "invoices", "label"]) || offers => vec![],
        Verb::Delete => vec!["ln_node_delete"],
        Verb::Connect => vec!["ln_connect"],
        Verb::Set => vec!["ln_setchannel"],
        Verb::Fund if channel => vec!["ln_openchannel"],
        Verb::Fund => vec!["btc_sendtoaddress"],
        Verb::Withdraw => vec!["ln_withdraw"],
        Verb::Fetch if offers || says(&["invoice"]) => vec!["ln_fetchinvoice"],
        Verb::Fetch => vec!["http_fetch"],
        Verb::Load if says(&["wallet"]) => vec!["btc_wallet_ensure"],
        Verb::Load if says(&["running", "up"]) => vec!["ln_node_start"],
        Verb::Load if says(&["down", "stop"]) => vec!["ln_node_stop"],
        Verb::Load | Verb::Read | Verb::Verify | Verb::Sign | Verb::Decode | Verb::Wait => vec![],
    }
}

/// What `create` makes is what is named first among these.
fn made(says: &dyn Fn(&[&str]) -> bool) -> Vec<&'static str> {
    let things: [(&[&str], &[&str]); 8] = [
        (&["invoice", "invoices", "bill"], &["ln_invoice"]),
        (&["channel", "channels"], &["ln_openchannel"]),
        (&["offer", "bolt12"], &["ln_offer"]),
        (&["payment"], &["ln_pay", "ln_keysend"]),
        (&["block", "blocks"], &["btc_generatetoaddress"]),
        (&["address"], &["btc_getnewaddress"]),
        (&["wallet"], &["btc_wallet_ensure"]),
        (&["node"], &["ln_node_create"]),
    ];
    things.iter().find(|(words, _)| says(words)).map_or_else(Vec::new, |(_, tools)| tools.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_that_changes_something_is_listed_with_its_effect() {
        let catalogue = include_str!("../../../../docs/tools.md");
        let of = |effect: &str| {
            let mut found: Vec<&str> = catalogue
                .split("### `")
                .skip(1)
                .filter(|part| part.split("\n\n").nth(1).is_some_and(|text| text.starts_with(effect)))
                .filter_map(|part| part.split('`').next())
                .collect();
            found.sort_unstable();
            found
        };
        assert_eq!(of("*write*"), WRITES);
        assert_eq!(of("*spend*"), SPENDS);
    }
}
