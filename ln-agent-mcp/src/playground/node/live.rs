use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::time::Duration;

use bitcoin::Network;
use bitcoin::Transaction;
use bitcoin::secp256k1::PublicKey;
use lightning::chain::{BestBlock, Listen};
use lightning::events::{Event, EventsProvider};
use lightning::ln::channelmanager::{ChainParameters, ChannelManager};
use lightning::ln::peer_handler::{IgnoringMessageHandler, MessageHandler};
use lightning::routing::gossip::{ChannelUpdateInfo, NodeId};
use lightning::routing::router::Path;
use lightning::routing::scoring::{
    ProbabilisticScorer, ProbabilisticScoringDecayParameters, ProbabilisticScoringFeeParameters, ScoreUpdate,
};
use lightning::sign::{EntropySource, KeysManager, NodeSigner};
use lightning::util::config::UserConfig;
use lightning::util::ser::Writeable;

use super::chain_view::{ScidLookup, SharedChain};
use super::keys::{NodeSeed, Signers};
use super::messages::DirectRouter;
use super::monitors::Touched;
use super::offer_desk::OfferDesk;
use super::parts::{Fees, Gossip, Graph, Log, Manager, Monitors, Onions, Outbox, Peers, Router, Scorer};
use super::restore::{self, Saved};
use crate::playground::store::{Store, StoreError};

/// Rounds in which a payment that arrives is decoded, forwarded and answered.
const FORWARD_ROUNDS: usize = 3;

/// A node's running half: LDK's objects, wired together.
pub(crate) struct Live {
    pub(crate) id: PublicKey,
    pub(crate) keys: Rc<KeysManager>,
    pub(crate) manager: Rc<Manager>,
    pub(crate) monitors: Rc<Monitors>,
    pub(crate) peers: Peers,
    pub(crate) graph: Rc<Graph>,
    pub(crate) router: Rc<Router>,
    pub(crate) desk: Rc<OfferDesk>,
    onions: Rc<Onions>,
    scorer: Rc<RefCell<Scorer>>,
    scored: bool,
    outbox: Rc<Outbox>,
    touched: Rc<Touched>,
    graph_print: u64,
}

impl std::fmt::Debug for Live {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Live").field("id", &self.id).finish_non_exhaustive()
    }
}

/// What became of one path of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathEnd {
    Arrived,
    /// The channel it failed at, where that is known.
    FailedAt(Option<u64>),
}

/// The parts that a saved node is read back with.
pub(crate) struct Wiring {
    pub(super) keys: Rc<KeysManager>,
    pub(super) signers: Rc<Signers>,
    pub(super) fees: Rc<Fees>,
    pub(super) log: Rc<Log>,
    pub(super) outbox: Rc<Outbox>,
    pub(super) monitors: Rc<Monitors>,
    pub(super) router: Rc<Router>,
    pub(super) messages: Rc<DirectRouter>,
}

impl Live {
    /// Starts a node from what it saved, or anew where nothing is saved, and shows it the chain's blocks since.
    ///
    /// `starts` counts the node's starts, this one included.
    pub(super) fn start(
        seed: NodeSeed,
        number: u16,
        starts: u32,
        home: bitcoin::ScriptBuf,
        saved: &Saved,
        chain: &SharedChain,
    ) -> Result<Self, StoreError> {
        let keys = Rc::new(seed.keys(starts));
        let log = Rc::new(Log { node: number });
        let outbox = Rc::new(Outbox::default());
        let fees = Rc::new(Fees);
        let touched = Rc::new(Touched::default());
        let monitors = Rc::new(Monitors::new(
            None,
            Rc::clone(&outbox),
            Rc::clone(&log),
            Rc::clone(&fees),
            Rc::clone(&touched),
            Rc::clone(&keys),
            keys.get_peer_storage_key(),
        ));
        let (graph, scorer) = restore::routing(saved, &log)?;
        let router = Rc::new(Router::new(
            Rc::clone(&graph),
            Rc::clone(&log),
            Rc::clone(&keys),
            Rc::clone(&scorer),
            ProbabilisticScoringFeeParameters::default(),
        ));
        let messages = Rc::new(DirectRouter(Rc::clone(&keys)));
        let signers = Rc::new(Signers::new(Rc::clone(&keys), home));
        let wiring = Wiring { keys, signers, fees, log, outbox, monitors, router, messages };
        let manager = match &saved.manager {
            Some(bytes) => restore::manager(bytes, &saved.monitors, &wiring, chain)?,
            None => new_manager(&wiring, chain),
        };
        Ok(Self::wire(wiring, manager, graph, scorer, touched, chain))
    }

    fn wire(
        wiring: Wiring,
        manager: Rc<Manager>,
        graph: Rc<Graph>,
        scorer: Rc<RefCell<Scorer>>,
        touched: Rc<Touched>,
        chain: &SharedChain,
    ) -> Self {
        let Wiring { keys, log, outbox, monitors, router, messages, .. } = wiring;
        let desk = Rc::new(OfferDesk::new(Rc::clone(&manager)));
        let onions = Rc::new(Onions::new(
            Rc::clone(&keys),
            Rc::clone(&keys),
            Rc::clone(&log),
            Rc::clone(&manager),
            messages,
            Rc::clone(&desk),
            Rc::clone(&manager),
            IgnoringMessageHandler {},
            IgnoringMessageHandler {},
        ));
        let lookup = Rc::new(ScidLookup(Rc::clone(chain)));
        let handlers = MessageHandler {
            chan_handler: Rc::clone(&manager),
            route_handler: Rc::new(Gossip::new(Rc::clone(&graph), Some(lookup), Rc::clone(&log))),
            onion_message_handler: Rc::clone(&onions),
            custom_message_handler: IgnoringMessageHandler {},
            send_only_message_handler: Rc::clone(&monitors),
        };
        let time = chain.borrow().tip().block.header.time;
        let peers = Peers::new(handlers, time, &keys.get_secure_random_bytes(), log, Rc::clone(&keys));
        Self {
            id: manager.get_our_node_id(),
            keys,
            manager,
            monitors,
            peers,
            graph_print: fingerprint(&graph),
            graph,
            router,
            desk,
            onions,
            scorer,
            scored: false,
            outbox,
            touched,
        }
    }

    /// Lets LDK work off what came in, and gives its events. What it has to say to others is then in its sockets.
    pub(crate) fn work(&self) -> Vec<Event> {
        self.peers.process_events();
        // LDK asks for this as long as a payment is pending, so asking is no sign that anything happens.
        for _ in 0..FORWARD_ROUNDS {
            if self.manager.needs_pending_htlc_processing() {
                self.manager.process_pending_htlc_forwards();
            }
        }
        let events = RefCell::new(Vec::new());
        let keep = |event: Event| {
            events.borrow_mut().push(event);
            Ok(())
        };
        self.manager.process_pending_events(&keep);
        self.monitors.process_pending_events(&keep);
        self.onions.process_pending_events(&keep);
        self.peers.process_events();
        events.into_inner()
    }

    /// Transactions to put in the mempool.
    pub(crate) fn take_transactions(&self) -> Vec<Transaction> {
        self.outbox.take()
    }

    /// Moves the node's view one block towards the chain's tip. False if it is there.
    pub(crate) fn follow(&self, chain: &SharedChain) -> bool {
        let chain = chain.borrow();
        let best = self.manager.current_best_block();
        if best.block_hash == chain.tip().hash {
            return false;
        }
        let fork = restore::fork_point(&chain, best);
        if fork.block_hash != best.block_hash {
            self.monitors.blocks_disconnected(fork);
            self.manager.blocks_disconnected(fork);
            return true;
        }
        match chain.entry_at(best.height + 1) {
            Some(next) => {
                self.monitors.block_connected(&next.block, next.height);
                self.manager.block_connected(&next.block, next.height);
                true
            }
            None => false,
        }
    }

    /// LDK's once-a-minute chores: fee updates, retries given up, stale requests forgotten.
    pub(crate) fn tick(&self) {
        self.manager.timer_tick_occurred();
        self.peers.timer_tick_occurred();
        self.monitors.archive_fully_resolved_channel_monitors();
    }

    /// Teaches the scorer what became of a path.
    pub(crate) fn score(&mut self, path: &Path, end: PathEnd, now: Duration) {
        let mut scorer = self.scorer.borrow_mut();
        match end {
            PathEnd::Arrived => scorer.payment_path_successful(path, now),
            PathEnd::FailedAt(Some(scid)) => scorer.payment_path_failed(path, scid, now),
            PathEnd::FailedAt(None) => return,
        }
        self.scored = true;
    }

    /// Whether the world takes a usable channel of this node for disabled.
    pub(crate) fn has_disabled_channel(&self) -> bool {
        let graph = self.graph.read_only();
        let id = NodeId::from_pubkey(&self.id);
        let channels = self.manager.list_usable_channels();
        channels.iter().filter_map(|channel| graph.channel(channel.short_channel_id?)).any(|channel| {
            let update = if channel.node_one == id { &channel.one_to_two } else { &channel.two_to_one };
            update.as_ref().is_some_and(|update| !update.enabled)
        })
    }

    /// Whether the node's own announcement is in its graph.
    pub(crate) fn is_announced(&self) -> bool {
        let graph = self.graph.read_only();
        let id = NodeId::from_pubkey(&self.id);
        graph.nodes().get(&id).is_some_and(|node| node.announcement_info.is_some())
    }

    /// Stages what changed since the last call, and what has to be forgotten.
    pub(super) fn stage(&mut self, store: &Store, key: &[u8]) {
        for id in self.touched.take_changed() {
            if let Ok(monitor) = self.monitors.get_monitor(id) {
                store.put(restore::MONITORS, &[key, &id.0].concat(), monitor.encode());
            }
        }
        // Archived monitors are keyed by channel id; the one the name stands for is no longer listed.
        if !self.touched.take_archived().is_empty() {
            restore::forget_monitors(store, key, &self.monitors.list_monitors());
        }
        if self.manager.get_and_clear_needs_persistence() {
            store.put(restore::MANAGER, key, self.manager.encode());
        }
        let print = fingerprint(&self.graph);
        if print != self.graph_print {
            self.graph_print = print;
            store.put(restore::GRAPH, key, self.graph.encode());
        }
        if std::mem::take(&mut self.scored) {
            store.put(restore::SCORER, key, self.scorer.borrow().encode());
        }
    }
}

fn new_manager(wiring: &Wiring, chain: &SharedChain) -> Rc<Manager> {
    let chain = chain.borrow();
    let tip = chain.tip();
    let parameters =
        ChainParameters { network: Network::Regtest, best_block: BestBlock::new(tip.hash, tip.height) };
    Rc::new(ChannelManager::new(
        Rc::clone(&wiring.fees),
        Rc::clone(&wiring.monitors),
        Rc::clone(&wiring.outbox),
        Rc::clone(&wiring.router),
        Rc::clone(&wiring.messages),
        Rc::clone(&wiring.log),
        Rc::clone(&wiring.keys),
        Rc::clone(&wiring.keys),
        Rc::clone(&wiring.signers),
        user_config(),
        parameters,
        tip.block.header.time,
    ))
}

/// Core Lightning's defaults on regtest where LDK's differ: one confirmation, fees of 1 msat + 10 ppm, and no
/// limit on what may be in flight.
pub(crate) fn user_config() -> UserConfig {
    let mut config = UserConfig::default();
    config.channel_handshake_config.minimum_depth = 1;
    config.channel_handshake_config.announce_for_forwarding = true;
    config.channel_handshake_config.max_inbound_htlc_value_in_flight_percent_of_channel = 100;
    config.channel_handshake_config.our_max_accepted_htlcs = 483;
    config.channel_handshake_config.commit_upfront_shutdown_pubkey = false;
    config.channel_handshake_limits.max_funding_satoshis = bitcoin::Amount::MAX_MONEY.to_sat();
    config.channel_handshake_limits.force_announced_channel_preference = false;
    // Both sides see the same feerate, so there is nothing to concede when a channel closes.
    config.channel_config.force_close_avoidance_max_fee_satoshis = 0;
    config.channel_config.forwarding_fee_base_msat = 1;
    config.channel_config.forwarding_fee_proportional_millionths = 10;
    config.accept_forwards_to_priv_channels = true;
    config.manually_handle_bolt12_invoices = true;
    config
}

/// Changes whenever gossip changed the graph. Cheap, because playground graphs are small; a sum, because the graph has
/// no order.
fn fingerprint(graph: &Graph) -> u64 {
    fn print(entry: impl Hash) -> u64 {
        let mut hasher = DefaultHasher::new();
        entry.hash(&mut hasher);
        hasher.finish()
    }
    let graph = graph.read_only();
    let mut sum = 0_u64;
    for (scid, channel) in graph.channels().unordered_iter() {
        let stamp = |update: &Option<ChannelUpdateInfo>| {
            update.as_ref().map(|update| (update.last_update, update.enabled))
        };
        sum = sum.wrapping_add(print((scid, stamp(&channel.one_to_two), stamp(&channel.two_to_one))));
    }
    for (id, node) in graph.nodes().unordered_iter() {
        let stamp = node.announcement_info.as_ref().map(|info| info.last_update());
        sum = sum.wrapping_add(print((id.as_slice(), stamp)));
    }
    sum
}

/// A scorer over an empty history.
pub(super) fn new_scorer(graph: &Rc<Graph>, log: &Rc<Log>) -> Scorer {
    ProbabilisticScorer::new(ProbabilisticScoringDecayParameters::default(), Rc::clone(graph), Rc::clone(log))
}
