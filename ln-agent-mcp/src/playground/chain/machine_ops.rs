use bitcoin::hashes::{Hash, hash160, ripemd160, sha1, sha256, sha256d};
use bitcoin::opcodes::Opcode;
use bitcoin::opcodes::all::*;
use bitcoin::script::write_scriptint;

use super::machine::{Machine, Run, is_true};

impl Machine {
    /// Operations that need neither the transaction nor the script.
    pub(super) fn plain(&mut self, op: Opcode) -> Run {
        match op {
            OP_PUSHNUM_NEG1 => self.push_number(-1),
            OP_NOP | OP_NOP1 => {}
            OP_VERIFY => {
                let good = is_true(&self.pop()?);
                return self.conclude(good, true, "Script failed an OP_VERIFY operation");
            }
            OP_RETURN => return Err("OP_RETURN was encountered"),
            OP_EQUAL | OP_EQUALVERIFY => {
                let equal = self.pop()? == self.pop()?;
                return self.conclude(
                    equal,
                    op == OP_EQUALVERIFY,
                    "Script failed an OP_EQUALVERIFY operation",
                );
            }
            OP_RIPEMD160 | OP_SHA1 | OP_SHA256 | OP_HASH160 | OP_HASH256 => {
                let item = self.pop()?;
                self.stack.push(digest(op, &item));
            }
            _ if (OP_PUSHNUM_1.to_u8()..=OP_PUSHNUM_16.to_u8()).contains(&op.to_u8()) => {
                self.push_number(i64::from(op.to_u8() - OP_PUSHNUM_1.to_u8()) + 1);
            }
            _ => return self.shuffle(op),
        }
        Ok(())
    }

    /// Operations that only move values about.
    fn shuffle(&mut self, op: Opcode) -> Run {
        match op {
            OP_TOALTSTACK => {
                let item = self.pop()?;
                self.side.push(item);
            }
            OP_FROMALTSTACK => {
                let item = self.side.pop().ok_or("Operation not valid with the current altstack size")?;
                self.stack.push(item);
            }
            OP_DROP => drop(self.pop()?),
            OP_2DROP => drop((self.pop()?, self.pop()?)),
            OP_DUP => self.copy(0, 1)?,
            OP_2DUP => self.copy(1, 2)?,
            OP_3DUP => self.copy(2, 3)?,
            OP_OVER => self.copy(1, 1)?,
            OP_2OVER => self.copy(3, 2)?,
            OP_IFDUP if self.stack.last().is_some_and(|top| !is_true(top)) => {}
            OP_IFDUP => self.copy(0, 1)?,
            OP_NIP => drop(self.stack.remove(self.at(1)?)),
            OP_SWAP => self.lift(1, 1)?,
            OP_ROT => self.lift(2, 1)?,
            OP_2SWAP => self.lift(3, 2)?,
            OP_2ROT => self.lift(5, 2)?,
            OP_TUCK => {
                let top = self.stack[self.at(0)?].clone();
                let place = self.at(1)?;
                self.stack.insert(place, top);
            }
            OP_PICK | OP_ROLL => {
                let depth = usize::try_from(self.pop_number()?)
                    .map_err(|_| "Operation not valid with the current stack size")?;
                if op == OP_PICK { self.copy(depth, 1)? } else { self.lift(depth, 1)? }
            }
            OP_DEPTH => self.push_size(self.stack.len()),
            OP_SIZE => self.push_size(self.stack[self.at(0)?].len()),
            _ => return self.arithmetic(op),
        }
        Ok(())
    }

    fn arithmetic(&mut self, op: Opcode) -> Run {
        match op {
            OP_1ADD | OP_1SUB | OP_NEGATE | OP_ABS | OP_NOT | OP_0NOTEQUAL => {
                let value = self.pop_number()?;
                self.push_number(match op {
                    OP_1ADD => value + 1,
                    OP_1SUB => value - 1,
                    OP_NEGATE => -value,
                    OP_ABS => value.abs(),
                    OP_NOT => i64::from(value == 0),
                    _ => i64::from(value != 0),
                });
                Ok(())
            }
            OP_WITHIN => {
                let (end, start, value) = (self.pop_number()?, self.pop_number()?, self.pop_number()?);
                self.push_bool((start..end).contains(&value));
                Ok(())
            }
            _ => {
                let compute = pair(op)?;
                let (right, left) = (self.pop_number()?, self.pop_number()?);
                let result = compute(left, right);
                if op == OP_NUMEQUALVERIFY {
                    return self.conclude(result != 0, true, "Script failed an OP_NUMEQUALVERIFY operation");
                }
                self.push_number(result);
                Ok(())
            }
        }
    }

    /// Copies `count` values, the lowest of them `depth` places below the top, onto the stack.
    fn copy(&mut self, depth: usize, count: usize) -> Run {
        let start = self.at(depth)?;
        self.stack.extend_from_within(start..start + count);
        Ok(())
    }

    /// Moves `count` values, the lowest of them `depth` places below the top, onto the stack.
    fn lift(&mut self, depth: usize, count: usize) -> Run {
        let start = self.at(depth)?;
        let lifted: Vec<Vec<u8>> = self.stack.drain(start..start + count).collect();
        self.stack.extend(lifted);
        Ok(())
    }

    fn push_size(&mut self, size: usize) {
        self.push_number(i64::try_from(size).expect("stacks and values are small"));
    }

    fn push_number(&mut self, value: i64) {
        let mut bytes = [0; 8];
        let length = write_scriptint(&mut bytes, value);
        self.stack.push(bytes[..length].to_vec());
    }
}

fn digest(op: Opcode, item: &[u8]) -> Vec<u8> {
    match op {
        OP_RIPEMD160 => ripemd160::Hash::hash(item).to_byte_array().to_vec(),
        OP_SHA1 => sha1::Hash::hash(item).to_byte_array().to_vec(),
        OP_SHA256 => sha256::Hash::hash(item).to_byte_array().to_vec(),
        OP_HASH160 => hash160::Hash::hash(item).to_byte_array().to_vec(),
        _ => sha256d::Hash::hash(item).to_byte_array().to_vec(),
    }
}

fn pair(op: Opcode) -> Result<fn(i64, i64) -> i64, &'static str> {
    Ok(match op {
        OP_ADD => |a, b| a + b,
        OP_SUB => |a, b| a - b,
        OP_BOOLAND => |a, b| i64::from(a != 0 && b != 0),
        OP_BOOLOR => |a, b| i64::from(a != 0 || b != 0),
        OP_NUMEQUAL | OP_NUMEQUALVERIFY => |a, b| i64::from(a == b),
        OP_NUMNOTEQUAL => |a, b| i64::from(a != b),
        OP_LESSTHAN => |a, b| i64::from(a < b),
        OP_GREATERTHAN => |a, b| i64::from(a > b),
        OP_LESSTHANOREQUAL => |a, b| i64::from(a <= b),
        OP_GREATERTHANOREQUAL => |a, b| i64::from(a >= b),
        OP_MIN => i64::min,
        OP_MAX => i64::max,
        _ => return Err("Opcode missing or not understood"),
    })
}
