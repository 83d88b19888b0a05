//! The evidence in one line, for a model to read beside the prompt.

use std::fmt::Display;

use super::Evidence;
use super::key::Sort;

impl Evidence {
    /// What the prompt itself says, in one line such as `nodes: 1, 2; amounts: 500 sat = 500000 msat; text: "coffee"`.
    /// Empty when nothing was found. Values of earlier exchanges are not in it.
    #[must_use]
    pub fn facts(&self) -> String {
        let said = &self.said;
        let mut facts = Vec::new();
        let mut nodes: Vec<String> = said.nodes.iter().map(ToString::to_string).collect();
        if nodes.is_empty() && said.every_node {
            nodes.push(format!("all, 1 to {}", self.node_count));
        }
        add(&mut facts, "nodes", &nodes);
        add(&mut facts, "amounts", &said.amounts);
        for (name, sorts) in [
            ("invoice", &[Sort::Invoice, Sort::Bolt12Invoice][..]),
            ("offer", &[Sort::Offer]),
            ("address", &[Sort::Address]),
            ("hash", &[Sort::Hash]),
            ("peer", &[Sort::Pubkey]),
            ("channel", &[Sort::ShortChannelId]),
            ("url", &[Sort::Url]),
        ] {
            let found: Vec<&String> =
                said.things.iter().filter(|(sort, _)| sorts.contains(sort)).map(|(_, text)| text).collect();
            add(&mut facts, name, &found);
        }
        add(&mut facts, "label", &quoted(&said.labels));
        add(&mut facts, "description", &quoted(&said.descriptions));
        add(&mut facts, "message", &quoted(&said.messages));
        let named = [&said.labels, &said.descriptions, &said.messages];
        let rest = said.quoted.iter().filter(|text| !named.iter().any(|texts| texts.contains(text)));
        add(&mut facts, "text", &quoted(&rest.cloned().collect::<Vec<_>>()));
        let mut numbers: Vec<u64> = said.numbers.iter().copied().filter(|n| *n > 1).collect();
        numbers.dedup();
        add(&mut facts, "numbers", &numbers);
        facts.join("; ")
    }
}

fn add<T: Display>(facts: &mut Vec<String>, name: &str, values: &[T]) {
    if !values.is_empty() {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        facts.push(format!("{name}: {}", values.join(", ")));
    }
}

/// Texts between quotes, in one line.
fn quoted(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| serde_json::Value::from(text.as_str()).to_string()).collect()
}
