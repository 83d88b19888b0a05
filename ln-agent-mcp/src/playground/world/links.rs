use bitcoin::secp256k1::PublicKey;
use thiserror::Error;

use super::World;
use crate::playground::node::Socket;

/// Why two nodes cannot be connected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum LinkError {
    /// No node of the network has this key.
    #[error("no node has this id")]
    Unknown,
    /// The other node is stopped.
    #[error("the node is stopped")]
    Stopped,
    /// The node itself.
    #[error("that is the node itself")]
    Itself,
    /// Somebody holds the link up on purpose.
    #[error("the link is held up")]
    Held,
    /// The handshake failed, which in memory only a fault of ours can cause.
    #[error("the handshake failed")]
    Handshake,
}

/// An in-memory connection between two running nodes; the first opened it.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) from: (u16, Socket),
    pub(super) to: (u16, Socket),
}

impl Link {
    fn joins(&self, one: u16, other: u16) -> bool {
        (self.from.0, self.to.0) == (one, other) || (self.to.0, self.from.0) == (one, other)
    }

    /// The two nodes, the smaller number first.
    pub(super) fn pair(&self) -> (u16, u16) {
        pair(self.from.0, self.to.0)
    }

    fn touches(&self, number: u16) -> bool {
        self.from.0 == number || self.to.0 == number
    }
}

impl World {
    /// Connects a node to the running node with this key. True if they were not connected before.
    pub(crate) fn connect(&mut self, from: u16, id: &PublicKey) -> Result<bool, LinkError> {
        let to = self.number_of(id).ok_or(LinkError::Unknown)?;
        if to == from {
            return Err(LinkError::Itself);
        }
        let fresh = self.link(from, to)?;
        if fresh {
            self.enable_channels();
        }
        Ok(fresh)
    }

    /// Whether two nodes are connected.
    pub(crate) fn linked(&self, one: u16, other: u16) -> bool {
        self.links.iter().any(|link| link.joins(one, other))
    }

    /// Connects two nodes and lets them shake hands. True if they were not connected before.
    pub(super) fn link(&mut self, from: u16, to: u16) -> Result<bool, LinkError> {
        if self.linked(from, to) {
            return Ok(false);
        }
        if self.held.contains(&pair(from, to)) {
            return Err(LinkError::Held);
        }
        let (first, second) = (self.next_socket(), self.next_socket());
        let (Some(a), Some(b)) = (self.live(from), self.live(to)) else { return Err(LinkError::Stopped) };
        let hello =
            a.peers.new_outbound_connection(b.id, first.clone(), None).map_err(|_| LinkError::Handshake)?;
        b.peers.new_inbound_connection(second.clone(), None).map_err(|_| LinkError::Handshake)?;
        first.push(&hello);
        self.links.push(Link { from: (from, first), to: (to, second) });
        self.meta.peers.insert(pair(from, to));
        self.pump();
        Ok(true)
    }

    /// Cuts the link between two nodes, for good unless a channel or a command brings it back.
    pub(crate) fn unlink(&mut self, one: u16, other: u16) {
        self.meta.peers.remove(&pair(one, other));
        self.cut(|link| link.joins(one, other));
        self.pump();
    }

    /// Holds up everything that two nodes send each other, as a stalled network would: they take each other for
    /// connected, and what needs an answer waits. Nothing is kept of it beyond this run of the network.
    pub(crate) fn hold(&mut self, one: u16, other: u16) {
        self.held.insert(pair(one, other));
    }

    /// Delivers what was held up, and connects the nodes again if they gave each other up meanwhile.
    pub(crate) fn release(&mut self, one: u16, other: u16) {
        self.held.remove(&pair(one, other));
        self.pump();
        if self.meta.peers.contains(&pair(one, other))
            && let Err(error) = self.link(one, other)
        {
            tracing::debug!(one, other, %error, "a released link could not be made again");
        }
    }

    /// Cuts all links of a node; they come back when it starts again.
    pub(super) fn isolate(&mut self, number: u16) {
        self.cut(|link| link.touches(number));
    }

    /// Brings back the links of a node that has just started.
    pub(super) fn relink(&mut self, number: u16) {
        let peers: Vec<_> = self
            .meta
            .peers
            .iter()
            .filter(|(one, other)| *one == number || *other == number)
            .copied()
            .collect();
        for (one, other) in peers {
            let other = if one == number { other } else { one };
            if let Err(error) = self.link(number, other) {
                tracing::debug!(number, other, %error, "a peer could not be reconnected");
            }
        }
    }

    /// Drops links that one side has closed.
    pub(super) fn drop_closed(&mut self) -> bool {
        self.cut(|link| link.from.1.is_closed() || link.to.1.is_closed())
    }

    fn cut(&mut self, which: impl Fn(&Link) -> bool) -> bool {
        let (cut, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.links).into_iter().partition(which);
        self.links = kept;
        for link in &cut {
            for (number, socket) in [&link.from, &link.to] {
                if let Some(live) = self.live(*number)
                    && !socket.is_closed()
                {
                    live.peers.socket_disconnected(socket);
                }
            }
        }
        !cut.is_empty()
    }

    fn next_socket(&mut self) -> Socket {
        self.sockets += 1;
        Socket::new(self.sockets)
    }
}

/// Two nodes in the order that stands for both directions.
fn pair(one: u16, other: u16) -> (u16, u16) {
    (one.min(other), one.max(other))
}
