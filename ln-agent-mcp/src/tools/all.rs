//! Every tool, in one list.

use std::sync::Arc;

use ln_agent_core::tool::{Registry, Tool};

use super::{actions, bitcoin, http, lifecycle, lightning, offers, onchain, passthrough, payments, system};
use crate::node::Nodes;

/// Every tool over these nodes.
#[must_use]
pub fn all(nodes: &Nodes) -> Vec<Arc<dyn Tool>> {
    [
        system::tools,
        bitcoin::tools,
        lifecycle::tools,
        lightning::tools,
        actions::tools,
        payments::tools,
        offers::tools,
        onchain::tools,
        passthrough::tools,
        http::tools,
    ]
    .into_iter()
    .flat_map(|family| family(nodes))
    .collect()
}

/// Every tool over these nodes, by name.
///
/// # Panics
///
/// Never: the names are constants, and a test sees that they differ.
#[must_use]
pub fn registry(nodes: &Nodes) -> Registry {
    Registry::new(all(nodes)).expect("tool names are constants that a test compares")
}

#[cfg(test)]
mod tests {
    use ln_agent_core::tool::Effect;

    use super::*;
    use crate::node::NodesConfig;

    #[test]
    fn each_of_the_47_tools_has_a_name_of_its_own_and_documents_every_argument() {
        let nodes = Nodes::new(NodesConfig::at("/nowhere".as_ref()));

        let registry = registry(&nodes);

        assert_eq!((registry.len(), all(&nodes).len()), (47, 47));
        for spec in registry.specs() {
            assert!(!spec.description.is_empty(), "{}", spec.name);
            for (argument, schema) in spec.arguments() {
                assert!(schema.get("description").is_some(), "{} {argument}", spec.name);
            }
        }
    }

    #[test]
    fn the_27_lightning_and_passthrough_tools_exist_with_their_effects() {
        use Effect::{Read, Spend, Write};
        let nodes = Nodes::new(NodesConfig::at(std::path::Path::new("/nowhere")));
        let families = [
            lightning::tools,
            actions::tools,
            payments::tools,
            offers::tools,
            onchain::tools,
            passthrough::tools,
        ];

        let mut found: Vec<(String, Effect)> = families
            .into_iter()
            .flat_map(|family| family(&nodes))
            .map(|tool| (tool.spec().name.clone(), tool.spec().effect))
            .collect();
        found.sort();

        let expected = [
            ("btc_raw", Spend),
            ("ln_closechannel", Write),
            ("ln_connect", Write),
            ("ln_decodepay", Read),
            ("ln_feerates", Read),
            ("ln_fetchinvoice", Write),
            ("ln_getinfo", Read),
            ("ln_invoice", Write),
            ("ln_keysend", Spend),
            ("ln_listchannels", Read),
            ("ln_listforwards", Read),
            ("ln_listfunds", Read),
            ("ln_listinvoices", Read),
            ("ln_listoffers", Read),
            ("ln_listpays", Read),
            ("ln_listpeers", Read),
            ("ln_listtransactions", Read),
            ("ln_newaddr", Read),
            ("ln_offer", Write),
            ("ln_openchannel", Spend),
            ("ln_pay", Spend),
            ("ln_raw", Spend),
            ("ln_setchannel", Write),
            ("ln_signmessage", Read),
            ("ln_waitanyinvoice", Read),
            ("ln_waitinvoice", Read),
            ("ln_withdraw", Spend),
        ]
        .map(|(name, effect)| (name.to_owned(), effect));
        assert_eq!(found, expected);
    }
}
