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
