//! The thread that owns a network: takes commands one by one, and answers when what they changed is durable.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::bitcoind::{Answer as BitcoinAnswer, RpcCall};
use super::chain::{Res, RpcErr};
use super::lightningd::{Answer, Call, Params, RpcError, Wait, method};
use super::network::{CallError, NodeStates};
use super::world::World;

/// The answer to a call of Core Lightning's RPC.
#[derive(Debug)]
pub(super) enum Reply {
    Done(Result<Value, RpcError>),
    /// The call waits; after `timeout` its caller gives up by its ticket.
    Later {
        ticket: u64,
        timeout: Option<Duration>,
        answer: oneshot::Receiver<Result<Value, RpcError>>,
    },
}

/// What can be asked of the network's thread.
#[derive(Debug)]
pub(super) enum Command {
    Lightning {
        node: u16,
        method: String,
        params: Value,
        reply: oneshot::Sender<Result<Reply, CallError>>,
    },
    GiveUp {
        ticket: u64,
    },
    Bitcoind {
        call: RpcCall,
        reply: oneshot::Sender<Res<BitcoinAnswer>>,
    },
    Nodes {
        reply: oneshot::Sender<NodeStates>,
    },
    Create {
        node: u16,
        reply: oneshot::Sender<Result<(), RpcError>>,
    },
    Start {
        node: u16,
        reply: oneshot::Sender<Result<bool, RpcError>>,
    },
    Stop {
        node: u16,
        reply: oneshot::Sender<Result<bool, RpcError>>,
    },
    Delete {
        node: u16,
        force: bool,
        reply: oneshot::Sender<Result<bool, RpcError>>,
    },
    Hold {
        one: u16,
        other: u16,
        held: bool,
        reply: oneshot::Sender<Result<(), RpcError>>,
    },
    Reset {
        nodes: u16,
        reply: oneshot::Sender<Result<(), RpcError>>,
    },
    /// Answered when the network is gone and its directory free.
    Close {
        reply: oneshot::Sender<()>,
    },
}

/// A call that waits for its event.
#[derive(Debug)]
struct Parked {
    node: u16,
    wait: Wait,
    reply: oneshot::Sender<Result<Value, RpcError>>,
}

/// Owns the world. Ends when all handles are dropped, or when its state cannot be saved.
#[derive(Debug)]
pub(super) struct Actor {
    world: World,
    parked: BTreeMap<u64, Parked>,
    tickets: u64,
}

impl Actor {
    pub(super) fn new(world: World) -> Self {
        Self { world, parked: BTreeMap::new(), tickets: 0 }
    }

    pub(super) fn run(mut self, mut inbox: mpsc::UnboundedReceiver<Command>) {
        while let Some(command) = inbox.blocking_recv() {
            if let Command::Close { reply } = command {
                drop(self);
                drop(inbox);
                // A closer that does not wait for the end needs no answer.
                reply.send(()).ok();
                return;
            }
            if !self.handle(command) {
                return;
            }
            self.wake();
        }
    }

    /// False if the state could not be saved: memory is then ahead of the disk, and only a restart helps.
    fn handle(&mut self, command: Command) -> bool {
        match command {
            Command::Lightning { node, method, params, reply } => {
                let outcome = self.lightning(node, &method, params);
                self.finish(reply, outcome, |error| Ok(Reply::Done(Err(error))))
            }
            Command::GiveUp { ticket } => {
                if let Some(parked) = self.parked.remove(&ticket) {
                    drop(parked.reply.send(Err(parked.wait.late)));
                }
                true
            }
            Command::Bitcoind { call, reply } => {
                let wallet = call.wallet.as_deref();
                let outcome = self.world.bitcoind(&call.method, call.params, wallet);
                self.finish(reply, outcome, |error| Err(RpcErr::new(error.code, error.message)))
            }
            Command::Nodes { reply } => {
                let nodes = self.world.nodes.values().map(|node| (node.number, node.live.is_some()));
                drop(reply.send(nodes.collect()));
                true
            }
            Command::Create { node, reply } => {
                let outcome = self.change(|world| {
                    world.create_node(node)?;
                    world.fund(&[node]);
                    Ok(())
                });
                self.finish(reply, outcome, Err)
            }
            Command::Start { node, reply } => {
                let was_down = self.world.live(node).is_none();
                let outcome = self.change(|world| world.start_node(node).map(|()| was_down));
                self.finish(reply, outcome, Err)
            }
            Command::Stop { node, reply } => {
                let was_up = self.world.live(node).is_some();
                let outcome = self.change(|world| world.stop_node(node).map(|()| was_up));
                self.finish(reply, outcome, Err)
            }
            Command::Delete { node, force, reply } => {
                let known = self.world.nodes.contains_key(&node);
                let outcome = if known {
                    self.change(|world| world.delete_node(node, force).map(|()| true))
                } else {
                    Ok(false)
                };
                self.finish(reply, outcome, Err)
            }
            Command::Hold { one, other, held, reply } => {
                let outcome = self.change(|world| {
                    if held {
                        world.hold(one, other);
                    } else {
                        world.release(one, other);
                    }
                    Ok(())
                });
                self.finish(reply, outcome, Err)
            }
            // `run` has taken it out.
            Command::Close { .. } => false,
            Command::Reset { nodes, reply } => {
                self.parked.clear();
                let outcome = self.world.reset(nodes).map_err(|error| RpcError::new(-1, error.to_string()));
                self.finish(reply, outcome, Err)
            }
        }
    }

    fn lightning(&mut self, node: u16, name: &str, params: Value) -> Result<Reply, CallError> {
        if self.world.live(node).is_none() {
            return Err(CallError::Down(node));
        }
        let unknown = || RpcError::new(-32601, format!("Unknown command '{name}'"));
        let outcome = match method(name) {
            None => Err(unknown()),
            Some(method) => Params::bind(method.params, params).and_then(|params| {
                let mut call = Call { world: &mut self.world, me: node, params };
                let outcome = (method.run)(&mut call);
                if method.writes {
                    self.world.settle();
                }
                outcome
            }),
        };
        Ok(match outcome {
            Ok(Answer::Done(value)) => Reply::Done(Ok(value)),
            Ok(Answer::Later(wait)) => self.park(node, wait),
            Err(error) => Reply::Done(Err(error)),
        })
    }

    fn park(&mut self, node: u16, wait: Wait) -> Reply {
        self.tickets += 1;
        let (reply, answer) = oneshot::channel();
        let timeout = wait.timeout;
        self.parked.insert(self.tickets, Parked { node, wait, reply });
        Reply::Later { ticket: self.tickets, timeout, answer }
    }

    fn change<T>(
        &mut self,
        action: impl FnOnce(&mut World) -> Result<T, super::world::WorldError>,
    ) -> Result<T, RpcError> {
        let outcome = action(&mut self.world).map_err(|error| RpcError::new(-1, error.to_string()));
        self.world.settle();
        outcome
    }

    /// Makes the command durable, then answers it.
    fn finish<T>(
        &mut self,
        reply: oneshot::Sender<T>,
        outcome: T,
        failed: impl FnOnce(RpcError) -> T,
    ) -> bool {
        let saved = self.world.store.commit();
        let outcome = match &saved {
            Ok(()) => outcome,
            Err(error) => {
                tracing::error!(%error, "the network stops, because its state cannot be saved");
                failed(RpcError::new(-1, error.to_string()))
            }
        };
        // A caller that hung up does not undo what it asked for.
        drop(reply.send(outcome));
        saved.is_ok()
    }

    /// Answers waiting calls whose event has come; those of stopped nodes end without an answer.
    fn wake(&mut self) {
        let parked = std::mem::take(&mut self.parked);
        for (ticket, parked) in parked {
            if self.world.live(parked.node).is_none() || parked.reply.is_closed() {
                continue;
            }
            match (parked.wait.ready)(&self.world) {
                Some(outcome) => drop(parked.reply.send(outcome)),
                None => drop(self.parked.insert(ticket, parked)),
            }
        }
    }
}
