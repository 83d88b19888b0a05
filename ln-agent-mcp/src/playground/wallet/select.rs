use std::cmp::Reverse;

use bitcoin::transaction::predict_weight;
use bitcoin::{Amount, TxOut};

use super::{AddressKind, Holding};
use crate::playground::chain::{Res, RpcErr};

/// Which coins a transaction spends, and what comes back.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    pub(super) coins: Vec<Holding>,
    pub(super) fee: Amount,
    /// Nothing where the rest would be dust; it then goes to the miner.
    pub(super) change: Option<Amount>,
}

/// What is to be paid, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need<'a> {
    pub(super) outputs: &'a [TxOut],
    /// The output that change would be, whatever its value.
    pub(super) change: &'a TxOut,
    pub(super) sat_per_kvb: u64,
    /// Whether the fee comes out of what is paid instead of on top.
    pub(super) fee_inside: bool,
}

impl Need<'_> {
    fn paid(&self) -> Amount {
        self.outputs.iter().map(|output| output.value).sum()
    }

    /// The fee for spending these coins into the outputs, with or without change; rounded up.
    fn fee(&self, kinds: &[AddressKind], with_change: bool) -> Amount {
        let inputs = kinds.iter().map(|kind| kind.input_weight());
        let change = with_change.then_some(self.change);
        let scripts = self.outputs.iter().chain(change).map(|output| output.script_pubkey.len());
        let vbytes = predict_weight(inputs, scripts).to_vbytes_ceil();
        Amount::from_sat((vbytes * self.sat_per_kvb).div_ceil(1_000))
    }
}

/// Takes the largest coins until they cover the payment; confirmed ones before the wallet's own pending change.
pub(super) fn select(holdings: Vec<Holding>, need: Need<'_>) -> Res<Selection> {
    let mut usable: Vec<Holding> =
        holdings.into_iter().filter(|holding| holding.trusted && holding.is_mature()).collect();
    usable.sort_by_key(|holding| (holding.confirmations == 0, Reverse(holding.out.value), holding.place));
    let (mut coins, mut kinds, mut have) = (Vec::new(), Vec::new(), Amount::ZERO);
    for holding in usable {
        have += holding.out.value;
        kinds.push(holding.owner.path.kind);
        coins.push(holding);
        let bare = need.fee(&kinds, false);
        let target = if need.fee_inside { need.paid() } else { need.paid() + bare };
        if have < target {
            continue;
        }
        return Ok(settle(coins, &kinds, have, need));
    }
    Err(RpcErr::new(-6, "Insufficient funds"))
}

fn settle(coins: Vec<Holding>, kinds: &[AddressKind], have: Amount, need: Need<'_>) -> Selection {
    let full = need.fee(kinds, true);
    let on_top = if need.fee_inside { Amount::ZERO } else { full };
    let rest = have.checked_sub(need.paid() + on_top);
    match rest.filter(|rest| *rest >= need.change.script_pubkey.minimal_non_dust()) {
        Some(rest) => Selection { coins, fee: full, change: Some(rest) },
        None => Selection { coins, fee: need.fee(kinds, false).max(have - need.paid()), change: None },
    }
}
