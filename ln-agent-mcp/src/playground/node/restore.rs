//! Reads a node back from what it saved.

use std::cell::RefCell;
use std::rc::Rc;

use bitcoin::BlockHash;
use bitcoin::Network;
use lightning::chain::channelmonitor::ChannelMonitor;
use lightning::chain::{BestBlock, Listen};
use lightning::ln::channelmanager::ChannelManagerReadArgs;
use lightning::ln::types::ChannelId;
use lightning::routing::scoring::ProbabilisticScoringDecayParameters;
use lightning::sign::InMemorySigner;
use lightning::util::ser::ReadableArgs;

use super::chain_view::SharedChain;
use super::live::{Wiring, new_scorer, user_config};
use super::parts::{Graph, Log, Manager, Scorer};
use crate::playground::chain::Chain;
use crate::playground::store::{Store, StoreError};

pub(super) const MANAGER: &str = "ln_manager";
pub(super) const MONITORS: &str = "ln_monitor";
pub(super) const GRAPH: &str = "ln_graph";
pub(super) const SCORER: &str = "ln_scorer";

/// LDK's serialised state of one node.
#[derive(Debug, Default)]
pub(crate) struct Saved {
    pub(super) manager: Option<Vec<u8>>,
    pub(super) monitors: Vec<Vec<u8>>,
    graph: Option<Vec<u8>>,
    scorer: Option<Vec<u8>>,
}

impl Saved {
    pub(super) fn read(store: &Store, key: &[u8]) -> Result<Self, StoreError> {
        Ok(Self {
            manager: store.get(MANAGER, key)?,
            monitors: store.scan(MONITORS, key)?.into_iter().map(|(_, bytes)| bytes).collect(),
            graph: store.get(GRAPH, key)?,
            scorer: store.get(SCORER, key)?,
        })
    }

    /// Stages the removal of it all.
    pub(super) fn erase(store: &Store, key: &[u8]) -> Result<(), StoreError> {
        for table in [MANAGER, GRAPH, SCORER] {
            store.delete(table, key);
        }
        for (row, _) in store.scan(MONITORS, key)? {
            store.delete(MONITORS, &row);
        }
        Ok(())
    }
}

/// Stages the removal of monitors that LDK no longer watches.
pub(super) fn forget_monitors(store: &Store, key: &[u8], watched: &[ChannelId]) {
    let Ok(rows) = store.scan(MONITORS, key) else { return };
    for (row, _) in rows {
        if !watched.iter().any(|id| row.ends_with(&id.0)) {
            store.delete(MONITORS, &row);
        }
    }
}

/// The graph and the scorer, empty where nothing is saved.
pub(super) fn routing(saved: &Saved, log: &Rc<Log>) -> Result<(Rc<Graph>, Rc<RefCell<Scorer>>), StoreError> {
    let graph = match &saved.graph {
        Some(bytes) => {
            Graph::read(&mut bytes.as_slice(), Rc::clone(log)).map_err(|_| damaged("a network graph"))?
        }
        None => Graph::new(Network::Regtest, Rc::clone(log)),
    };
    let graph = Rc::new(graph);
    let scorer = match &saved.scorer {
        Some(bytes) => {
            let decay = ProbabilisticScoringDecayParameters::default();
            let args = (decay, Rc::clone(&graph), Rc::clone(log));
            Scorer::read(&mut bytes.as_slice(), args).map_err(|_| damaged("a route scorer"))?
        }
        None => new_scorer(&graph, log),
    };
    Ok((graph, Rc::new(RefCell::new(scorer))))
}

/// The channel manager with its monitors, all brought to the chain's tip.
pub(super) fn manager(
    bytes: &[u8],
    monitors: &[Vec<u8>],
    wiring: &Wiring,
    chain: &SharedChain,
) -> Result<Rc<Manager>, StoreError> {
    let args = (wiring.keys.as_ref(), wiring.signers.as_ref());
    let mut read = Vec::new();
    for bytes in monitors {
        let (_, monitor) = <(BlockHash, ChannelMonitor<InMemorySigner>)>::read(&mut bytes.as_slice(), args)
            .map_err(|_| damaged("a channel monitor"))?;
        read.push(monitor);
    }
    let args = ChannelManagerReadArgs::new(
        Rc::clone(&wiring.keys),
        Rc::clone(&wiring.keys),
        Rc::clone(&wiring.signers),
        Rc::clone(&wiring.fees),
        Rc::clone(&wiring.monitors),
        Rc::clone(&wiring.outbox),
        Rc::clone(&wiring.router),
        Rc::clone(&wiring.messages),
        Rc::clone(&wiring.log),
        user_config(),
        read.iter().collect(),
    );
    let (_, manager) =
        <(BlockHash, Manager)>::read(&mut &*bytes, args).map_err(|_| damaged("a channel manager"))?;
    let chain = chain.borrow();
    catch_up(&chain, manager.current_best_block(), &manager);
    for monitor in read {
        let id = monitor.channel_id();
        let best = monitor.current_best_block();
        let watched = (monitor, Rc::clone(&wiring.outbox), Rc::clone(&wiring.fees), Rc::clone(&wiring.log));
        catch_up(&chain, best, &watched);
        wiring.monitors.load_existing_monitor(id, watched.0).map_err(|()| damaged("a channel monitor"))?;
    }
    Ok(Rc::new(manager))
}

/// Shows a listener every block between its view and the tip.
fn catch_up(chain: &Chain, best: BestBlock, listener: &impl Listen) {
    let fork = fork_point(chain, best);
    if fork.block_hash != best.block_hash {
        listener.blocks_disconnected(fork);
    }
    for entry in (fork.height + 1..=chain.height()).filter_map(|height| chain.entry_at(height)) {
        listener.block_connected(&entry.block, entry.height);
    }
}

/// The newest block at or below `best` that is still part of the active chain.
pub(super) fn fork_point(chain: &Chain, best: BestBlock) -> BestBlock {
    let mut hash = best.block_hash;
    while let Some(entry) = chain.entry(&hash) {
        if chain.is_active(entry) {
            return BestBlock::new(entry.hash, entry.height);
        }
        hash = entry.block.header.prev_blockhash;
    }
    best
}

fn damaged(what: &str) -> StoreError {
    StoreError::Damaged(what.to_owned())
}
