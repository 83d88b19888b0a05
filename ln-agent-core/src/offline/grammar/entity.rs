//! Everything in a clause that has a value.

use super::money::{Fault, Money, money_at};
use super::node::{NodeRef, Role, nodes};
use super::verb::{Verb, head};
use crate::offline::text::{Decimal, Kind, Token};

/// The values of one clause.
#[derive(Clone, Debug, Default)]
pub(in crate::offline) struct Entities {
    pub(super) verb: Option<(usize, Verb)>,
    pub(super) nodes: Vec<NodeRef>,
    /// Amounts and where they stand.
    pub(super) money: Vec<(usize, Money)>,
    /// Numbers that are neither money nor nodes, and the word after them.
    pub(super) numbers: Vec<(usize, Decimal, String)>,
    pub(super) bolt11: Option<String>,
    pub(super) offer: Option<String>,
    pub(super) address: Option<String>,
    pub(super) pubkey: Option<String>,
    pub(super) host: Option<(String, Option<u16>)>,
    pub(super) url: Option<String>,
    pub(super) hash: Option<String>,
    pub(super) label: Option<String>,
    pub(super) description: Option<String>,
    pub(super) message: Option<String>,
    pub(super) wallet: Option<String>,
}

impl Entities {
    /// Reads them out of a clause.
    pub(super) fn of(tokens: &[Token], own: u32) -> Self {
        let verb = head(tokens);
        let mut found = Self { verb, nodes: nodes(tokens, verb.map(|(at, _)| at), own), ..Self::default() };
        found.wallet = wallet(tokens);
        let mut at = 0;
        while at < tokens.len() {
            if let Some(node) = found.nodes.iter().find(|node| node.at == at) {
                at = node.end;
                continue;
            }
            match &tokens[at].kind {
                Kind::Number(number) => {
                    if let Some((money, _)) = money_at(tokens, at) {
                        found.money.push((at, money));
                    } else {
                        let after = tokens.get(at + 1).and_then(Token::word).unwrap_or_default();
                        found.numbers.push((at, *number, after.to_owned()));
                    }
                }
                Kind::Quoted(text) => found.text(tokens, at, text),
                kind => found.special(kind),
            }
            at += 1;
        }
        found
    }

    fn special(&mut self, kind: &Kind) {
        match kind.clone() {
            Kind::Bolt11(text) | Kind::Bolt12Invoice(text) => self.bolt11 = Some(text),
            Kind::Offer(text) => self.offer = Some(text),
            Kind::Address(text) => self.address = Some(text),
            Kind::Pubkey(text) => self.pubkey = Some(text),
            Kind::Host(name, port) => self.host = Some((name, port)),
            Kind::Url(text) => self.url = Some(text),
            Kind::Hash(text) => self.hash = Some(text),
            _ => {}
        }
    }

    fn text(&mut self, tokens: &[Token], at: usize, text: &str) {
        const KEYS: [&str; 9] =
            ["labelled", "description", "memo", "for", "about", "message", "sign", "text", "wallet"];
        let key = tokens[..at].iter().rev().take(4).filter_map(Token::word).find(|word| KEYS.contains(word));
        let signs = self.verb.is_some_and(|(_, verb)| verb == Verb::Sign);
        let place = match key {
            Some("labelled") => &mut self.label,
            Some("wallet") => &mut self.wallet,
            Some("message" | "sign" | "text") => &mut self.message,
            None if signs => &mut self.message,
            _ => &mut self.description,
        };
        *place = Some(text.to_owned());
    }

    /// The first mention in one of these roles, in the order of the roles.
    pub(super) fn node(&self, roles: &[Role]) -> Option<&NodeRef> {
        roles.iter().find_map(|role| self.nodes.iter().find(|node| node.role == *role))
    }

    /// The number before one of these words.
    pub(super) fn counted(&self, words: &[&str]) -> Option<u64> {
        self.numbers
            .iter()
            .find(|(_, _, after)| words.contains(&after.as_str()))
            .and_then(|(_, n, _)| n.to_u64())
    }

    /// The number after one of these words.
    pub(super) fn numbered(&self, tokens: &[Token], words: &[&str]) -> Option<u64> {
        let (_, number, _) = self.numbers.iter().find(|(at, _, _)| {
            let before = tokens[..*at]
                .iter()
                .rev()
                .filter_map(Token::word)
                .find(|w| !matches!(*w, "of" | "to" | "is" | "the"));
            before.is_some_and(|word| words.contains(&word))
        })?;
        number.to_u64()
    }

    /// The amount, or what is wrong with it. A number left over is an amount without its unit.
    pub(super) fn amount(&self) -> Result<Option<Money>, Fault> {
        if self.money.len() > 1 {
            return Err(Fault::Several);
        }
        match (self.money.first(), self.numbers.first()) {
            (Some((_, Money::Bad(fault))), _) => Err(*fault),
            (Some((_, money)), _) => Ok(Some(*money)),
            (None, Some((_, number, _))) => Err(Fault::NoUnit(*number)),
            (None, None) => Ok(None),
        }
    }
}

/// The wallet's name, when one is said: `the miner wallet`, `wallet miner`.
fn wallet(tokens: &[Token]) -> Option<String> {
    let at = tokens.iter().position(|token| token.is("wallet"))?;
    let before = at.checked_sub(1).and_then(|i| tokens[i].word());
    match before {
        Some("shared") => Some("shared-wallet".to_owned()),
        Some("miner" | "mining" | "mine") => Some("miner".to_owned()),
        _ => None,
    }
}

/// Whether one of the words is there.
pub(super) fn has(tokens: &[Token], words: &[&str]) -> bool {
    tokens.iter().any(|token| token.word().is_some_and(|word| words.contains(&word)))
}
