use bitcoin::{OutPoint, Txid};
use lightning::ln::channel_state::{ChannelDetails, ChannelShutdownState};
use lightning::ln::types::ChannelId;

use super::World;
use crate::playground::chain::Chain;
use crate::playground::node::{ChannelRow, StateChange};

/// The life of a channel that ends by agreement, in Core Lightning's words.
const MUTUAL: [&str; 7] = [
    "CHANNELD_AWAITING_LOCKIN",
    "CHANNELD_NORMAL",
    "CHANNELD_SHUTTING_DOWN",
    "CLOSINGD_SIGEXCHANGE",
    "CLOSINGD_COMPLETE",
    "FUNDING_SPEND_SEEN",
    "ONCHAIN",
];
/// The life of a channel that one side ends alone.
const UNILATERAL: [&str; 5] =
    ["CHANNELD_AWAITING_LOCKIN", "CHANNELD_NORMAL", "AWAITING_UNILATERAL", "FUNDING_SPEND_SEEN", "ONCHAIN"];

impl World {
    /// Brings the state of every channel of the running nodes up to date.
    pub(super) fn update_channels(&mut self) {
        let now = self.now();
        for number in self.running() {
            let Some(live) = self.live(number) else { continue };
            let details = live.manager.list_channels();
            let chain = std::rc::Rc::clone(&self.chain);
            let Some(node) = self.nodes.get_mut(&number) else { continue };
            let open: Vec<u64> = node
                .book
                .channels
                .iter()
                .filter(|(_, row)| row.state != "ONCHAIN")
                .map(|(at, _)| at)
                .collect();
            for at in open {
                let Some(row) = node.book.channels.get(at) else { continue };
                let found = details.iter().find(|channel| channel.channel_id.to_string() == row.channel_id);
                let mut next = row.clone();
                advance(&mut next, found, &chain.borrow(), now);
                for change in next.state_changes.iter().skip(row.state_changes.len()) {
                    let (peer, old, new) = (&next.peer_id, &change.old, &change.new);
                    node.journal.note(now, format!("{peer}-chan#{at}: State changed from {old} to {new}"));
                }
                let same = (&next.state, &next.scid) == (&row.state, &row.scid)
                    && closing_txid(&next) == closing_txid(row);
                if !same && let Some(row) = node.book.channels.edit(at) {
                    *row = next;
                }
            }
        }
    }

    /// Counts a settled payment through a channel.
    pub(super) fn count(&mut self, number: u16, channel: Option<ChannelId>, msat: u64, inbound: bool) {
        let Some(id) = channel.map(|id| id.to_string()) else { return };
        let Some(node) = self.nodes.get_mut(&number) else { return };
        let Some(at) = node.book.channels.find(|row| row.channel_id == id).map(|(at, _)| at) else { return };
        let Some(row) = node.book.channels.edit(at) else { return };
        let counters = &mut row.counters;
        let (count, sum) = if inbound {
            (&mut counters.in_count, &mut counters.in_msat)
        } else {
            (&mut counters.out_count, &mut counters.out_msat)
        };
        *count += 1;
        *sum += msat;
    }

    /// A channel's short id, if it has one.
    pub(super) fn scid_of(&self, number: u16, channel: Option<ChannelId>) -> Option<String> {
        let id = channel?.to_string();
        let (_, row) = self.nodes.get(&number)?.book.channels.find(|row| row.channel_id == id)?;
        row.scid.clone()
    }
}

fn closing_txid(row: &ChannelRow) -> Option<&String> {
    row.closing.as_ref().and_then(|closing| closing.txid.as_ref())
}

fn advance(row: &mut ChannelRow, found: Option<&ChannelDetails>, chain: &Chain, now: u64) {
    if let Some(details) = found {
        row.scid = details.short_channel_id.map(scid_text).or(row.scid.take());
        let state = match details.channel_shutdown_state {
            Some(ChannelShutdownState::ShutdownInitiated | ChannelShutdownState::ResolvingHTLCs) => {
                "CHANNELD_SHUTTING_DOWN"
            }
            Some(ChannelShutdownState::NegotiatingClosingFee) => "CLOSINGD_SIGEXCHANGE",
            Some(ChannelShutdownState::ShutdownComplete) => "CLOSINGD_COMPLETE",
            _ if details.is_channel_ready => "CHANNELD_NORMAL",
            _ => "CHANNELD_AWAITING_LOCKIN",
        };
        walk(row, &MUTUAL, state, now);
        return;
    }
    let spender = row.funding().and_then(|place| spender_of(chain, &place));
    let closing = row.closing.get_or_insert_default();
    closing.txid = spender.map(|(txid, _)| txid.to_string()).or(closing.txid.take());
    let confirmed = spender.is_some_and(|(_, confirmed)| confirmed);
    let (path, waiting): (&[&str], _) =
        if closing.mutual { (&MUTUAL, "CLOSINGD_COMPLETE") } else { (&UNILATERAL, "AWAITING_UNILATERAL") };
    walk(row, path, if confirmed { "ONCHAIN" } else { waiting }, now);
}

/// Notes every state between the channel's present one and `target`.
fn walk(row: &mut ChannelRow, path: &[&str], target: &str, now: u64) {
    let position = |state: &str| path.iter().position(|known| *known == state);
    let Some(to) = position(target) else { return };
    let from = position(&row.state).unwrap_or(1);
    for next in path.get(from + 1..=to).unwrap_or_default() {
        // A channel that never opened skips to its end.
        if *next == "CHANNELD_NORMAL" && target != "CHANNELD_NORMAL" && row.scid.is_none() {
            continue;
        }
        let (cause, message) = words(row, next);
        row.state_changes.push(StateChange {
            at: now,
            old: row.state.clone(),
            new: (*next).to_owned(),
            cause: cause.to_owned(),
            message: message.to_owned(),
        });
        (*next).clone_into(&mut row.state);
    }
}

fn words(row: &ChannelRow, next: &str) -> (&'static str, &'static str) {
    let closer = match row.closing.as_ref().map(|closing| closing.closer.as_str()) {
        Some("remote") => "remote",
        _ => "user",
    };
    match next {
        "CHANNELD_NORMAL" if row.opener == "remote" => ("remote", "Lockin complete"),
        "CHANNELD_NORMAL" => ("user", "Lockin complete"),
        "CHANNELD_SHUTTING_DOWN" if closer == "remote" => ("remote", "Peer closes channel"),
        "CHANNELD_SHUTTING_DOWN" => ("user", "User or plugin invoked close command"),
        "CLOSINGD_SIGEXCHANGE" => (closer, "Start closingd"),
        "CLOSINGD_COMPLETE" => (closer, "Closing complete"),
        "AWAITING_UNILATERAL" if closer == "remote" => ("remote", "Peer closed the channel alone"),
        "AWAITING_UNILATERAL" => ("user", "Forcibly closed by `close` command timeout"),
        "FUNDING_SPEND_SEEN" => ("onchain", "Onchain funding spend"),
        _ => ("onchain", "Onchain init reply"),
    }
}

/// The transaction that spends an output, and whether a block holds it.
pub(crate) fn spender_of(chain: &Chain, place: &OutPoint) -> Option<(Txid, bool)> {
    if let Some(txid) = chain.mempool_spender(place) {
        return Some((txid, false));
    }
    if chain.utxo(place).is_some() {
        return None;
    }
    let (made, _) = chain.find(&place.txid)?;
    (made.height..=chain.height()).rev().filter_map(|height| chain.entry_at(height)).find_map(|entry| {
        let spends =
            |tx: &&bitcoin::Transaction| tx.input.iter().any(|input| input.previous_output == *place);
        entry.block.txdata.iter().find(spends).map(|tx| (tx.compute_txid(), true))
    })
}

/// What the opener gave away when the channel opened, judged from its first balance, in millisatoshis.
pub(super) fn push_of(details: &ChannelDetails) -> u64 {
    let total = details.channel_value_satoshis * 1_000;
    let mine = to_us_msat(details);
    if details.is_outbound { total.saturating_sub(mine) } else { mine }
}

/// This node's balance in a channel, in millisatoshis.
///
/// LDK tells what can be sent and received, each less a reserve and never below zero. At most one of them is
/// cut off at zero, so one always gives the exact balance.
pub(crate) fn to_us_msat(details: &ChannelDetails) -> u64 {
    let total = details.channel_value_satoshis * 1_000;
    let ours = details.unspendable_punishment_reserve.unwrap_or_default() * 1_000;
    let theirs = details.counterparty.unspendable_punishment_reserve * 1_000;
    let pending: u64 = details.pending_outbound_htlcs.iter().map(|htlc| htlc.amount_msat).sum();
    if details.outbound_capacity_msat > 0 {
        return details.outbound_capacity_msat + ours + pending;
    }
    let arriving: u64 = details.pending_inbound_htlcs.iter().map(|htlc| htlc.amount_msat).sum();
    total.saturating_sub(details.inbound_capacity_msat + theirs + arriving)
}

/// A short channel id as Core Lightning writes it.
pub(crate) fn scid_text(scid: u64) -> String {
    format!("{}x{}x{}", scid >> 40, (scid >> 16) & 0xff_ffff, scid & 0xffff)
}
