use bitcoin::absolute::LockTime;
use bitcoin::transaction::Version;
use bitcoin::{Address, Amount, ScriptBuf, Sequence, Transaction, TxIn, TxOut, Txid, Witness};

use super::record::Note;
use super::select::{Need, Selection, select};
use super::{AddressKind, Wallet};
use crate::playground::chain::{Chain, Res, RpcErr};

/// What a wallet pays for a transaction when nobody says otherwise, in satoshis per thousand virtual bytes.
pub(crate) const FALLBACK_SAT_PER_KVB: u64 = 1_000;
/// bitcoind's `-maxtxfee`: 0.1 BTC.
const MAX_FEE: Amount = Amount::from_sat(10_000_000);
/// At this rate even the smallest transaction, of a hundred bytes, exceeds it.
const MAX_SAT_PER_KVB: u64 = 100_000_000;

pub(super) fn check_rate(sat_per_kvb: u64) -> Res<()> {
    if sat_per_kvb <= MAX_SAT_PER_KVB { Ok(()) } else { Err(too_dear()) }
}

fn too_dear() -> RpcErr {
    failed("Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)")
}

/// A payment on the chain.
#[derive(Clone, Debug)]
pub struct Spend {
    /// Who gets how much.
    pub to: Vec<(Address, Amount)>,
    /// The fee rate in satoshis per thousand virtual bytes. Default: 1,000, the least that is passed on.
    pub sat_per_kvb: u64,
    /// Whether the fee is taken from the payments, in equal parts. Default: no.
    pub subtract_fee: bool,
    /// The user's words for it. Default: none.
    pub comment: String,
    /// The user's words for who gets it. Default: none.
    pub comment_to: String,
}

impl Spend {
    /// Pays one address.
    #[must_use]
    pub fn to(address: Address, amount: Amount) -> Self {
        Self::to_all(vec![(address, amount)])
    }

    /// Pays several addresses in one transaction.
    #[must_use]
    pub const fn to_all(to: Vec<(Address, Amount)>) -> Self {
        Self {
            to,
            sat_per_kvb: FALLBACK_SAT_PER_KVB,
            subtract_fee: false,
            comment: String::new(),
            comment_to: String::new(),
        }
    }
}

/// A transaction that a wallet sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Its id.
    pub txid: Txid,
    /// What it pays to the miner.
    pub fee: Amount,
}

impl Wallet {
    /// Builds, signs and sends a transaction. The fee is known from predicted sizes, at most a byte or two more
    /// than signatures turn out to take.
    ///
    /// # Errors
    ///
    /// Code −6 for missing money, an amount too small, or a fee out of bounds; otherwise what the chain says.
    pub fn send(&mut self, chain: &mut Chain, spend: &Spend) -> Res<Sent> {
        let (tx, fee, used_change) = self.build(chain, spend)?;
        let txid = chain.accept(tx)?;
        if used_change {
            self.issue(AddressKind::Bech32, true);
        }
        if !spend.comment.is_empty() || !spend.comment_to.is_empty() {
            let note = Note { comment: spend.comment.clone(), to: spend.comment_to.clone() };
            self.record.notes.insert(txid.to_string(), note);
            self.changed = true;
        }
        Ok(Sent { txid, fee })
    }

    fn build(&self, chain: &Chain, spend: &Spend) -> Res<(Transaction, Amount, bool)> {
        check_rate(spend.sat_per_kvb)?;
        let change = TxOut { value: Amount::ZERO, script_pubkey: self.next_change().script() };
        let mut outputs = outputs(spend)?;
        let need = Need {
            outputs: &outputs,
            change: &change,
            sat_per_kvb: spend.sat_per_kvb,
            fee_inside: spend.subtract_fee,
        };
        let Selection { coins, fee, change: rest } = select(self.holdings(chain), need)?;
        if fee > MAX_FEE {
            return Err(too_dear());
        }
        let have: Amount = coins.iter().map(|coin| coin.out.value).sum();
        let asked: Amount = outputs.iter().map(|output| output.value).sum();
        subtract(&mut outputs, asked + rest.unwrap_or(Amount::ZERO) + fee - have)?;
        outputs.extend(rest.map(|value| TxOut { value, ..change }));
        let input = coins.iter().map(|coin| TxIn {
            previous_output: coin.place,
            script_sig: ScriptBuf::new(),
            sequence: Sequence::ENABLE_RBF_NO_LOCKTIME,
            witness: Witness::new(),
        });
        // As bitcoind does, so that a miner gains nothing by mining the last block again.
        let lock_time =
            LockTime::from_height(chain.height()).expect("a playground's height is below 500 million");
        let mut tx =
            Transaction { version: Version::TWO, lock_time, input: input.collect(), output: outputs };
        self.sign(&mut tx, &coins);
        Ok((tx, fee, rest.is_some()))
    }
}

fn outputs(spend: &Spend) -> Res<Vec<TxOut>> {
    if spend.to.is_empty() {
        return Err(failed("Transaction must have at least one recipient"));
    }
    let outputs = spend.to.iter().map(|(address, value)| {
        let output = TxOut { value: *value, script_pubkey: address.script_pubkey() };
        let too_small = output.value < output.script_pubkey.minimal_non_dust();
        if too_small { Err(failed("Transaction amount too small")) } else { Ok(output) }
    });
    outputs.collect()
}

/// Takes the fee, or what of it the inputs do not cover, from the payments.
fn subtract(outputs: &mut [TxOut], fee: Amount) -> Res<()> {
    if fee == Amount::ZERO {
        return Ok(());
    }
    let count = u64::try_from(outputs.len()).expect("a count fits 64 bits");
    let share = fee / count;
    for (position, output) in outputs.iter_mut().enumerate() {
        // The first one bears what does not divide, as in bitcoind.
        let part = if position == 0 { fee - share * (count - 1) } else { share };
        let rest =
            output.value.checked_sub(part).filter(|rest| *rest >= output.script_pubkey.minimal_non_dust());
        output.value = rest.ok_or_else(|| {
            failed("The transaction amount is too small to send after the fee has been deducted")
        })?;
    }
    Ok(())
}

fn failed(message: &str) -> RpcErr {
    RpcErr::new(-6, message)
}
