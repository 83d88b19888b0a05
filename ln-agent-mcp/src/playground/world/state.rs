use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use bitcoin::secp256k1::{All, PublicKey, Secp256k1};
use bitcoin::{Amount, ScriptBuf, TxOut};
use lightning::offers::invoice::Bolt12Invoice;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::links::Link;
use crate::playground::bitcoind::{self, Answer};
use crate::playground::chain::{COINBASE_MATURITY, Chain};
use crate::playground::chain::{Res, RpcErr, clock};
use crate::playground::node::{FEERATE_PER_KW, Funding, Journal, Live, Node, NodeSeed, SharedChain, Wallet};
use crate::playground::store::{Store, StoreError};
use crate::playground::wallet::{AddressKind, Wallets};

const META: &str = "network";
/// The wallet of bitcoind that exists from the start.
const SHARED_WALLET: &str = "shared-wallet";
const META_KEY: &[u8] = b"meta";
/// What a node starts with, in satoshis, one output each.
const STAKE_SAT: [u64; 4] = [25_000_000; 4];
/// Nodes that one block's reward of 50 BTC pays for, with fees to spare.
const NODES_PER_REWARD: u16 = 40;
/// Rewards kept for nodes that are made later.
const SPARE_REWARDS: u16 = 3;
/// Seconds that commands may move the clock between two blocks, which are 600 s apart.
const MOST_SECONDS: u32 = 599;

/// Why the network cannot do what was asked of it as a whole.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(crate) enum WorldError {
    /// The state cannot be read or saved.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The wallet that bitcoind starts with cannot be made.
    #[error("bitcoind's wallet cannot be made: {0}")]
    Wallet(#[from] RpcErr),
    /// No node has this number.
    #[error("node {0} does not exist; create it first")]
    NoNode(u16),
    /// The node exists already.
    #[error("node {0} exists already")]
    Exists(u16),
    /// The node runs, which this call does not allow.
    #[error("node {0} is running; stop it first, or pass \"force\": true")]
    Running(u16),
    /// Numbers start at 1.
    #[error("nodes are counted from 1")]
    Zero,
}

/// The chain, the nodes, and what joins them.
pub(crate) struct World {
    pub(crate) chain: SharedChain,
    pub(crate) store: Store,
    pub(crate) wallets: Wallets,
    pub(crate) nodes: BTreeMap<u16, Node>,
    /// Set by a command right before it opens a channel.
    pub(crate) funding: Option<Funding>,
    /// Why the last channel that never came to be was refused.
    pub(crate) refused: Option<String>,
    /// Invoices that arrived for requests of the running command, by payment id.
    pub(crate) fetched: BTreeMap<[u8; 32], Bolt12Invoice>,
    pub(crate) secp: Secp256k1<All>,
    pub(super) links: Vec<Link>,
    /// Pairs of nodes whose messages are not delivered.
    pub(super) held: BTreeSet<(u16, u16)>,
    pub(super) sockets: u64,
    pub(super) meta: Meta,
    staged: Option<Meta>,
    treasury: Wallet,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("nodes", &self.nodes)
            .field("links", &self.links)
            .finish_non_exhaustive()
    }
}

/// What the store keeps about the network itself.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(super) struct Meta {
    seed: [u8; 32],
    /// Pairs of nodes that are to be connected while both run.
    pub(super) peers: BTreeSet<(u16, u16)>,
    /// Commands that changed something, counted from the network's first.
    pub(super) commands: u64,
    /// Seconds of the clock since the block of this height.
    seconds: u32,
    height: u32,
    /// How often each number was given to a node.
    lives: BTreeMap<u16, u32>,
}

impl World {
    /// Opens what the store holds; an empty store gets a new network of `nodes` running, funded nodes.
    ///
    /// The seed of an existing network is the one it was made with.
    pub(crate) fn open(store: Store, seed: [u8; 32], nodes: u16) -> Result<Self, WorldError> {
        let saved = match store.get(META, META_KEY)? {
            Some(bytes) => Some(
                serde_json::from_slice::<Meta>(&bytes)
                    .map_err(|_| StoreError::Damaged("the network's record".to_owned()))?,
            ),
            None => None,
        };
        let chain = Rc::new(RefCell::new(Chain::load(&store)?));
        let is_new = saved.is_none();
        let meta = saved.clone().unwrap_or(Meta { seed, ..Meta::default() });
        let mut world = Self {
            chain,
            wallets: Wallets::load(meta.seed, &store)?,
            store,
            nodes: BTreeMap::new(),
            funding: None,
            refused: None,
            fetched: BTreeMap::new(),
            secp: Secp256k1::new(),
            links: Vec::new(),
            held: BTreeSet::new(),
            sockets: 0,
            treasury: Wallet::new(NodeSeed::derive(&meta.seed, 0, 0), 1),
            meta,
            staged: saved,
        };
        if is_new {
            world.found(nodes)?;
        } else {
            world.resume()?;
        }
        Ok(world)
    }

    /// Replaces everything by a new network of the same seed.
    pub(crate) fn reset(&mut self, nodes: u16) -> Result<(), WorldError> {
        self.links.clear();
        self.held.clear();
        self.nodes.clear();
        self.fetched.clear();
        self.store.clear()?;
        self.wallets = Wallets::new(self.meta.seed);
        *self.chain.borrow_mut() = Chain::new();
        self.meta = Meta { seed: self.meta.seed, ..Meta::default() };
        self.staged = None;
        self.treasury = Wallet::new(NodeSeed::derive(&self.meta.seed, 0, 0), 1);
        self.found(nodes)
    }

    /// Makes a node, funded but not started.
    pub(crate) fn create_node(&mut self, number: u16) -> Result<(), WorldError> {
        if number == 0 {
            return Err(WorldError::Zero);
        }
        if self.nodes.contains_key(&number) {
            return Err(WorldError::Exists(number));
        }
        let life = self.meta.lives.entry(number).or_default();
        let node = Node::create(&self.meta.seed, number, *life);
        *life += 1;
        self.nodes.insert(number, node);
        Ok(())
    }

    /// Pays each of these nodes its stake and confirms it, as far as the treasury reaches.
    pub(crate) fn fund(&mut self, numbers: &[u16]) {
        for number in numbers {
            let Some(script) = self.nodes.get(number).map(|node| node.wallet.home()) else { continue };
            for stake in STAKE_SAT {
                let output = TxOut { value: Amount::from_sat(stake), script_pubkey: script.clone() };
                let coins = {
                    let chain = self.chain.borrow();
                    let mut coins = self.treasury.spendable(&chain);
                    coins.extend(self.treasury.unconfirmed(&chain, &BTreeSet::new()));
                    coins
                };
                let sent = self
                    .treasury
                    .pay(&coins, &output, FEERATE_PER_KW)
                    .map_err(|error| error.to_string())
                    .and_then(|tx| self.chain.borrow_mut().accept(tx).map_err(|error| error.to_string()));
                if let Err(error) = sent {
                    tracing::warn!(number, error, "the treasury could not fund the node");
                }
            }
        }
        self.chain.borrow_mut().mine(1);
    }

    /// Starts a node and reconnects its peers. Does nothing if it runs.
    pub(crate) fn start_node(&mut self, number: u16) -> Result<(), WorldError> {
        self.wake_node(number)?;
        self.enable_channels();
        Ok(())
    }

    fn wake_node(&mut self, number: u16) -> Result<(), WorldError> {
        let node = self.nodes.get_mut(&number).ok_or(WorldError::NoNode(number))?;
        if node.live.is_some() {
            return Ok(());
        }
        node.start(&self.store, &self.chain)?;
        self.note_start(number);
        self.close_offers(number);
        self.pump();
        self.relink(number);
        Ok(())
    }

    fn note_start(&mut self, number: u16) {
        let (now, alias) = (self.now(), alias(number));
        let Some(node) = self.nodes.get_mut(&number) else { return };
        node.journal = Journal::new(now);
        let id = node.id();
        let version = concat!("playground-", env!("CARGO_PKG_VERSION"));
        node.journal.note(
            now,
            format!(
                "Server started with public key {id}, alias {alias} (color #010101) and lightningd {version}"
            ),
        );
    }

    /// Stops a node: its peers see it go, its state is staged. Does nothing if it is stopped.
    pub(crate) fn stop_node(&mut self, number: u16) -> Result<(), WorldError> {
        if !self.nodes.contains_key(&number) {
            return Err(WorldError::NoNode(number));
        }
        self.isolate(number);
        if let Some(node) = self.nodes.get_mut(&number) {
            node.stop(&self.store);
        }
        self.pump();
        Ok(())
    }

    /// Forgets a stopped node with its wallet and channels.
    pub(crate) fn delete_node(&mut self, number: u16, force: bool) -> Result<(), WorldError> {
        let node = self.nodes.get(&number).ok_or(WorldError::NoNode(number))?;
        if node.live.is_some() {
            if !force {
                return Err(WorldError::Running(number));
            }
            self.stop_node(number)?;
        }
        self.meta.peers.retain(|(one, other)| *one != number && *other != number);
        if let Some(node) = self.nodes.remove(&number) {
            node.erase(&self.store)?;
        }
        Ok(())
    }

    /// Numbers of the running nodes, ascending.
    pub(crate) fn running(&self) -> Vec<u16> {
        self.nodes.values().filter(|node| node.live.is_some()).map(|node| node.number).collect()
    }

    /// The running half of a node.
    pub(crate) fn live(&self, number: u16) -> Option<&Live> {
        self.nodes.get(&number)?.live.as_ref()
    }

    /// The running node with this public key.
    pub(crate) fn number_of(&self, id: &PublicKey) -> Option<u16> {
        let id_text = id.to_string();
        self.nodes
            .values()
            .find(|node| match &node.live {
                Some(live) => live.id == *id,
                None => node.id() == id_text,
            })
            .map(|node| node.number)
    }

    /// The network's clock, in seconds since 1970: the newest block's time, and a second for each command since.
    pub(crate) fn now(&self) -> u64 {
        let chain = self.chain.borrow();
        let since = if self.meta.height == chain.height() { self.meta.seconds } else { 0 };
        u64::from(chain.tip().block.header.time) + u64::from(since)
    }

    /// [`now`](Self::now) as LDK wants it.
    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs(self.now())
    }

    /// Answers one call as bitcoind would, and lets the nodes see what it changed.
    pub(crate) fn bitcoind(
        &mut self,
        method: &str,
        params: serde_json::Value,
        wallet: Option<&str>,
    ) -> Res<Answer> {
        let answer = {
            let mut chain = self.chain.borrow_mut();
            let node = bitcoind::Node { chain: &mut chain, wallets: &mut self.wallets };
            bitcoind::dispatch(node, method, params, wallet)
        };
        self.chain.borrow_mut().stage(&self.store);
        self.wallets.stage(&self.store);
        if self.store.is_dirty() {
            self.settle();
        }
        answer
    }

    /// Stages everything that changed.
    pub(super) fn stage(&mut self) {
        self.chain.borrow_mut().stage(&self.store);
        self.wallets.stage(&self.store);
        for node in self.nodes.values_mut() {
            node.stage(&self.store);
        }
        if self.staged.as_ref() != Some(&self.meta) {
            let bytes = serde_json::to_vec(&self.meta).expect("the record is plain data");
            self.store.put(META, META_KEY, bytes);
            self.staged = Some(self.meta.clone());
        }
    }

    pub(super) fn tick_clock(&mut self) {
        let height = self.chain.borrow().height();
        if self.meta.height != height {
            self.meta.height = height;
            self.meta.seconds = 0;
        }
        self.meta.seconds = (self.meta.seconds + 1).min(MOST_SECONDS);
    }

    fn found(&mut self, nodes: u16) -> Result<(), WorldError> {
        let miner = self.shared_wallet()?;
        for _ in 0..SPARE_REWARDS + nodes / NODES_PER_REWARD {
            self.chain.borrow_mut().mine_to(&self.treasury.home());
        }
        for _ in 0..COINBASE_MATURITY {
            self.chain.borrow_mut().mine_to(&miner);
        }
        let numbers: Vec<u16> = (1..=nodes).collect();
        for number in &numbers {
            self.create_node(*number)?;
        }
        self.fund(&numbers);
        for number in numbers {
            self.start_node(number)?;
        }
        self.settle();
        Ok(self.store.commit()?)
    }

    /// Makes bitcoind's wallet, which the first blocks pay to, and gives its first address.
    fn shared_wallet(&mut self) -> Result<ScriptBuf, WorldError> {
        self.wallets.create(SHARED_WALLET, clock(0))?;
        let wallet = self.wallets.select_mut(Some(SHARED_WALLET))?;
        Ok(wallet.new_address(AddressKind::Bech32, "").script_pubkey())
    }

    fn resume(&mut self) -> Result<(), WorldError> {
        for node in Node::load_all(&self.store, &self.meta.seed)? {
            self.nodes.insert(node.number, node);
        }
        let running: Vec<u16> =
            self.nodes.values().filter(|node| node.should_run()).map(|node| node.number).collect();
        for number in running {
            self.wake_node(number)?;
        }
        self.enable_channels();
        self.update_channels();
        self.stage();
        Ok(self.store.commit()?)
    }
}

/// The name a node goes by.
pub(crate) fn alias(number: u16) -> String {
    format!("node-{number}")
}
