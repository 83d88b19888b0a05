use bitcoin::absolute::LockTime;
use bitcoin::hashes::Hash;
use bitcoin::secp256k1::{Message, Secp256k1, VerifyOnly, XOnlyPublicKey};
use bitcoin::sighash::{Prevouts, SighashCache};
use bitcoin::{PublicKey, Script, Sequence, Transaction, TxOut, ecdsa, taproot};

use super::machine::Run;

/// Which kind of digest signatures cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rules {
    Legacy,
    /// BIP143, with the stricter rules for script values.
    Segwit,
}

/// Checks signatures and locks of one input.
pub(super) struct Checker<'a> {
    tx: &'a Transaction,
    index: usize,
    spent: &'a [TxOut],
    cache: SighashCache<&'a Transaction>,
    secp: Secp256k1<VerifyOnly>,
    pub(super) rules: Rules,
}

impl<'a> Checker<'a> {
    pub(super) fn new(tx: &'a Transaction, index: usize, spent: &'a [TxOut], rules: Rules) -> Self {
        Self { tx, index, spent, cache: SighashCache::new(tx), secp: Secp256k1::verification_only(), rules }
    }

    /// Whether the signature over this input, with `script` as its code, is by the key.
    pub(super) fn check(
        &mut self,
        signature: &[u8],
        key: &[u8],
        script: &Script,
    ) -> Result<bool, &'static str> {
        if signature.is_empty() {
            return Ok(false);
        }
        let signature = ecdsa::Signature::from_slice(signature).map_err(|_| "Non-canonical DER signature")?;
        if self.rules == Rules::Segwit && key.len() != 33 {
            return Err("Using non-compressed keys in segwit");
        }
        let key =
            PublicKey::from_slice(key).map_err(|_| "Public key is neither compressed or uncompressed")?;
        let kind = signature.sighash_type;
        let digest = match self.rules {
            Rules::Legacy => {
                let hash = self.cache.legacy_signature_hash(self.index, script, kind.to_u32());
                hash.map(|hash| hash.to_byte_array())
                    .map_err(|_| "Signature hash type missing or not understood")?
            }
            Rules::Segwit => {
                let value = self.spent[self.index].value;
                let hash = self.cache.p2wsh_signature_hash(self.index, script, value, kind);
                hash.map(|hash| hash.to_byte_array())
                    .map_err(|_| "Signature hash type missing or not understood")?
            }
        };
        let message = Message::from_digest(digest);
        Ok(self.secp.verify_ecdsa(&message, &signature.signature, &key.inner).is_ok())
    }

    /// P2TR by its key (BIP341).
    pub(super) fn check_key_path(&mut self, signature: &[u8], key: &[u8]) -> Run {
        let signature =
            taproot::Signature::from_slice(signature).map_err(|_| "Invalid Schnorr signature size")?;
        let key = XOnlyPublicKey::from_slice(key).map_err(|_| "Invalid Schnorr signature")?;
        let digest = self
            .cache
            .taproot_key_spend_signature_hash(self.index, &Prevouts::All(self.spent), signature.sighash_type)
            .map_err(|_| "Invalid Schnorr signature hash type")?;
        let message = Message::from_digest(digest.to_byte_array());
        self.secp
            .verify_schnorr(&signature.signature, &message, &key)
            .map_err(|_| "Invalid Schnorr signature")
    }

    /// OP_CHECKLOCKTIMEVERIFY (BIP65).
    pub(super) fn check_lock_time(&self, wanted: i64) -> Run {
        let wanted = u32::try_from(wanted).map_err(|_| "Locktime requirement not satisfied")?;
        let final_input = self.tx.input[self.index].sequence == Sequence::MAX;
        let reached = LockTime::from_consensus(wanted).is_implied_by(self.tx.lock_time);
        if reached && !final_input { Ok(()) } else { Err("Locktime requirement not satisfied") }
    }

    /// OP_CHECKSEQUENCEVERIFY (BIP112).
    pub(super) fn check_sequence(&self, wanted: i64) -> Run {
        const DISABLED: i64 = 1 << 31;
        let failed = Err("Locktime requirement not satisfied");
        if wanted < 0 {
            return Err("Negative locktime");
        }
        if wanted & DISABLED != 0 {
            return Ok(());
        }
        let Ok(wanted) = u32::try_from(wanted & 0xffff_ffff) else { return failed };
        let own = self.tx.input[self.index].sequence.to_relative_lock_time();
        match (Sequence::from_consensus(wanted).to_relative_lock_time(), own) {
            (Some(wanted), Some(own)) if self.tx.version.0 >= 2 && wanted.is_implied_by(own) => Ok(()),
            _ => failed,
        }
    }
}
