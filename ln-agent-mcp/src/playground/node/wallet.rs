use std::collections::{BTreeMap, BTreeSet};

use bitcoin::absolute::LockTime;
use bitcoin::hashes::Hash;
use bitcoin::key::{Keypair, TapTweak};
use bitcoin::secp256k1::{All, Message, PublicKey, Secp256k1, SecretKey};
use bitcoin::sighash::{EcdsaSighashType, Prevouts, SighashCache, TapSighashType};
use bitcoin::transaction::Version;
use bitcoin::{
    Address, Amount, CompressedPublicKey, Network, OutPoint, ScriptBuf, Sequence, Transaction, TxIn, TxOut,
    Witness,
};
use thiserror::Error;

use super::keys::NodeSeed;
use crate::playground::chain::{COINBASE_MATURITY, Chain};

/// Change below this many satoshis goes to the miner.
const DUST_SAT: u64 = 546;
/// Weight of version, lock time, counts and the segwit marker.
const BASE_WEIGHT: u64 = 44;
/// Weight of a signed pay-to-witness-pubkey-hash input; a taproot input is lighter.
const INPUT_WEIGHT: u64 = 273;

/// Why the wallet built no transaction.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum WalletError {
    /// Confirmed coins do not suffice.
    #[error("{short_sat} sat short, with {coins} coins")]
    Short {
        /// How many coins there were.
        coins: usize,
        /// What is missing, in satoshis, fees included.
        short_sat: u64,
    },
}

/// One coin of the wallet.
#[derive(Clone, Debug)]
pub(crate) struct Coins {
    pub(crate) place: OutPoint,
    pub(crate) out: TxOut,
    /// `None` while it is in the mempool only.
    pub(crate) height: Option<u32>,
}

/// How the next funding transaction of a node is to be built.
#[derive(Debug)]
pub(crate) struct Funding {
    /// Coins to choose from.
    pub(crate) coins: Vec<Coins>,
    /// Satoshis per 1,000 weight units.
    pub(crate) feerate: u32,
    /// Spend all coins, without change.
    pub(crate) all: bool,
}

/// A node's on-chain keys.
#[derive(Debug)]
pub(crate) struct Wallet {
    seed: NodeSeed,
    secp: Secp256k1<All>,
    scripts: BTreeMap<ScriptBuf, u32>,
    addresses: u32,
}

impl Wallet {
    /// The wallet of this seed with as many addresses as were handed out. Address 0 takes change and closed
    /// channels.
    pub(crate) fn new(seed: NodeSeed, addresses: u32) -> Self {
        let mut wallet = Self { seed, secp: Secp256k1::new(), scripts: BTreeMap::new(), addresses: 0 };
        for _ in 0..addresses.max(1) {
            wallet.next_index();
        }
        wallet
    }

    /// How many addresses were handed out, address 0 included.
    pub(crate) fn addresses(&self) -> u32 {
        self.addresses
    }

    /// A fresh key's number.
    pub(crate) fn next_index(&mut self) -> u32 {
        let index = self.addresses;
        self.addresses += 1;
        for address in [self.segwit(index), self.taproot(index)] {
            self.scripts.insert(address.script_pubkey(), index);
        }
        index
    }

    /// The pay-to-witness-pubkey-hash address of a key.
    pub(crate) fn segwit(&self, index: u32) -> Address {
        Address::p2wpkh(&CompressedPublicKey(self.public(index)), Network::Regtest)
    }

    /// The taproot address of a key.
    pub(crate) fn taproot(&self, index: u32) -> Address {
        Address::p2tr(&self.secp, self.public(index).x_only_public_key().0, None, Network::Regtest)
    }

    /// Where change and closed channels pay to.
    pub(crate) fn home(&self) -> ScriptBuf {
        self.segwit(0).script_pubkey()
    }

    /// Whether an output pays to this wallet.
    pub(crate) fn owns(&self, script: &ScriptBuf) -> bool {
        self.scripts.contains_key(script)
    }

    /// Coins that can be spent now, oldest first.
    pub(crate) fn spendable(&self, chain: &Chain) -> Vec<Coins> {
        let mut coins: Vec<_> = self
            .scripts
            .keys()
            .flat_map(|script| chain.utxos_of(script))
            .filter(|(place, coin)| {
                let mature = !coin.coinbase || chain.height() + 1 - coin.height >= COINBASE_MATURITY;
                mature && chain.mempool_spender(place).is_none()
            })
            .map(|(place, coin)| Coins { place: *place, out: coin.out.clone(), height: Some(coin.height) })
            .collect();
        coins.sort_by_key(|coin| (coin.height, coin.place));
        coins
    }

    /// Outputs of unconfirmed transactions that spend this wallet's coins or one of `places`, the funding outputs of
    /// the node's channels. Deposits from others show once they are in a block, as in Core Lightning.
    pub(crate) fn unconfirmed(&self, chain: &Chain, places: &BTreeSet<OutPoint>) -> Vec<Coins> {
        let mut coins = Vec::new();
        for entry in chain.mem_entries() {
            let own = entry.coins.iter().any(|coin| self.owns(&coin.out.script_pubkey));
            if !own && !entry.tx.input.iter().any(|input| places.contains(&input.previous_output)) {
                continue;
            }
            for (vout, out) in (0_u32..).zip(&entry.tx.output) {
                let place = OutPoint::new(entry.txid, vout);
                if self.owns(&out.script_pubkey) && chain.mempool_spender(&place).is_none() {
                    coins.push(Coins { place, out: out.clone(), height: None });
                }
            }
        }
        coins
    }

    /// Pays `output` from the largest of `coins`; change returns to address 0.
    ///
    /// `feerate` is in satoshis per 1,000 weight units.
    pub(crate) fn pay(
        &self,
        coins: &[Coins],
        output: &TxOut,
        feerate: u32,
    ) -> Result<Transaction, WalletError> {
        let mut sorted: Vec<&Coins> = coins.iter().collect();
        sorted.sort_by_key(|coin| (std::cmp::Reverse(coin.out.value), coin.place));
        let change = TxOut { value: Amount::ZERO, script_pubkey: self.home() };
        let mut picked = Vec::new();
        let mut sum = 0;
        let mut needed = output.value.to_sat() + fee(0, &[output, &change], feerate);
        for coin in sorted {
            picked.push(coin);
            sum += coin.out.value.to_sat();
            needed = output.value.to_sat() + fee(picked.len(), &[output, &change], feerate);
            if sum >= needed {
                break;
            }
        }
        if sum < needed {
            return Err(WalletError::Short { coins: coins.len(), short_sat: needed - sum });
        }
        let mut outputs = vec![output.clone()];
        if sum - needed >= DUST_SAT {
            outputs.push(TxOut { value: Amount::from_sat(sum - needed), ..change });
        }
        Ok(self.signed(&picked, outputs))
    }

    /// What is left for one output of this script if all `coins` are spent, in satoshis.
    pub(crate) fn sweep_amount(
        coins: &[Coins],
        script: &ScriptBuf,
        feerate: u32,
    ) -> Result<u64, WalletError> {
        let output = TxOut { value: Amount::ZERO, script_pubkey: script.clone() };
        let sum: u64 = coins.iter().map(|coin| coin.out.value.to_sat()).sum();
        let cost = fee(coins.len(), &[&output], feerate);
        sum.checked_sub(cost + DUST_SAT).map(|rest| rest + DUST_SAT).ok_or_else(|| WalletError::Short {
            coins: coins.len(),
            short_sat: (cost + DUST_SAT).saturating_sub(sum),
        })
    }

    /// Spends all `coins` into one output.
    pub(crate) fn sweep(&self, coins: &[Coins], output: TxOut) -> Transaction {
        self.signed(&coins.iter().collect::<Vec<_>>(), vec![output])
    }

    fn signed(&self, coins: &[&Coins], output: Vec<TxOut>) -> Transaction {
        let input = coins
            .iter()
            .map(|coin| TxIn {
                previous_output: coin.place,
                script_sig: ScriptBuf::new(),
                sequence: Sequence::ENABLE_RBF_NO_LOCKTIME,
                witness: Witness::new(),
            })
            .collect();
        let mut tx = Transaction { version: Version::TWO, lock_time: LockTime::ZERO, input, output };
        let spent: Vec<TxOut> = coins.iter().map(|coin| coin.out.clone()).collect();
        let witnesses: Vec<Witness> = (0..coins.len()).map(|at| self.witness(&tx, &spent, at)).collect();
        for (input, witness) in tx.input.iter_mut().zip(witnesses) {
            input.witness = witness;
        }
        tx
    }

    fn witness(&self, tx: &Transaction, spent: &[TxOut], at: usize) -> Witness {
        let out = &spent[at];
        let secret = self.secret(self.scripts.get(&out.script_pubkey).copied().unwrap_or_default());
        let mut cache = SighashCache::new(tx);
        if out.script_pubkey.is_p2tr() {
            let hash = cache
                .taproot_key_spend_signature_hash(at, &Prevouts::All(spent), TapSighashType::Default)
                .expect("one spent output is given for each input");
            let keypair = Keypair::from_secret_key(&self.secp, &secret).tap_tweak(&self.secp, None);
            let message = Message::from_digest(hash.to_byte_array());
            let signature = self.secp.sign_schnorr_no_aux_rand(&message, &keypair.to_keypair());
            return Witness::p2tr_key_spend(&bitcoin::taproot::Signature {
                signature,
                sighash_type: TapSighashType::Default,
            });
        }
        let hash = cache
            .p2wpkh_signature_hash(at, &out.script_pubkey, out.value, EcdsaSighashType::All)
            .expect("the wallet's other scripts are pay-to-witness-pubkey-hash");
        let signature = self.secp.sign_ecdsa(&Message::from_digest(hash.to_byte_array()), &secret);
        Witness::p2wpkh(&bitcoin::ecdsa::Signature::sighash_all(signature), &secret.public_key(&self.secp))
    }

    fn secret(&self, index: u32) -> SecretKey {
        SecretKey::from_slice(&self.seed.child("on-chain key", index))
            .expect("a hash is a valid key but for 2^-128")
    }

    fn public(&self, index: u32) -> PublicKey {
        self.secret(index).public_key(&self.secp)
    }
}

/// The fee of a transaction with these outputs, in satoshis, rounded up.
fn fee(inputs: usize, outputs: &[&TxOut], feerate: u32) -> u64 {
    let outputs: u64 = outputs.iter().map(|out| out.weight().to_wu()).sum();
    let weight = BASE_WEIGHT + INPUT_WEIGHT * inputs as u64 + outputs;
    (weight * u64::from(feerate)).div_ceil(1_000)
}
