use bitcoin::{Address, Amount, Network, SignedAmount, Transaction, TxOut, Txid};

use super::Wallet;
use crate::playground::chain::{COINBASE_MATURITY, Chain, Coin};

/// What happened to the wallet by one output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// The wallet paid it.
    Send,
    /// The wallet got it.
    Receive,
    /// A block's reward that can be spent.
    Generate,
    /// A block's reward that still has to mature.
    Immature,
}

impl Category {
    /// bitcoind's word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Receive => "receive",
            Self::Generate => "generate",
            Self::Immature => "immature",
        }
    }
}

/// One output of a transaction, seen from the wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Movement {
    /// The transaction.
    pub txid: Txid,
    /// The output's number.
    pub vout: u32,
    /// Who was paid, where the script has an address.
    pub address: Option<Address>,
    /// Which way it went.
    pub category: Category,
    /// Negative for money that left.
    pub amount: SignedAmount,
    /// What the transaction paid to the miner, negative; only on what the wallet paid.
    pub fee: Option<SignedAmount>,
}

impl Wallet {
    /// The newest `count` movements after skipping the newest `skip`, oldest first; with `keep`, only those it
    /// keeps count.
    pub fn movements(
        &self,
        chain: &Chain,
        count: usize,
        skip: usize,
        keep: impl Fn(&Movement) -> bool,
    ) -> Vec<Movement> {
        let wanted = count.saturating_add(skip);
        let mut found: Vec<Movement> = Vec::new();
        let pending: Vec<_> = chain.mem_entries().collect();
        for entry in pending.into_iter().rev() {
            found.extend(self.parts(chain, &entry.tx, entry.txid).into_iter().rev().filter(&keep));
        }
        for height in (0..=chain.height()).rev() {
            if found.len() >= wanted {
                break;
            }
            let Some(entry) = chain.entry_at(height) else { continue };
            for (tx, txid) in entry.block.txdata.iter().zip(&entry.txids).rev() {
                found.extend(self.parts(chain, tx, *txid).into_iter().rev().filter(&keep));
            }
        }
        let mut page: Vec<Movement> = found.into_iter().skip(skip).take(count).collect();
        page.reverse();
        page
    }

    /// What one transaction of the chain or the mempool did to the wallet; nothing if it does not touch it.
    #[must_use]
    pub fn movements_of(&self, chain: &Chain, txid: &Txid) -> Vec<Movement> {
        chain.get_tx(txid).map(|(tx, _)| self.parts(chain, &tx, *txid)).unwrap_or_default()
    }

    /// How many transactions of the chain and the mempool touch the wallet.
    #[must_use]
    pub fn tx_count(&self, chain: &Chain) -> usize {
        let mut txids: Vec<Txid> = self
            .movements(chain, usize::MAX, 0, |_| true)
            .into_iter()
            .map(|movement| movement.txid)
            .collect();
        txids.dedup();
        txids.len()
    }

    fn parts(&self, chain: &Chain, tx: &Transaction, txid: Txid) -> Vec<Movement> {
        let inputs = chain.spent_by(&txid);
        let paid_by_us = inputs.iter().any(|coin| self.owned(&coin.out.script_pubkey).is_some());
        let fee = paid_by_us.then(|| fee(&inputs, tx)).flatten();
        let make = |vout: u32, out: &TxOut, category: Category| {
            let value = out.value.to_signed().unwrap_or(SignedAmount::MAX);
            let sent = category == Category::Send;
            Movement {
                txid,
                vout,
                address: Address::from_script(&out.script_pubkey, Network::Regtest).ok(),
                category,
                amount: if sent { -value } else { value },
                fee: fee.filter(|_| sent),
            }
        };
        let is_change = |out: &TxOut| self.owned(&out.script_pubkey).is_some_and(|owned| owned.path.change);
        let outputs: Vec<(u32, &TxOut)> =
            (0u32..).zip(&tx.output).filter(|(_, out)| !(paid_by_us && is_change(out))).collect();
        let sent = outputs.iter().filter(|_| paid_by_us).map(|(vout, out)| make(*vout, out, Category::Send));
        let came = self.incoming(chain, tx, &txid);
        let received = outputs
            .iter()
            .filter(|(_, out)| self.owned(&out.script_pubkey).is_some())
            .map(|(vout, out)| make(*vout, out, came));
        sent.chain(received).collect()
    }

    fn incoming(&self, chain: &Chain, tx: &Transaction, txid: &Txid) -> Category {
        if !tx.is_coinbase() {
            return Category::Receive;
        }
        let age = chain.find(txid).map_or(0, |(entry, _)| chain.height() + 1 - entry.height);
        if age < COINBASE_MATURITY { Category::Immature } else { Category::Generate }
    }
}

fn fee(inputs: &[Coin], tx: &Transaction) -> Option<SignedAmount> {
    let paid_in: Amount = inputs.iter().map(|coin| coin.out.value).sum();
    let paid_out: Amount = tx.output.iter().map(|out| out.value).sum();
    Some(-paid_in.checked_sub(paid_out)?.to_signed().ok()?)
}
