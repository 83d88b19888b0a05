//! Whether a value stands in the request, in what it leans on, or needs no saying.

use serde_json::Value;

use super::Evidence;
use super::amount;
use super::key::{Key, Sort};
use super::words::{self, CHOICES, GENERIC, STATES};
use crate::offline::wish::Task;
use crate::types::{Object, Placeholder};

/// Where a value stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// It belongs to a read of things of nodes; when no node is named, that is about all of them.
    pub(super) reads: bool,
    /// Beside it stands something that is confirmed by mining.
    pub(super) confirms: bool,
    /// It is the size of a channel.
    pub(super) channel: bool,
    /// Words of its kind may be added: a plan has to name things.
    pub(super) composes: bool,
}

/// The smallest channel there is, in msat.
const SMALLEST_CHANNEL: u64 = 100_000_000;

impl Evidence {
    /// Whether this value may stand under this name.
    pub(super) fn stands(&self, name: &str, value: &Value, place: Place) -> bool {
        if value.as_str().is_some_and(|text| matches!(Placeholder::parse(text), Ok(Some(_)))) {
            return true;
        }
        match Key::of(name) {
            Key::Node => whole(value).is_some_and(|node| self.node_stands(node, place)),
            Key::Money(places) => self.money_stands(name, value, places, place),
            Key::Thing(sorts) => value.as_str().is_some_and(|text| self.thing_stands(text, sorts)),
            Key::Text => self.text_stands(value, place.composes),
            Key::Verbatim => self.text_stands(value, false),
            Key::Wallet => {
                value == "shared-wallet" || value == "miner" && self.mines() || self.text_stands(value, false)
            }
            Key::Blocks => whole(value)
                .is_some_and(|n| self.number_stands(n, if place.confirms { &[1, 6] } else { &[] })),
            Key::Number(free) => whole(value).is_some_and(|number| self.number_stands(number, free)),
            Key::Host => {
                matches!(value.as_str(), Some("0.0.0.0" | "127.0.0.1" | "localhost"))
                    || value.as_str().is_some_and(|text| self.contains(text))
            }
            Key::Query => {
                value.as_str().is_some_and(|text| words::of(text).all(|word| self.resembles(&word)))
            }
            Key::Word => value.as_str().is_some_and(|text| {
                let text = text.to_lowercase();
                CHOICES.contains(&text.as_str()) || STATES.contains(&text.as_str())
            }),
            Key::Flag => value.is_boolean(),
            Key::Force => {
                *value == Value::Bool(false) || value.is_boolean() && self.says(&["force", "forcibly"])
            }
            Key::Target => is_target(value),
            Key::Clauses | Key::Unknown => self.anything_stands(value),
        }
    }

    fn mines(&self) -> bool {
        self.says(&["miner", "mine"])
    }

    /// A node that is named, meant by a pronoun, or one of all.
    pub(super) fn node_stands(&self, node: u64, place: Place) -> bool {
        let Ok(node) = u32::try_from(node) else { return false };
        let said = &self.said;
        let exists = (1..=self.node_count).contains(&node);
        let unnamed = said.nodes.is_empty();
        said.nodes.contains(&node)
            || said.perhaps.contains(&node)
            || exists && said.every_node
            || exists && (self.node_count == 1 || unnamed && (place.reads || self.means_own(node)))
            || (unnamed || self.leans()) && holds_node(&self.artefacts, node)
            || holds_node(&self.context, node)
    }

    fn means_own(&self, node: u32) -> bool {
        node == self.own && self.says(&["my", "our", "own", "this", "i", "we", "me"])
    }

    /// Whether something said before is meant.
    fn leans(&self) -> bool {
        self.says(&["it", "its", "that", "there", "same", "again", "this", "them", "those", "repeat"])
    }

    pub(super) fn money_stands(&self, name: &str, value: &Value, places: u32, place: Place) -> bool {
        if let Some(text @ ("any" | "all")) = value.as_str() {
            return self.says(&[
                "every",
                "whole",
                "entire",
                "max",
                "maximum",
                "open",
                "variable",
                "arbitrary",
            ]) || self.context.values().any(|known| known == text);
        }
        let Some(msat) = amount::read(value, places) else { return false };
        // `base fee 1000`: fees may be said without a unit.
        let bare = matches!(name, "feebase" | "feebase_msat" | "htlcmin" | "htlcmax")
            && self.said.numbers.contains(&msat);
        bare || self.said.amounts.iter().any(|amount| {
            amount.msat == msat || place.channel && amount.msat < SMALLEST_CHANNEL && msat == SMALLEST_CHANNEL
        }) || self.said.amounts.is_empty() && !self.said.bad_money && holds_amount(&self.artefacts, msat)
            || holds_amount(&self.context, msat)
    }

    fn thing_stands(&self, text: &str, sorts: &[Sort]) -> bool {
        let bare = text.split_once(':').map_or(text, |(_, rest)| rest);
        let mut said = self.said.things.iter().filter(|(sort, _)| sorts.contains(sort)).peekable();
        let silent = said.peek().is_none();
        said.any(|(_, said)| same_thing(said, text) || same_thing(said, bare))
            || silent && holds_text(&self.artefacts, text)
            || holds_text(&self.context, text)
    }

    fn text_stands(&self, value: &Value, composes: bool) -> bool {
        let texts = leaves(value);
        texts.iter().all(|leaf| match leaf {
            Value::String(text) => {
                let known = |word: &String| {
                    self.said.words.contains(word) || composes && GENERIC.contains(&word.as_str())
                };
                self.contains(text)
                    || words::of(text).all(|word| known(&word) || self.is_known_number(&word, composes))
                    || composes && self.says(&["unique", "random"])
                    || holds_text(&self.artefacts, text)
                    || holds_text(&self.context, text)
            }
            other => self.anything_stands(other),
        })
    }

    /// A number inside a label: one that is said in words or with separators.
    fn is_known_number(&self, word: &str, composes: bool) -> bool {
        let Ok(number) = word.parse::<u64>() else { return false };
        composes
            && (self.said.numbers.contains(&number)
                || self.node_stands(number, Place::default())
                || self
                    .said
                    .amounts
                    .iter()
                    .any(|amount| amount.typed.to_u64() == Some(number) || amount.msat == number))
    }

    pub(super) fn number_stands(&self, number: u64, free: &[u64]) -> bool {
        free.contains(&number)
            || self.said.numbers.contains(&number)
            || leaves_of(&self.context).any(|known| known.as_u64() == Some(number))
    }

    /// Whether the prompt holds this text as it is, in any case.
    pub(super) fn contains(&self, text: &str) -> bool {
        !text.is_empty() && whole_word(&self.said.prompt, &text.to_lowercase()) || text.is_empty()
    }

    /// Whether a word of the prompt begins as this one does: `pay` and `payments`.
    fn resembles(&self, word: &str) -> bool {
        let near = |said: &String| {
            said.starts_with(word) || word.len() > 3 && word.starts_with(said.as_str()) && said.len() > 2
        };
        self.said.words.iter().any(near)
            || self.said.spoken.iter().any(near)
            || holds_text(&self.context, word)
    }

    /// A value under a name that says nothing about it.
    pub(super) fn anything_stands(&self, value: &Value) -> bool {
        match value {
            Value::Null | Value::Bool(_) => true,
            Value::Number(_) => {
                whole(value).is_some_and(|number| {
                    self.number_stands(number, &[]) || self.node_stands(number, Place::default())
                }) || self.said.amounts.iter().any(|amount| amount.is_typed_as(value))
            }
            Value::String(text) => {
                matches!(Placeholder::parse(text), Ok(Some(_)))
                    || STATES.contains(&text.as_str())
                    || text.chars().all(|c| c.is_ascii_uppercase() || c == '_')
                    || self.text_stands(value, false)
            }
            Value::Array(list) => list.iter().all(|item| self.anything_stands(item)),
            Value::Object(object) => object.iter().all(|(name, value)| match Key::of(name) {
                Key::Unknown => self.anything_stands(value),
                _ => self.stands(name, value, Place::default()),
            }),
        }
    }
}

/// A whole number, as such or in digits.
pub(super) fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn is_target(value: &Value) -> bool {
    serde_json::from_value::<Task>(value.clone()).is_ok()
}

/// Addresses of the old kind tell capitals apart; nothing else does.
fn same_thing(said: &str, text: &str) -> bool {
    said == text || said.chars().all(|c| !c.is_ascii_uppercase()) && said.eq_ignore_ascii_case(text)
}

fn whole_word(prompt: &str, text: &str) -> bool {
    let joins = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    prompt.match_indices(text).any(|(at, _)| {
        let (before, after) = (&prompt[..at], &prompt[at + text.len()..]);
        let begins_inside = joins(before.chars().next_back()) && joins(text.chars().next());
        let ends_inside = joins(text.chars().next_back()) && joins(after.chars().next());
        !begins_inside && !ends_inside
    })
}

fn leaves(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(list) => list.iter().flat_map(leaves).collect(),
        Value::Object(object) => object.values().flat_map(leaves).collect(),
        leaf => vec![leaf],
    }
}

/// Every value of an object, however deep.
pub(super) fn leaves_of(object: &Object) -> impl Iterator<Item = &Value> {
    object.values().flat_map(leaves)
}

fn holds_text(object: &Object, text: &str) -> bool {
    leaves_of(object).any(|leaf| leaf.as_str().is_some_and(|known| same_thing(known, text)))
}

/// Every member of these, however deep, with its name.
fn members<'v>(value: &'v Value, found: &mut Vec<(&'v str, &'v Value)>) {
    match value {
        Value::Array(list) => list.iter().for_each(|item| members(item, found)),
        Value::Object(object) => {
            for (name, value) in object {
                found.push((name, value));
                members(value, found);
            }
        }
        _ => {}
    }
}

fn all_members(object: &Object) -> Vec<(&str, &Value)> {
    let mut found = Vec::new();
    for (name, value) in object {
        found.push((name.as_str(), value));
        members(value, &mut found);
    }
    found
}

fn holds_node(object: &Object, node: u32) -> bool {
    all_members(object).into_iter().any(|(name, value)| {
        (Key::of(name) == Key::Node || name == "peer") && whole(value) == Some(node.into())
    })
}

fn holds_amount(object: &Object, msat: u64) -> bool {
    all_members(object).into_iter().any(|(name, value)| match Key::of(name) {
        Key::Money(places) => amount::read(value, places) == Some(msat),
        _ => false,
    })
}
