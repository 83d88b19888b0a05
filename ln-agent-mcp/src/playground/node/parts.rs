use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use bitcoin::Transaction;
use lightning::chain::Filter;
use lightning::chain::chaininterface::{BroadcasterInterface, ConfirmationTarget, FeeEstimator};
use lightning::chain::chainmonitor::ChainMonitor;
use lightning::ln::channelmanager::ChannelManager;
use lightning::ln::peer_handler::{IgnoringMessageHandler, PeerManager, SocketDescriptor};
use lightning::onion_message::messenger::OnionMessenger;
use lightning::routing::gossip::{NetworkGraph, P2PGossipSync};
use lightning::routing::router::DefaultRouter;
use lightning::routing::scoring::{ProbabilisticScorer, ProbabilisticScoringFeeParameters};
use lightning::sign::{InMemorySigner, KeysManager};
use lightning::util::logger::{Logger, Record};

use super::chain_view::ScidLookup;
use super::keys::Signers;
use super::messages::DirectRouter;
use super::monitors::Touched;
use super::offer_desk::OfferDesk;

/// What a playground transaction pays, in satoshis per 1,000 weight units: bitcoind's relay minimum.
pub(crate) const FEERATE_PER_KW: u32 = 253;

pub(crate) type Graph = NetworkGraph<Rc<Log>>;
pub(crate) type Scorer = ProbabilisticScorer<Rc<Graph>, Rc<Log>>;
pub(crate) type Router = DefaultRouter<
    Rc<Graph>,
    Rc<Log>,
    Rc<KeysManager>,
    Rc<RefCell<Scorer>>,
    ProbabilisticScoringFeeParameters,
    Scorer,
>;
pub(crate) type Monitors =
    ChainMonitor<InMemorySigner, Rc<dyn Filter>, Rc<Outbox>, Rc<Fees>, Rc<Log>, Rc<Touched>, Rc<KeysManager>>;
pub(crate) type Manager = ChannelManager<
    Rc<Monitors>,
    Rc<Outbox>,
    Rc<KeysManager>,
    Rc<KeysManager>,
    Rc<Signers>,
    Rc<Fees>,
    Rc<Router>,
    Rc<DirectRouter>,
    Rc<Log>,
>;
pub(crate) type Onions = OnionMessenger<
    Rc<KeysManager>,
    Rc<KeysManager>,
    Rc<Log>,
    Rc<Manager>,
    Rc<DirectRouter>,
    Rc<OfferDesk>,
    Rc<Manager>,
    IgnoringMessageHandler,
    IgnoringMessageHandler,
>;
pub(crate) type Gossip = P2PGossipSync<Rc<Graph>, Rc<ScidLookup>, Rc<Log>>;
pub(crate) type Peers = PeerManager<
    Socket,
    Rc<Manager>,
    Rc<Gossip>,
    Rc<Onions>,
    Rc<Log>,
    IgnoringMessageHandler,
    Rc<KeysManager>,
    Rc<Monitors>,
>;

/// LDK's log lines, handed to `tracing`.
#[derive(Debug)]
pub(crate) struct Log {
    /// The node's number, to tell the nodes of one process apart.
    pub(super) node: u16,
}

impl Logger for Log {
    fn log(&self, record: Record<'_>) {
        tracing::trace!(target: "ln_agent_mcp::playground::ldk", node = self.node, "{}", record.args);
    }
}

/// One fixed feerate: a playground has no fee market.
#[derive(Debug)]
pub(crate) struct Fees;

impl FeeEstimator for Fees {
    fn get_est_sat_per_1000_weight(&self, target: ConfirmationTarget) -> u32 {
        match target {
            ConfirmationTarget::MaximumFeeEstimate => 20 * FEERATE_PER_KW,
            _ => FEERATE_PER_KW,
        }
    }
}

/// Transactions that the node wants in the mempool.
#[derive(Debug, Default)]
pub(crate) struct Outbox(RefCell<Vec<Transaction>>);

impl Outbox {
    pub(super) fn take(&self) -> Vec<Transaction> {
        self.0.take()
    }
}

impl BroadcasterInterface for Outbox {
    fn broadcast_transactions(&self, txs: &[&Transaction]) {
        self.0.borrow_mut().extend(txs.iter().map(|tx| (*tx).clone()));
    }
}

/// One end of an in-memory connection: what it sends waits here until the network delivers it.
#[derive(Clone, Debug)]
pub(crate) struct Socket {
    id: u64,
    sent: Rc<RefCell<Vec<u8>>>,
    closed: Rc<RefCell<bool>>,
}

impl Socket {
    /// A fresh end; `id` is unique in the network.
    pub(crate) fn new(id: u64) -> Self {
        Self { id, sent: Rc::default(), closed: Rc::default() }
    }

    /// Takes what was sent since the last call.
    pub(crate) fn take_sent(&self) -> Vec<u8> {
        self.sent.take()
    }

    /// Adds bytes as if the node had sent them.
    pub(crate) fn push(&self, bytes: &[u8]) {
        self.sent.borrow_mut().extend_from_slice(bytes);
    }

    /// Marks the connection as hung up.
    pub(crate) fn close(&self) {
        *self.closed.borrow_mut() = true;
    }

    /// Whether the node hung up.
    pub(crate) fn is_closed(&self) -> bool {
        *self.closed.borrow()
    }
}

impl PartialEq for Socket {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Socket {}

impl Hash for Socket {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl SocketDescriptor for Socket {
    fn send_data(&mut self, data: &[u8], _resume_read: bool) -> usize {
        self.push(data);
        data.len()
    }

    fn disconnect_socket(&mut self) {
        *self.closed.borrow_mut() = true;
    }
}
