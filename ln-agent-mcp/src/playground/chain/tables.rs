use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use bitcoin::{OutPoint, Script, ScriptBuf, Txid};

use super::{Coin, MemEntry};

/// All spendable outputs of the active chain, found by place or by script.
#[derive(Debug, Default)]
pub(super) struct Coins {
    by_place: HashMap<OutPoint, Coin>,
    by_script: HashMap<ScriptBuf, BTreeSet<OutPoint>>,
}

impl Coins {
    pub(super) fn at(&self, place: &OutPoint) -> Option<&Coin> {
        self.by_place.get(place)
    }

    pub(super) fn of(&self, script: &Script) -> impl Iterator<Item = (&OutPoint, &Coin)> {
        let places = self.by_script.get(script).into_iter().flatten();
        places.filter_map(|place| Some((place, self.by_place.get(place)?)))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (&OutPoint, &Coin)> {
        self.by_place.iter()
    }

    pub(super) fn add(&mut self, place: OutPoint, coin: Coin) {
        self.by_script.entry(coin.out.script_pubkey.clone()).or_default().insert(place);
        self.by_place.insert(place, coin);
    }

    pub(super) fn take(&mut self, place: &OutPoint) -> Option<Coin> {
        let coin = self.by_place.remove(place)?;
        if let Some(places) = self.by_script.get_mut(&coin.out.script_pubkey) {
            places.remove(place);
            if places.is_empty() {
                self.by_script.remove(&coin.out.script_pubkey);
            }
        }
        Some(coin)
    }
}

/// Unconfirmed transactions in order of arrival, which puts parents before children.
#[derive(Debug, Default)]
pub(super) struct Mempool {
    by_number: BTreeMap<u64, MemEntry>,
    numbers: HashMap<Txid, u64>,
    spenders: HashMap<OutPoint, Txid>,
}

impl Mempool {
    pub(super) fn get(&self, txid: &Txid) -> Option<&MemEntry> {
        self.by_number.get(self.numbers.get(txid)?)
    }

    pub(super) fn numbered(&self, number: u64) -> Option<&MemEntry> {
        self.by_number.get(&number)
    }

    pub(super) fn spender(&self, place: &OutPoint) -> Option<Txid> {
        self.spenders.get(place).copied()
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &MemEntry> {
        self.by_number.values()
    }

    pub(super) fn add(&mut self, number: u64, entry: MemEntry) {
        for input in &entry.tx.input {
            self.spenders.insert(input.previous_output, entry.txid);
        }
        self.numbers.insert(entry.txid, number);
        self.by_number.insert(number, entry);
    }

    /// Removes one transaction and leaves its children; gives the number it had.
    pub(super) fn remove(&mut self, txid: &Txid) -> Option<(u64, MemEntry)> {
        let number = self.numbers.remove(txid)?;
        let entry = self.by_number.remove(&number)?;
        for input in &entry.tx.input {
            self.spenders.remove(&input.previous_output);
        }
        Some((number, entry))
    }

    /// The transaction and all that spend its outputs, directly or not, in order of arrival.
    pub(super) fn with_descendants(&self, txid: &Txid) -> Vec<Txid> {
        let mut known = HashSet::from([*txid]);
        let mut found: Vec<Txid> = self.numbers.contains_key(txid).then_some(*txid).into_iter().collect();
        for entry in self.entries() {
            if entry.tx.input.iter().any(|input| known.contains(&input.previous_output.txid))
                && known.insert(entry.txid)
            {
                found.push(entry.txid);
            }
        }
        found
    }

    /// The transaction and all unconfirmed ones that it builds on, in order of arrival.
    pub(super) fn with_ancestors(&self, txid: &Txid) -> Vec<Txid> {
        let mut wanted = HashSet::from([*txid]);
        let mut found = Vec::new();
        for entry in self.by_number.values().rev() {
            if wanted.contains(&entry.txid) {
                wanted.extend(entry.tx.input.iter().map(|input| input.previous_output.txid));
                found.push(entry.txid);
            }
        }
        found.reverse();
        found
    }
}
