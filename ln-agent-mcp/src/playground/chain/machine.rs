use bitcoin::Script;
use bitcoin::opcodes::Opcode;
use bitcoin::opcodes::all::*;
use bitcoin::script::Instruction;

use super::signature::{Checker, Rules};

/// A step's outcome; the error is bitcoind's text for it.
pub(super) type Run = Result<(), &'static str>;

pub(super) const MAX_ITEM_BYTES: usize = 520;
const MAX_STACK: usize = 1_000;
const MAX_SCRIPT_BYTES: usize = 10_000;
const TOO_FEW: &str = "Operation not valid with the current stack size";

/// Bitcoin's stack machine.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) stack: Vec<Vec<u8>>,
    pub(super) side: Vec<Vec<u8>>,
    /// Whether each open branch is taken.
    branches: Vec<bool>,
}

pub(super) fn is_true(item: &[u8]) -> bool {
    let Some((last, rest)) = item.split_last() else { return false };
    rest.iter().any(|byte| *byte != 0) || (*last != 0 && *last != 0x80)
}

impl Machine {
    pub(super) const fn new(stack: Vec<Vec<u8>>) -> Self {
        Self { stack, side: Vec::new(), branches: Vec::new() }
    }

    pub(super) fn stack(&self) -> &[Vec<u8>] {
        &self.stack
    }

    /// Nothing but one true value may be left.
    pub(super) fn finish(&self) -> Run {
        match self.stack.as_slice() {
            [only] if is_true(only) => Ok(()),
            [.., top] if is_true(top) => Err("Stack size must be exactly one after execution"),
            _ => Err("Script evaluated without error but finished with a false/empty top stack element"),
        }
    }

    pub(super) fn run(&mut self, script: &Script, checker: &mut Checker<'_>) -> Run {
        if script.len() > MAX_SCRIPT_BYTES {
            return Err("Script is too big");
        }
        for step in script.instructions() {
            match step.map_err(|_| "Opcode missing or not understood")? {
                Instruction::PushBytes(data) if data.len() > MAX_ITEM_BYTES => {
                    return Err("Push value size limit exceeded");
                }
                Instruction::PushBytes(data) if self.is_running() => {
                    self.stack.push(data.as_bytes().to_vec())
                }
                Instruction::PushBytes(_) => {}
                Instruction::Op(op @ (OP_IF | OP_NOTIF | OP_ELSE | OP_ENDIF)) => {
                    self.branch(op, checker.rules)?
                }
                Instruction::Op(op) if self.is_running() => self.step(op, script, checker)?,
                Instruction::Op(_) => {}
            }
            if self.stack.len() + self.side.len() > MAX_STACK {
                return Err("Stack size limit exceeded");
            }
        }
        self.side.clear();
        if self.branches.is_empty() { Ok(()) } else { Err("Invalid OP_IF construction") }
    }

    fn is_running(&self) -> bool {
        !self.branches.contains(&false)
    }

    fn branch(&mut self, op: Opcode, rules: Rules) -> Run {
        match op {
            OP_IF | OP_NOTIF if !self.is_running() => self.branches.push(false),
            OP_IF | OP_NOTIF => {
                let item = self.pop()?;
                if rules == Rules::Segwit && !(item.is_empty() || item == [1]) {
                    return Err("OP_IF/NOTIF argument must be minimal");
                }
                self.branches.push(is_true(&item) == (op == OP_IF));
            }
            OP_ELSE => {
                let branch = self.branches.last_mut().ok_or("Invalid OP_IF construction")?;
                *branch = !*branch;
            }
            _ => {
                self.branches.pop().ok_or("Invalid OP_IF construction")?;
            }
        }
        Ok(())
    }

    fn step(&mut self, op: Opcode, script: &Script, checker: &mut Checker<'_>) -> Run {
        match op {
            OP_CHECKSIG | OP_CHECKSIGVERIFY => {
                let (key, signature) = (self.pop()?, self.pop()?);
                let good = checker.check(&signature, &key, script)?;
                if !good && !signature.is_empty() {
                    return Err("Signature must be zero for failed CHECK(MULTI)SIG operation");
                }
                self.conclude(good, op == OP_CHECKSIGVERIFY, "Script failed an OP_CHECKSIGVERIFY operation")
            }
            OP_CHECKMULTISIG | OP_CHECKMULTISIGVERIFY => {
                let good = self.multisig(script, checker)?;
                let verify = op == OP_CHECKMULTISIGVERIFY;
                self.conclude(good, verify, "Script failed an OP_CHECKMULTISIGVERIFY operation")
            }
            OP_CLTV => checker.check_lock_time(self.peek_number()?),
            OP_CSV => checker.check_sequence(self.peek_number()?),
            OP_CODESEPARATOR => Err("OP_CODESEPARATOR is not run by the playground"),
            _ => self.plain(op),
        }
    }

    fn multisig(&mut self, script: &Script, checker: &mut Checker<'_>) -> Result<bool, &'static str> {
        let keys = self.pop_counted(20, "Pubkey count negative or limit exceeded")?;
        let signatures =
            self.pop_counted(keys.len(), "Signature count negative or greater than pubkey count")?;
        if !self.pop()?.is_empty() {
            return Err("Dummy CHECKMULTISIG argument must be zero");
        }
        // Both lists come in the order of the script; each signature takes the next key that it is by.
        let mut candidates = keys.iter();
        let mut good = true;
        for signature in &signatures {
            let mut found = false;
            while !found && let Some(key) = candidates.next() {
                found = checker.check(signature, key, script)?;
            }
            good &= found;
        }
        if !good && signatures.iter().any(|signature| !signature.is_empty()) {
            return Err("Signature must be zero for failed CHECK(MULTI)SIG operation");
        }
        Ok(good)
    }

    /// A count, and that many values in the order in which they were pushed.
    fn pop_counted(&mut self, most: usize, error: &'static str) -> Result<Vec<Vec<u8>>, &'static str> {
        let count = usize::try_from(self.pop_number()?).map_err(|_| error)?;
        if count > most {
            return Err(error);
        }
        let start = self.stack.len().checked_sub(count).ok_or(TOO_FEW)?;
        Ok(self.stack.split_off(start))
    }

    /// Pushes the result, or fails on a false one where the operation is of the verifying kind.
    pub(super) fn conclude(&mut self, good: bool, verify: bool, error: &'static str) -> Run {
        match (verify, good) {
            (true, true) => {}
            (true, false) => return Err(error),
            (false, _) => self.push_bool(good),
        }
        Ok(())
    }

    pub(super) fn pop(&mut self) -> Result<Vec<u8>, &'static str> {
        self.stack.pop().ok_or(TOO_FEW)
    }

    /// The index of the value `depth` places below the top.
    pub(super) fn at(&self, depth: usize) -> Result<usize, &'static str> {
        self.stack.len().checked_sub(depth + 1).ok_or(TOO_FEW)
    }

    pub(super) fn push_bool(&mut self, value: bool) {
        self.stack.push(if value { vec![1] } else { Vec::new() });
    }

    fn peek_number(&self) -> Result<i64, &'static str> {
        number(&self.stack[self.at(0)?], 5)
    }

    pub(super) fn pop_number(&mut self) -> Result<i64, &'static str> {
        number(&self.pop()?, 4)
    }
}

/// A script number: little-endian, sign in the top bit, no spare bytes, at most `most` bytes.
fn number(item: &[u8], most: usize) -> Result<i64, &'static str> {
    let Some((last, rest)) = item.split_last() else { return Ok(0) };
    let spare = last & 0x7f == 0 && rest.last().is_none_or(|byte| byte & 0x80 == 0);
    if item.len() > most || spare {
        return Err("unknown error");
    }
    let size = i64::from(last & 0x7f) << (8 * rest.len());
    let size = rest.iter().enumerate().fold(size, |sum, (place, byte)| sum | i64::from(*byte) << (8 * place));
    Ok(if last & 0x80 == 0 { size } else { -size })
}
