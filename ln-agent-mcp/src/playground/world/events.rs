use bitcoin::{Amount, TxOut};
use lightning::events::{
    ClosureReason, Event, HTLCHandlingFailureReason, HTLCHandlingFailureType, PathFailure,
};
use lightning::ln::types::ChannelId;
use lightning::sign::{OutputSpender, SpendableOutputDescriptor};

use super::World;
use super::channels::scid_text;
use crate::playground::node::{ChannelRow, Closing, FEERATE_PER_KW, ForwardRow, PathEnd};

/// CLN's `failcode` and `failreason` for a forward that this node could not pass on.
const TEMPORARY_CHANNEL_FAILURE: (u16, &str) = (4103, "WIRE_TEMPORARY_CHANNEL_FAILURE");
const UNKNOWN_NEXT_PEER: (u16, &str) = (16394, "WIRE_UNKNOWN_NEXT_PEER");

impl World {
    /// Acts on what LDK reports about a node.
    pub(super) fn on_event(&mut self, number: u16, event: Event) {
        match event {
            Event::FundingGenerationReady {
                temporary_channel_id,
                counterparty_node_id,
                channel_value_satoshis,
                output_script,
                ..
            } => {
                let output =
                    TxOut { value: Amount::from_sat(channel_value_satoshis), script_pubkey: output_script };
                self.fund_channel(number, temporary_channel_id, counterparty_node_id, output);
            }
            Event::ChannelPending { channel_id, .. } => self.open_row(number, channel_id),
            Event::ChannelClosed { channel_id, reason, last_local_balance_msat, .. } => {
                self.close_row(number, channel_id, &reason, last_local_balance_msat);
            }
            Event::SpendableOutputs { outputs, .. } => self.sweep(number, &outputs),
            Event::ConnectionNeeded { node_id, .. } => {
                if let Err(error) = self.connect(number, &node_id) {
                    tracing::debug!(number, %node_id, %error, "an onion message has no way to its receiver");
                }
            }
            Event::InvoiceReceived { payment_id, invoice, .. } => {
                self.fetched.insert(payment_id.0, invoice);
                if let Some(live) = self.live(number) {
                    live.manager.abandon_payment(payment_id);
                }
            }
            Event::PaymentForwarded {
                prev_channel_id,
                next_channel_id,
                total_fee_earned_msat,
                outbound_amount_forwarded_msat,
                ..
            } => {
                let (fee, out) = (total_fee_earned_msat, outbound_amount_forwarded_msat);
                self.forwarded(number, prev_channel_id, next_channel_id, fee, out);
            }
            Event::HTLCHandlingFailed { prev_channel_id, failure_type, failure_reason } => {
                self.forward_failed(number, prev_channel_id, &failure_type, failure_reason.as_ref());
            }
            Event::PaymentPathSuccessful { path, payment_id, .. } => {
                self.path_done(number, payment_id, &path, PathEnd::Arrived);
            }
            Event::PaymentPathFailed { path, payment_id, short_channel_id, failure, .. } => {
                self.learn(number, failure);
                if let Some(id) = payment_id {
                    self.path_done(number, id, &path, PathEnd::FailedAt(short_channel_id));
                }
            }
            other => self.on_payment_event(number, other),
        }
    }

    fn fund_channel(
        &mut self,
        number: u16,
        channel: ChannelId,
        peer: bitcoin::secp256k1::PublicKey,
        output: TxOut,
    ) {
        let plan = self.funding.take();
        let (Some(node), Some(live)) = (self.nodes.get(&number), self.live(number)) else { return };
        let built = match &plan {
            Some(plan) if plan.all => Ok(node.wallet.sweep(&plan.coins, output)),
            Some(plan) => node.wallet.pay(&plan.coins, &output, plan.feerate),
            None => {
                let coins = node.wallet.spendable(&self.chain.borrow());
                node.wallet.pay(&coins, &output, FEERATE_PER_KW)
            }
        };
        let outcome = match built {
            Ok(tx) => live
                .manager
                .funding_transaction_generated(channel, peer, tx)
                .map_err(|error| format!("{error:?}")),
            Err(error) => live
                .manager
                .force_close_broadcasting_latest_txn(&channel, &peer, error.to_string())
                .map_err(|error| format!("{error:?}")),
        };
        if let Err(error) = outcome {
            tracing::warn!(number, error, "a channel could not be funded");
        }
    }

    fn open_row(&mut self, number: u16, id: ChannelId) {
        let now = self.now();
        let Some(details) = self.live(number).and_then(|live| {
            live.manager.list_channels().into_iter().find(|channel| channel.channel_id == id)
        }) else {
            return;
        };
        let Some(funding) = details.funding_txo else { return };
        let mine = if details.is_outbound { "local" } else { "remote" };
        let row = ChannelRow {
            channel_id: id.to_string(),
            peer_id: details.counterparty.node_id.to_string(),
            funding_txid: funding.txid.to_string(),
            funding_outnum: u32::from(funding.index),
            capacity_sat: details.channel_value_satoshis,
            push_msat: super::channels::push_of(&details),
            opener: mine.to_owned(),
            private: !details.is_announced,
            opened_at: now,
            state: "CHANNELD_AWAITING_LOCKIN".to_owned(),
            ..ChannelRow::default()
        };
        if let Some(node) = self.nodes.get_mut(&number) {
            node.book.channels.push(row);
        }
    }

    fn close_row(&mut self, number: u16, id: ChannelId, reason: &ClosureReason, balance: Option<u64>) {
        let id = id.to_string();
        let Some(node) = self.nodes.get_mut(&number) else { return };
        let Some(at) = node.book.channels.find(|row| row.channel_id == id).map(|(at, _)| at) else {
            self.refused = Some(reason.to_string());
            return;
        };
        let Some(row) = node.book.channels.edit(at) else { return };
        let (closer, mutual) = match reason {
            ClosureReason::LocallyInitiatedCooperativeClosure
            | ClosureReason::LocallyCoopClosedUnfundedChannel => ("local", true),
            ClosureReason::CounterpartyInitiatedCooperativeClosure
            | ClosureReason::CounterpartyCoopClosedUnfundedChannel
            | ClosureReason::LegacyCooperativeClosure => ("remote", true),
            ClosureReason::CounterpartyForceClosed { .. }
            | ClosureReason::CommitmentTxConfirmed
            | ClosureReason::DisconnectedPeer => ("remote", false),
            _ => ("local", false),
        };
        row.closing = Some(Closing {
            closer: closer.to_owned(),
            mutual,
            to_us_msat: balance.unwrap_or_default(),
            ..row.closing.take().unwrap_or_default()
        });
    }

    /// Claims what a closed channel left behind. Outputs that pay to the wallet already need no claim.
    fn sweep(&mut self, number: u16, outputs: &[SpendableOutputDescriptor]) {
        let outputs: Vec<_> = outputs
            .iter()
            .filter(|output| !matches!(output, SpendableOutputDescriptor::StaticOutput { .. }))
            .collect();
        let (Some(node), Some(live)) = (self.nodes.get(&number), self.live(number)) else { return };
        if outputs.is_empty() {
            return;
        }
        let home = node.wallet.home();
        let claimed = live
            .keys
            .spend_spendable_outputs(&outputs, Vec::new(), home, FEERATE_PER_KW, None, &self.secp)
            .map_err(|()| "too small to be worth its fee".to_owned())
            .and_then(|tx| self.chain.borrow_mut().accept(tx).map_err(|error| error.to_string()));
        if let Err(error) = claimed {
            tracing::debug!(number, error, "an output of a closed channel was not claimed");
        }
    }

    fn learn(&mut self, number: u16, failure: PathFailure) {
        if let PathFailure::OnPath { network_update: Some(update) } = failure
            && let Some(live) = self.live(number)
        {
            live.graph.handle_network_update(&update);
        }
    }

    fn forwarded(
        &mut self,
        number: u16,
        from: Option<ChannelId>,
        to: Option<ChannelId>,
        fee: Option<u64>,
        out: Option<u64>,
    ) {
        let now = self.now();
        let total = out.zip(fee).map(|(out, fee)| out + fee);
        let row = ForwardRow {
            in_channel: self.scid_of(number, from).unwrap_or_default(),
            out_channel: self.scid_of(number, to),
            in_msat: total,
            out_msat: out,
            fee_msat: fee,
            status: "settled".to_owned(),
            received_time: now,
            resolved_time: Some(now),
            failcode: None,
            failreason: None,
        };
        self.count(number, from, total.unwrap_or_default(), true);
        self.count(number, to, out.unwrap_or_default(), false);
        if let Some(node) = self.nodes.get_mut(&number) {
            node.book.forwards.push(row);
        }
    }

    fn forward_failed(
        &mut self,
        number: u16,
        from: ChannelId,
        failure: &HTLCHandlingFailureType,
        reason: Option<&HTLCHandlingFailureReason>,
    ) {
        let local = matches!(reason, Some(HTLCHandlingFailureReason::Local { .. }) | None);
        let (out_channel, (code, words)) = match failure {
            HTLCHandlingFailureType::Forward { channel_id, .. } => {
                (self.scid_of(number, Some(*channel_id)), TEMPORARY_CHANNEL_FAILURE)
            }
            HTLCHandlingFailureType::UnknownNextHop { requested_forward_scid }
            | HTLCHandlingFailureType::InvalidForward { requested_forward_scid } => {
                (Some(scid_text(*requested_forward_scid)), UNKNOWN_NEXT_PEER)
            }
            // Payments to this node itself are no forwards.
            _ => return,
        };
        let now = self.now();
        let row = ForwardRow {
            in_channel: self.scid_of(number, Some(from)).unwrap_or_default(),
            out_channel,
            in_msat: None,
            out_msat: None,
            fee_msat: None,
            status: if local { "local_failed" } else { "failed" }.to_owned(),
            received_time: now,
            resolved_time: (!local).then_some(now),
            failcode: local.then_some(code),
            failreason: local.then(|| words.to_owned()),
        };
        if let Some(node) = self.nodes.get_mut(&number) {
            node.book.forwards.push(row);
        }
    }
}
