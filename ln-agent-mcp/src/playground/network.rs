use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use serde_json::Value;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};

use super::actor::{Actor, Command, Reply};
use super::bitcoind::{Answer, RpcCall};
use super::chain::Res;
use super::lightningd::RpcError;
use super::store::{Store, StoreError};
use super::world::{World, WorldError};

/// Why a network cannot be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// Its state cannot be read or saved.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A new network cannot be set up.
    #[error("the network cannot be set up: {0}")]
    Setup(String),
    /// The operating system gives no thread.
    #[error("no thread for the network: {0}")]
    Thread(#[source] std::io::Error),
}

/// Why a call has no result.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CallError {
    /// The node refused, with Core Lightning's code and words.
    #[error(transparent)]
    Rpc(#[from] RpcError),
    /// The node does not exist or does not run.
    #[error("node {0} is not running")]
    Down(u16),
    /// The network has stopped, or the node stopped while the call was waiting.
    #[error("the playground network stopped before it answered")]
    Gone,
}

/// A running playground network. Clones drive the same network; it ends when the last one is dropped.
///
/// # Examples
///
/// ```
/// use ln_agent_mcp::playground::Network;
/// use serde_json::json;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let network = Network::in_memory([7; 32], 2)?;
/// let info = network.lightning(1, "getinfo", json!({})).await?;
/// assert_eq!(info["network"], "regtest");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Network {
    commands: mpsc::UnboundedSender<Command>,
    sent: Arc<AtomicU64>,
}

/// Whether each node runs, by number.
pub type NodeStates = BTreeMap<u16, bool>;

impl Network {
    /// Opens the network kept in `dir`; an empty directory gets a new one of `nodes` running, funded nodes.
    ///
    /// `seed` decides every key and id of a new network; an existing one keeps the seed it was made with.
    ///
    /// # Errors
    ///
    /// [`NetworkError::Store`] if another process has the directory open, or its state cannot be read.
    pub fn open(dir: &Path, seed: [u8; 32], nodes: u16) -> Result<Self, NetworkError> {
        Self::start(Store::open(dir)?, seed, nodes)
    }

    /// A new network that lives as long as its handles.
    ///
    /// # Errors
    ///
    /// [`NetworkError::Thread`] if the operating system gives no thread.
    pub fn in_memory(seed: [u8; 32], nodes: u16) -> Result<Self, NetworkError> {
        Self::start(Store::in_memory()?, seed, nodes)
    }

    fn start(store: Store, seed: [u8; 32], nodes: u16) -> Result<Self, NetworkError> {
        let (commands, inbox) = mpsc::unbounded_channel();
        let (opened, result) = std::sync::mpsc::sync_channel(1);
        thread::Builder::new()
            .name("playground".to_owned())
            .spawn(move || match World::open(store, seed, nodes) {
                Ok(world) => {
                    // The opener waits for this very message, so it cannot be gone.
                    if opened.send(Ok(())).is_ok() {
                        Actor::new(world).run(inbox);
                    }
                }
                Err(error) => drop(opened.send(Err(error))),
            })
            .map_err(NetworkError::Thread)?;
        match result.recv() {
            Ok(Ok(())) => Ok(Self { commands, sent: Arc::default() }),
            Ok(Err(WorldError::Store(error))) => Err(NetworkError::Store(error)),
            Ok(Err(error)) => Err(NetworkError::Setup(error.to_string())),
            Err(_) => Err(NetworkError::Setup("its thread ended at once; this is a bug".to_owned())),
        }
    }

    /// Calls a method of a node's Core Lightning RPC. Waits as long as the method does.
    ///
    /// # Errors
    ///
    /// [`CallError::Rpc`] with Core Lightning's code if the node refuses, [`CallError::Down`] if it does not run.
    pub async fn lightning(&self, node: u16, method: &str, params: Value) -> Result<Value, CallError> {
        let (reply, answer) = oneshot::channel();
        self.send(Command::Lightning { node, method: method.to_owned(), params, reply })?;
        match answer.await.map_err(|_| CallError::Gone)?? {
            Reply::Done(outcome) => Ok(outcome?),
            Reply::Later { ticket, timeout, mut answer } => {
                let Some(timeout) = timeout else { return Ok(answer.await.map_err(|_| CallError::Gone)??) };
                tokio::select! {
                    outcome = &mut answer => return Ok(outcome.map_err(|_| CallError::Gone)??),
                    () = tokio::time::sleep(timeout) => {}
                }
                self.send(Command::GiveUp { ticket })?;
                Ok(answer.await.map_err(|_| CallError::Gone)??)
            }
        }
    }

    /// Hands a call to the network's bitcoind; the answer comes when it is durable.
    #[must_use]
    pub fn bitcoind(&self, call: RpcCall) -> oneshot::Receiver<Res<Answer>> {
        let (reply, answer) = oneshot::channel();
        // If the network is gone, the dropped sender tells the caller so.
        drop(self.send(Command::Bitcoind { call, reply }));
        answer
    }

    /// Waits until the network has ended: closed, or unable to save its state.
    pub async fn ended(&self) {
        self.commands.closed().await;
    }

    /// Which nodes exist, and whether they run.
    ///
    /// # Errors
    ///
    /// [`CallError::Gone`] if the network has stopped.
    pub async fn nodes(&self) -> Result<NodeStates, CallError> {
        self.ask(|reply| Command::Nodes { reply }).await
    }

    /// Makes a node, funded but not started.
    ///
    /// # Errors
    ///
    /// [`CallError::Rpc`] if it exists already or its number is 0.
    pub async fn create_node(&self, node: u16) -> Result<(), CallError> {
        Ok(self.ask(|reply| Command::Create { node, reply }).await??)
    }

    /// Starts a node; one that runs stays as it is. True if it was stopped before.
    ///
    /// # Errors
    ///
    /// [`CallError::Rpc`] if it does not exist.
    pub async fn start_node(&self, node: u16) -> Result<bool, CallError> {
        Ok(self.ask(|reply| Command::Start { node, reply }).await??)
    }

    /// Stops a node; one that is stopped stays as it is. True if it was running before.
    ///
    /// # Errors
    ///
    /// [`CallError::Rpc`] if it does not exist.
    pub async fn stop_node(&self, node: u16) -> Result<bool, CallError> {
        Ok(self.ask(|reply| Command::Stop { node, reply }).await??)
    }

    /// Forgets a node with its wallet and channels; `force` stops it first. False if there was none.
    ///
    /// # Errors
    ///
    /// [`CallError::Rpc`] if it runs and `force` is not given.
    pub async fn delete_node(&self, node: u16, force: bool) -> Result<bool, CallError> {
        Ok(self.ask(|reply| Command::Delete { node, force, reply }).await??)
    }

    /// Holds up everything that two nodes send each other, until it is released by `held` being false.
    ///
    /// For tests of what happens when an answer does not come: a payment over a held link stays pending.
    ///
    /// # Errors
    ///
    /// [`CallError::Gone`] if the network has stopped.
    pub async fn hold_link(&self, one: u16, other: u16, held: bool) -> Result<(), CallError> {
        Ok(self.ask(|reply| Command::Hold { one, other, held, reply }).await??)
    }

    /// Replaces the network by a new one of the same seed.
    ///
    /// # Errors
    ///
    /// [`CallError::Rpc`] if the new one cannot be set up.
    pub async fn reset(&self, nodes: u16) -> Result<(), CallError> {
        Ok(self.ask(|reply| Command::Reset { nodes, reply }).await??)
    }

    /// How many commands were sent so far: one that does not grow is one that nobody uses.
    #[must_use]
    pub fn commands_sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Ends the network once what was asked before is done; its directory is then free. Other handles get
    /// [`CallError::Gone`].
    pub async fn close(self) {
        // An error means that it had ended already.
        drop(self.ask(|reply| Command::Close { reply }).await);
    }

    async fn ask<T>(&self, command: impl FnOnce(oneshot::Sender<T>) -> Command) -> Result<T, CallError> {
        let (reply, answer) = oneshot::channel();
        self.send(command(reply))?;
        answer.await.map_err(|_| CallError::Gone)
    }

    fn send(&self, command: Command) -> Result<(), CallError> {
        self.sent.fetch_add(1, Ordering::Relaxed);
        self.commands.send(command).map_err(|_| CallError::Gone)
    }
}
