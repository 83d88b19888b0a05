use bitcoin::hashes::Hash;
use bitcoin::key::{TapTweak, TweakedKeypair};
use bitcoin::script::PushBytesBuf;
use bitcoin::secp256k1::{Keypair, Message};
use bitcoin::sighash::{EcdsaSighashType, Prevouts, SighashCache, TapSighashType};
use bitcoin::{Script, ScriptBuf, Transaction, TxOut, Witness, ecdsa, taproot};

use super::{AddressKind, Holding, Owned, Wallet};

impl Wallet {
    /// Signs every input; `coins` are what they spend, in the same order. The same input always gets the same
    /// signature, so that a network replays to the same transaction ids.
    pub(super) fn sign(&self, tx: &mut Transaction, coins: &[Holding]) {
        let spent: Vec<TxOut> = coins.iter().map(|coin| coin.out.clone()).collect();
        let unsigned = tx.clone();
        let mut cache = SighashCache::new(&unsigned);
        for (index, coin) in coins.iter().enumerate() {
            let (script_sig, witness) = self.unlock(&mut cache, index, &coin.owner, &spent);
            tx.input[index].script_sig = script_sig;
            tx.input[index].witness = witness;
        }
    }

    fn unlock(
        &self,
        cache: &mut SighashCache<&Transaction>,
        index: usize,
        owner: &Owned,
        spent: &[TxOut],
    ) -> (ScriptBuf, Witness) {
        let out = &spent[index];
        match owner.path.kind {
            AddressKind::Legacy => {
                let hash = cache
                    .legacy_signature_hash(index, &out.script_pubkey, EcdsaSighashType::All.to_u32())
                    .expect("the input exists");
                let signature = self.ecdsa(owner, hash.to_byte_array());
                let signature =
                    PushBytesBuf::try_from(signature.to_vec()).expect("a signature has 72 bytes at most");
                let script = ScriptBuf::builder().push_slice(signature).push_slice(owner.pubkey.to_bytes());
                (script.into_script(), Witness::new())
            }
            AddressKind::P2shSegwit => {
                let redeem = ScriptBuf::new_p2wpkh(&owner.pubkey.wpubkey_hash());
                let witness = self.segwit(cache, index, owner, &redeem, out);
                let push =
                    PushBytesBuf::try_from(redeem.into_bytes()).expect("a witness program has 22 bytes");
                (ScriptBuf::builder().push_slice(push).into_script(), witness)
            }
            AddressKind::Bech32 => {
                (ScriptBuf::new(), self.segwit(cache, index, owner, &out.script_pubkey, out))
            }
            AddressKind::Bech32m => (ScriptBuf::new(), self.taproot(cache, index, owner, spent)),
        }
    }

    fn segwit(
        &self,
        cache: &mut SighashCache<&Transaction>,
        index: usize,
        owner: &Owned,
        program: &Script,
        out: &TxOut,
    ) -> Witness {
        let hash = cache
            .p2wpkh_signature_hash(index, program, out.value, EcdsaSighashType::All)
            .expect("the input exists and its program is P2WPKH");
        Witness::p2wpkh(&self.ecdsa(owner, hash.to_byte_array()), &owner.pubkey.0)
    }

    fn taproot(
        &self,
        cache: &mut SighashCache<&Transaction>,
        index: usize,
        owner: &Owned,
        spent: &[TxOut],
    ) -> Witness {
        let hash = cache
            .taproot_key_spend_signature_hash(index, &Prevouts::All(spent), TapSighashType::Default)
            .expect("every spent output is given");
        let secp = self.keys.secp();
        let pair = Keypair::from_secret_key(secp, &self.keys.secret(owner.path));
        let tweaked: TweakedKeypair = pair.tap_tweak(secp, None);
        let message = Message::from_digest(hash.to_byte_array());
        let signature = secp.sign_schnorr_no_aux_rand(&message, &tweaked.to_keypair());
        Witness::p2tr_key_spend(&taproot::Signature { signature, sighash_type: TapSighashType::Default })
    }

    fn ecdsa(&self, owner: &Owned, digest: [u8; 32]) -> ecdsa::Signature {
        let secret = self.keys.secret(owner.path);
        ecdsa::Signature::sighash_all(
            self.keys.secp().sign_ecdsa_low_r(&Message::from_digest(digest), &secret),
        )
    }
}
