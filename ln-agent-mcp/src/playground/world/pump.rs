use super::{World, alias};

/// Blocks of one command after which the nodes do their once-a-minute chores; later blocks of a long run bring
/// nothing new.
const BLOCK_CHORES: u32 = 12;
/// Rounds of chores after which LDK enables a channel; its own limit is five.
const ENABLE_ROUNDS: u32 = 7;
/// Commands between two rounds of chores while no block is mined.
const CHORES_EVERY: u64 = 10;

impl World {
    /// Delivers messages and events until the whole network is at rest.
    pub(crate) fn pump(&mut self) {
        loop {
            let mut busy = false;
            for number in self.running() {
                busy |= self.work(number);
            }
            busy |= self.deliver();
            busy |= self.drop_closed();
            if !busy {
                return;
            }
        }
    }

    /// Ends a command: shows new blocks to the nodes, brings everything to rest and stages what changed.
    pub(crate) fn settle(&mut self) {
        self.pump();
        self.follow_chain();
        self.meta.commands += 1;
        if self.meta.commands.is_multiple_of(CHORES_EVERY) {
            self.chores();
        }
        self.announce();
        self.update_channels();
        self.tick_clock();
        self.stage();
    }

    /// Runs LDK's minute timer once on every node. While a link is held up time stands still: else its nodes would
    /// soon notice that nobody answers.
    pub(crate) fn chores(&mut self) {
        if !self.held.is_empty() {
            return;
        }
        for number in self.running() {
            if let Some(live) = self.live(number) {
                live.tick();
            }
        }
        self.pump();
    }

    /// Lets channels whose peers have come back be used again. LDK announces a channel as disabled while the peer is
    /// away, and as enabled only after some minutes of its return, which the network's clock does not wait for.
    pub(crate) fn enable_channels(&mut self) {
        self.pump();
        let is_off = |live: &crate::playground::node::Live| live.has_disabled_channel();
        for _ in 0..ENABLE_ROUNDS {
            if !self.running().into_iter().filter_map(|number| self.live(number)).any(is_off) {
                return;
            }
            self.chores();
        }
    }

    /// Leads all running nodes to the chain's tip, block by block.
    fn follow_chain(&mut self) {
        let mut blocks = 0;
        loop {
            let chain = std::rc::Rc::clone(&self.chain);
            let mut moved = false;
            for number in self.running() {
                moved |= self.live(number).is_some_and(|live| live.follow(&chain));
            }
            if !moved {
                return;
            }
            blocks += 1;
            if blocks <= BLOCK_CHORES {
                self.chores();
            } else {
                self.pump();
            }
        }
    }

    fn work(&mut self, number: u16) -> bool {
        let Some(live) = self.live(number) else { return false };
        let events = live.work();
        let transactions = live.take_transactions();
        let busy = !events.is_empty() || !transactions.is_empty();
        for tx in transactions {
            let txid = tx.compute_txid();
            if let Err(error) = self.chain.borrow_mut().accept(tx) {
                tracing::debug!(number, %txid, %error, "a broadcast was not accepted");
            }
        }
        for event in events {
            self.on_event(number, event);
        }
        self.book_issued(number);
        busy
    }

    fn deliver(&mut self) -> bool {
        let mut busy = false;
        for at in 0..self.links.len() {
            let link = &self.links[at];
            if self.held.contains(&link.pair()) {
                continue;
            }
            let ends = [(link.from.1.clone(), link.to.clone()), (link.to.1.clone(), link.from.clone())];
            for (sender, (receiver, socket)) in ends {
                let bytes = sender.take_sent();
                if bytes.is_empty() {
                    continue;
                }
                busy = true;
                let Some(live) = self.live(receiver) else { continue };
                if live.peers.read_event(&mut socket.clone(), &bytes).is_err() {
                    sender.close();
                    socket.close();
                }
            }
        }
        busy
    }

    /// Lets every node with a public channel announce itself once.
    fn announce(&mut self) {
        let mut announced = false;
        for number in self.running() {
            let Some(live) = self.live(number) else { continue };
            let public =
                live.manager.list_channels().iter().any(|channel| {
                    channel.is_announced && channel.confirmations.is_some_and(|depth| depth >= 6)
                });
            if public && !live.is_announced() {
                let mut name = [0; 32];
                for (to, from) in name.iter_mut().zip(alias(number).bytes()) {
                    *to = from;
                }
                live.peers.broadcast_node_announcement([1; 3], name, Vec::new());
                announced = true;
            }
        }
        if announced {
            self.pump();
        }
    }
}
