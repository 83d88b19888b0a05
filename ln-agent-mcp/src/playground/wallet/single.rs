use std::collections::HashMap;

use bitcoin::{Address, Script, ScriptBuf, Txid};

use super::keys::Keys;
use super::record::Record;
use super::{AddressKind, Owned, Path};

/// One named wallet.
#[derive(Debug)]
pub struct Wallet {
    name: String,
    pub(super) keys: Keys,
    pub(super) record: Record,
    owned: HashMap<ScriptBuf, Owned>,
    pub(super) changed: bool,
}

impl Wallet {
    pub(super) fn new(seed: &[u8; 32], name: &str, birth_secs: u32) -> Self {
        let mut wallet = Self::restore(seed, name, Record { birth_secs, ..Record::default() });
        wallet.changed = true;
        wallet
    }

    pub(super) fn restore(seed: &[u8; 32], name: &str, record: Record) -> Self {
        let keys = Keys::new(seed, name);
        let paths = record.issued.iter().flat_map(|(kind, change, count)| {
            (0..*count).map(|index| Path { kind: *kind, change: *change, index })
        });
        let owned = paths.map(|path| keys.owned(path)).map(|owned| (owned.script(), owned)).collect();
        Self { name: name.to_owned(), keys, record, owned, changed: false }
    }

    /// Its name; the empty one is allowed.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The chain's clock when it was made, in seconds.
    #[must_use]
    pub fn birth_secs(&self) -> u32 {
        self.record.birth_secs
    }

    /// A new address to be paid at, under a label (which may be empty).
    pub fn new_address(&mut self, kind: AddressKind, label: &str) -> Address {
        let owned = self.issue(kind, false);
        self.record.labels.insert(owned.address.to_string(), label.to_owned());
        owned.address
    }

    /// The address that the next change will go to; it counts as given out only once it is used.
    pub(super) fn next_change(&self) -> Owned {
        self.keys.owned(self.next_path(AddressKind::Bech32, true))
    }

    /// A new address for change, which carries no label.
    pub fn new_change_address(&mut self, kind: AddressKind) -> Address {
        self.issue(kind, true).address
    }

    pub(super) fn issue(&mut self, kind: AddressKind, change: bool) -> Owned {
        let owned = self.keys.owned(self.next_path(kind, change));
        self.owned.insert(owned.script(), owned.clone());
        match self.record.issued.iter_mut().find(|(k, c, _)| (*k, *c) == (kind, change)) {
            Some((_, _, count)) => *count += 1,
            None => self.record.issued.push((kind, change, 1)),
        }
        self.changed = true;
        owned
    }

    fn next_path(&self, kind: AddressKind, change: bool) -> Path {
        let issued = self.record.issued.iter().find(|(k, c, _)| (*k, *c) == (kind, change));
        Path { kind, change, index: issued.map_or(0, |(_, _, count)| *count) }
    }

    /// The wallet's address behind a script.
    #[must_use]
    pub fn owned(&self, script: &Script) -> Option<&Owned> {
        self.owned.get(script)
    }

    /// All addresses given out, change included, in order of their paths.
    #[must_use]
    pub fn addresses(&self) -> Vec<&Owned> {
        let mut all: Vec<&Owned> = self.owned.values().collect();
        all.sort_by_key(|owned| owned.path);
        all
    }

    /// The label of an address that was given out.
    #[must_use]
    pub fn label(&self, address: &Address) -> Option<&str> {
        self.record.labels.get(&address.to_string()).map(String::as_str)
    }

    /// Puts a label on an address, of this wallet or not.
    pub fn set_label(&mut self, address: &Address, label: &str) {
        self.record.labels.insert(address.to_string(), label.to_owned());
        self.changed = true;
    }

    /// All labels in use.
    pub fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        self.record.labels.iter().map(|(address, label)| (address.as_str(), label.as_str()))
    }

    /// What the user noted for a transaction: the comment, and who it was for.
    #[must_use]
    pub fn note(&self, txid: &Txid) -> Option<(&str, &str)> {
        self.record.notes.get(&txid.to_string()).map(|note| (note.comment.as_str(), note.to.as_str()))
    }

    /// The output descriptor of one address.
    #[must_use]
    pub fn descriptor(&self, owned: &Owned) -> String {
        self.keys.descriptor(owned)
    }

    /// The descriptor of all addresses beside this one.
    #[must_use]
    pub fn parent_descriptor(&self, owned: &Owned) -> String {
        self.keys.parent_descriptor(owned.path)
    }

    /// The first four bytes of the master key's identifier, in hexadecimal.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        self.keys.fingerprint()
    }
}
