use bitcoin::hashes::{Hash, hash160};
use bitcoin::script::Instruction;
use bitcoin::{Script, ScriptBuf, Transaction, TxOut, Witness, WitnessVersion};

use super::machine::{Machine, Run, is_true};
use super::signature::{Checker, Rules};
use super::{Coin, Res, RpcErr};

/// Runs the scripts of all inputs; `coins` are what they spend, in order.
pub(super) fn verify(tx: &Transaction, coins: &[Coin]) -> Res<()> {
    let spent: Vec<TxOut> = coins.iter().map(|coin| coin.out.clone()).collect();
    for (index, out) in spent.iter().enumerate() {
        let mut input = Input { tx, index, spent: &spent };
        input
            .unlock(&out.script_pubkey)
            .map_err(|why| RpcErr::rejected(format!("mempool-script-verify-flag-failed ({why})")))?;
    }
    Ok(())
}

/// One input with all that its signatures may cover.
struct Input<'a> {
    tx: &'a Transaction,
    index: usize,
    spent: &'a [TxOut],
}

impl Input<'_> {
    fn script_sig(&self) -> &Script {
        &self.tx.input[self.index].script_sig
    }

    fn witness(&self) -> &Witness {
        &self.tx.input[self.index].witness
    }

    fn unlock(&mut self, lock: &Script) -> Run {
        if lock.is_witness_program() {
            if !self.script_sig().is_empty() {
                return Err("Witness requires empty scriptSig");
            }
            return self.unlock_program(lock);
        }
        let mut machine = Machine::new(Vec::new());
        let mut checker = self.checker(Rules::Legacy);
        machine.run(self.script_sig(), &mut checker)?;
        let pushed = machine.stack().to_vec();
        machine.run(lock, &mut checker)?;
        if !machine.stack().last().is_some_and(|top| is_true(top)) {
            return Err("Script evaluated without error but finished with a false/empty top stack element");
        }
        if lock.is_p2sh() {
            return self.unlock_hash(pushed);
        }
        if self.witness().is_empty() {
            machine.finish()
        } else {
            Err("Witness provided for non-witness script")
        }
    }

    /// P2SH, once the redeem script's hash is known to be right.
    fn unlock_hash(&mut self, mut pushed: Vec<Vec<u8>>) -> Run {
        let is_push = |step: Result<Instruction<'_>, _>| step.is_ok_and(|step| step.push_bytes().is_some());
        if !self.script_sig().instructions().all(is_push) {
            return Err("Only push operators allowed in signatures");
        }
        let redeem = ScriptBuf::from(pushed.pop().unwrap_or_default());
        if redeem.is_witness_program() {
            if !pushed.is_empty() {
                return Err("Witness requires only-redeemscript scriptSig");
            }
            return self.unlock_program(&redeem);
        }
        let mut machine = Machine::new(pushed);
        machine.run(&redeem, &mut self.checker(Rules::Legacy))?;
        if self.witness().is_empty() {
            machine.finish()
        } else {
            Err("Witness provided for non-witness script")
        }
    }

    fn unlock_program(&mut self, program: &Script) -> Run {
        let witness: Vec<Vec<u8>> = self.witness().to_vec();
        let hash = &program.as_bytes()[2..];
        match program.witness_version() {
            Some(WitnessVersion::V0) if hash.len() == 20 => {
                let mismatch = witness.len() != 2 || hash160::Hash::hash(&witness[1]).as_byte_array() != hash;
                if mismatch {
                    return Err("Witness program hash mismatch");
                }
                let key =
                    bitcoin::WPubkeyHash::from_slice(hash).map_err(|_| "Witness program hash mismatch")?;
                let code = ScriptBuf::new_p2pkh(&key.to_raw_hash().into());
                self.run_v0(witness, &code)
            }
            Some(WitnessVersion::V0) if hash.len() == 32 => {
                let (script, stack) =
                    witness.split_last().ok_or("Witness program was passed an empty witness")?;
                let script = Script::from_bytes(script);
                if script.wscript_hash().as_byte_array() != hash {
                    return Err("Witness program hash mismatch");
                }
                self.run_v0(stack.to_vec(), script)
            }
            Some(WitnessVersion::V0) => Err("Witness program has incorrect length"),
            Some(WitnessVersion::V1) if hash.len() == 32 => self.unlock_taproot(hash, witness),
            // Pay-to-anchor is for anyone, by design.
            Some(WitnessVersion::V1) if hash == [0x4e, 0x73] && witness.is_empty() => Ok(()),
            _ => Err("Witness version reserved for soft-fork upgrades"),
        }
    }

    fn run_v0(&mut self, stack: Vec<Vec<u8>>, script: &Script) -> Run {
        if stack.iter().any(|item| item.len() > super::machine::MAX_ITEM_BYTES) {
            return Err("Push value size limit exceeded");
        }
        let mut machine = Machine::new(stack);
        machine.run(script, &mut self.checker(Rules::Segwit))?;
        machine.finish()
    }

    fn unlock_taproot(&mut self, key: &[u8], mut witness: Vec<Vec<u8>>) -> Run {
        const ANNEX_TAG: u8 = 0x50;
        if witness.len() >= 2 && witness.last().is_some_and(|last| last.first() == Some(&ANNEX_TAG)) {
            return Err("Taproot annexes are not run by the playground");
        }
        match (witness.pop(), witness.len()) {
            (None, _) => Err("Witness program was passed an empty witness"),
            (Some(signature), 0) => self.checker(Rules::Segwit).check_key_path(&signature, key),
            (Some(_), _) => Err("Taproot script paths are not run by the playground"),
        }
    }

    fn checker(&self, rules: Rules) -> Checker<'_> {
        Checker::new(self.tx, self.index, self.spent, rules)
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::absolute::LockTime;
    use bitcoin::ecdsa::Signature;
    use bitcoin::hashes::sha256;
    use bitcoin::opcodes::all::*;
    use bitcoin::script::Builder;
    use bitcoin::secp256k1::{Message, Secp256k1, SecretKey};
    use bitcoin::sighash::{EcdsaSighashType, SighashCache};
    use bitcoin::transaction::Version;
    use bitcoin::{Amount, OutPoint, PublicKey, Sequence, TxIn};

    use super::*;

    fn key(n: u8) -> (SecretKey, PublicKey) {
        let secret = SecretKey::from_slice(&[n; 32]).unwrap();
        (secret, PublicKey::new(secret.public_key(&Secp256k1::new())))
    }

    /// Spends a coin of 2 BTC behind `script`; `unlock` makes the witness from a signing function.
    fn spend(
        script: &Script,
        (lock_time, sequence): (u32, u32),
        unlock: impl Fn(&dyn Fn(u8) -> Vec<u8>) -> Vec<Vec<u8>>,
    ) -> Result<(), String> {
        let out = TxOut { value: Amount::from_sat(200_000_000), script_pubkey: script.to_p2wsh() };
        let mut tx = Transaction {
            version: Version::TWO,
            lock_time: LockTime::from_consensus(lock_time),
            input: vec![TxIn {
                previous_output: OutPoint::new(bitcoin::Txid::all_zeros(), 0),
                script_sig: ScriptBuf::new(),
                sequence: Sequence::from_consensus(sequence),
                witness: Witness::new(),
            }],
            output: vec![TxOut { value: Amount::from_sat(199_000_000), script_pubkey: script.to_p2wsh() }],
        };
        let kind = EcdsaSighashType::All;
        let digest = SighashCache::new(&tx).p2wsh_signature_hash(0, script, out.value, kind).unwrap();
        let message = Message::from_digest(digest.to_byte_array());
        let sign = |n: u8| {
            let signature = Secp256k1::new().sign_ecdsa(&message, &key(n).0);
            Signature { signature, sighash_type: kind }.to_vec()
        };
        let witness = [unlock(&sign), vec![script.to_bytes()]].concat();
        tx.input[0].witness = Witness::from_slice(&witness);
        verify(&tx, &[Coin { out, height: 1, coinbase: false }]).map_err(|error| error.message)
    }

    fn refused(why: &str) -> Result<(), String> {
        Err(format!("mempool-script-verify-flag-failed ({why})"))
    }

    /// A channel's funding output (BOLT 3): two of two.
    #[test]
    fn a_funding_output_needs_both_signatures_in_order() {
        let script = Builder::new().push_int(2).push_key(&key(1).1).push_key(&key(2).1).push_int(2);
        let script = script.push_opcode(OP_CHECKMULTISIG).into_script();
        let failed = refused("Signature must be zero for failed CHECK(MULTI)SIG operation");
        let plain = (0, u32::MAX);

        assert_eq!(spend(&script, plain, |sign| vec![vec![], sign(1), sign(2)]), Ok(()));
        assert_eq!(spend(&script, plain, |sign| vec![vec![], sign(2), sign(1)]), failed);
        assert_eq!(spend(&script, plain, |sign| vec![vec![], sign(1), sign(1)]), failed);
        let dummy = refused("Dummy CHECKMULTISIG argument must be zero");
        assert_eq!(spend(&script, plain, |sign| vec![vec![1], sign(1), sign(2)]), dummy);
    }

    /// A commitment's delayed output (BOLT 3): the revocation key at once, the owner's key after the delay.
    #[test]
    fn a_delayed_output_waits_unless_it_is_revoked() {
        let script = Builder::new()
            .push_opcode(OP_IF)
            .push_key(&key(1).1)
            .push_opcode(OP_ELSE)
            .push_int(144)
            .push_opcode(OP_CSV)
            .push_opcode(OP_DROP)
            .push_key(&key(2).1)
            .push_opcode(OP_ENDIF)
            .push_opcode(OP_CHECKSIG)
            .into_script();
        let early = refused("Locktime requirement not satisfied");

        assert_eq!(spend(&script, (0, 0), |sign| vec![sign(1), vec![1]]), Ok(()));
        assert_eq!(spend(&script, (0, 144), |sign| vec![sign(2), vec![]]), Ok(()));
        assert_eq!(spend(&script, (0, 143), |sign| vec![sign(2), vec![]]), early);
        let minimal = refused("OP_IF/NOTIF argument must be minimal");
        assert_eq!(spend(&script, (0, 0), |sign| vec![sign(1), vec![2]]), minimal);
    }

    /// A received HTLC (BOLT 3): the preimage with a second-stage signature, or the timeout.
    #[test]
    fn an_htlc_takes_the_preimage_or_the_timeout() {
        let preimage = [5; 32];
        let payment = sha256::Hash::hash(&preimage);
        let hash = bitcoin::hashes::ripemd160::Hash::hash(payment.as_byte_array());
        let script = Builder::new()
            .push_key(&key(1).1)
            .push_opcode(OP_SWAP)
            .push_opcode(OP_SIZE)
            .push_int(32)
            .push_opcode(OP_EQUAL)
            .push_opcode(OP_IF)
            .push_opcode(OP_HASH160)
            .push_slice(hash.to_byte_array())
            .push_opcode(OP_EQUALVERIFY)
            .push_int(2)
            .push_opcode(OP_SWAP)
            .push_key(&key(2).1)
            .push_int(2)
            .push_opcode(OP_CHECKMULTISIG)
            .push_opcode(OP_ELSE)
            .push_opcode(OP_DROP)
            .push_int(500)
            .push_opcode(OP_CLTV)
            .push_opcode(OP_DROP)
            .push_opcode(OP_CHECKSIG)
            .push_opcode(OP_ENDIF)
            .into_script();
        let claim = |preimage: [u8; 32]| {
            spend(&script, (0, 0), |sign| vec![vec![], sign(1), sign(2), preimage.to_vec()])
        };

        assert_eq!(claim(preimage), Ok(()));
        assert_eq!(claim([6; 32]), refused("Script failed an OP_EQUALVERIFY operation"));
        assert_eq!(spend(&script, (500, 0), |sign| vec![sign(1), vec![]]), Ok(()));
        let early = refused("Locktime requirement not satisfied");
        assert_eq!(spend(&script, (499, 0), |sign| vec![sign(1), vec![]]), early);
    }

    #[test]
    fn what_the_playground_cannot_run_is_refused_by_name() {
        let script = Builder::new().push_opcode(OP_CODESEPARATOR).push_int(1).into_script();

        let outcome = spend(&script, (0, 0), |_| vec![]);

        assert_eq!(outcome, refused("OP_CODESEPARATOR is not run by the playground"));
    }
}
