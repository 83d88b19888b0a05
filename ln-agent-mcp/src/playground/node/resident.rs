use serde::{Deserialize, Serialize};

use super::book::Book;
use super::chain_view::SharedChain;
use super::journal::Journal;
use super::keys::NodeSeed;
use super::live::Live;
use super::restore::Saved;
use super::wallet::Wallet;
use crate::playground::store::{Store, StoreError};

const NODES: &str = "ln_node";

/// A node of the network, running or not.
#[derive(Debug)]
pub(crate) struct Node {
    /// Counted from 1.
    pub(crate) number: u16,
    pub(crate) wallet: Wallet,
    pub(crate) book: Book,
    pub(crate) journal: Journal,
    /// Present while the node runs.
    pub(crate) live: Option<Live>,
    seed: NodeSeed,
    record: Record,
    staged: Option<Record>,
}

/// What the store keeps about a node beside LDK's state and its tables.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
struct Record {
    life: u32,
    starts: u32,
    addresses: u32,
    running: bool,
}

impl Node {
    /// A new node, not started. `life` tells it from deleted nodes of the same number.
    pub(crate) fn create(network: &[u8; 32], number: u16, life: u32) -> Self {
        let seed = NodeSeed::derive(network, number, life);
        Self {
            number,
            wallet: Wallet::new(seed, 1),
            book: Book::default(),
            journal: Journal::default(),
            live: None,
            seed,
            record: Record { life, ..Record::default() },
            staged: None,
        }
    }

    /// All saved nodes, not yet started.
    pub(crate) fn load_all(store: &Store, network: &[u8; 32]) -> Result<Vec<Self>, StoreError> {
        let mut nodes = Vec::new();
        for (key, bytes) in store.scan(NODES, b"")? {
            let damaged = || StoreError::Damaged("the list of nodes".to_owned());
            let number = u16::from_be_bytes(key.as_slice().try_into().map_err(|_| damaged())?);
            let record: Record = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
            let seed = NodeSeed::derive(network, number, record.life);
            nodes.push(Self {
                number,
                wallet: Wallet::new(seed, record.addresses),
                book: Book::load(store, &key)?,
                journal: Journal::default(),
                live: None,
                seed,
                staged: Some(record.clone()),
                record,
            });
        }
        Ok(nodes)
    }

    /// Whether the node was running when it was last saved.
    pub(crate) fn should_run(&self) -> bool {
        self.record.running
    }

    /// The node's public key in hex, running or not.
    pub(crate) fn id(&self) -> String {
        use lightning::sign::{NodeSigner, Recipient};
        let key = self.seed.keys(0).get_node_id(Recipient::Node).expect("a node has its own key");
        key.to_string()
    }

    /// Starts the node from what is saved. Does nothing if it runs.
    pub(crate) fn start(&mut self, store: &Store, chain: &SharedChain) -> Result<(), StoreError> {
        if self.live.is_some() {
            return Ok(());
        }
        let saved = Saved::read(store, &self.key())?;
        self.record.starts += 1;
        self.record.running = true;
        let live =
            Live::start(self.seed, self.number, self.record.starts, self.wallet.home(), &saved, chain)?;
        self.live = Some(live);
        Ok(())
    }

    /// Saves and drops the running half.
    pub(crate) fn stop(&mut self, store: &Store) {
        self.record.running = false;
        self.stage(store);
        self.live = None;
    }

    /// Stages what changed since the last call.
    pub(crate) fn stage(&mut self, store: &Store) {
        let key = self.key();
        self.record.addresses = self.wallet.addresses();
        if self.staged.as_ref() != Some(&self.record) {
            let bytes = serde_json::to_vec(&self.record).expect("a record is plain data");
            store.put(NODES, &key, bytes);
            self.staged = Some(self.record.clone());
        }
        self.book.stage(store, &key);
        if let Some(live) = &mut self.live {
            live.stage(store, &key);
        }
    }

    /// Stages the removal of everything the node ever saved.
    pub(crate) fn erase(self, store: &Store) -> Result<(), StoreError> {
        let key = self.key();
        store.delete(NODES, &key);
        Book::erase(store, &key)?;
        Saved::erase(store, &key)
    }

    fn key(&self) -> [u8; 2] {
        self.number.to_be_bytes()
    }
}
