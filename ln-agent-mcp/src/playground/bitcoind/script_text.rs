use bitcoin::opcodes::Opcode;
use bitcoin::opcodes::all::{OP_CLTV, OP_CSV, OP_PUSHNUM_1, OP_PUSHNUM_16, OP_PUSHNUM_NEG1};
use bitcoin::script::Instruction;
use bitcoin::{Address, Network, Script};

use super::answer::{Fields, object};
use super::render::hex;
use crate::playground::wallet::with_checksum;

/// An output's script as bitcoind shows it.
pub(super) fn script_pub_key(script: &Script) -> Fields {
    let address = Address::from_script(script, Network::Regtest).ok().map(|address| address.to_string());
    object()
        .with("asm", assembly(script))
        .with("desc", descriptor(script, address.as_deref()))
        .with("hex", hex(script.as_bytes()))
        .with_some("address", address)
        .with("type", kind(script))
}

fn descriptor(script: &Script, address: Option<&str>) -> String {
    with_checksum(&match address {
        _ if script.is_p2tr() => format!("rawtr({})", hex(&script.as_bytes()[2..])),
        Some(address) => format!("addr({address})"),
        None => format!("raw({})", hex(script.as_bytes())),
    })
}

pub(super) fn kind(script: &Script) -> &'static str {
    /// Pay-to-anchor: `OP_1 <4e73>`.
    const ANCHOR: [u8; 4] = [0x51, 0x02, 0x4e, 0x73];
    match script {
        _ if script.as_bytes() == ANCHOR => "anchor",
        _ if script.is_p2pk() => "pubkey",
        _ if script.is_p2pkh() => "pubkeyhash",
        _ if script.is_p2sh() => "scripthash",
        _ if script.is_p2wpkh() => "witness_v0_keyhash",
        _ if script.is_p2wsh() => "witness_v0_scripthash",
        _ if script.is_p2tr() => "witness_v1_taproot",
        _ if script.is_witness_program() => "witness_unknown",
        _ if script.is_op_return() => "nulldata",
        _ if script.is_multisig() => "multisig",
        _ => "nonstandard",
    }
}

/// The script in bitcoind's words.
pub(super) fn assembly(script: &Script) -> String {
    words(script, hex)
}

/// The script of an input; signatures end with their hash type in brackets.
pub(super) fn assembly_of_input(script: &Script) -> String {
    words(script, |data| match data.split_last() {
        Some((kind, signature)) if bitcoin::ecdsa::Signature::from_slice(data).is_ok() => {
            let kind = match kind {
                0x01 => "ALL",
                0x02 => "NONE",
                0x03 => "SINGLE",
                0x81 => "ALL|ANYONECANPAY",
                0x82 => "NONE|ANYONECANPAY",
                _ => "SINGLE|ANYONECANPAY",
            };
            format!("{}[{kind}]", hex(signature))
        }
        _ => hex(data),
    })
}

fn words(script: &Script, data: impl Fn(&[u8]) -> String) -> String {
    let words = script.instructions().map(|instruction| match instruction {
        // bitcoind shows up to four bytes as the number they stand for.
        Ok(Instruction::PushBytes(push)) => {
            match bitcoin::script::read_scriptint_non_minimal(push.as_bytes()) {
                Ok(number) if push.len() <= 4 => number.to_string(),
                _ => data(push.as_bytes()),
            }
        }
        Ok(Instruction::Op(op)) => opcode(op),
        Err(_) => "[error]".to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn opcode(op: Opcode) -> String {
    match op {
        OP_PUSHNUM_NEG1 => "-1".to_owned(),
        OP_CSV => "OP_CHECKSEQUENCEVERIFY".to_owned(),
        OP_CLTV => "OP_CHECKLOCKTIMEVERIFY".to_owned(),
        _ if (OP_PUSHNUM_1.to_u8()..=OP_PUSHNUM_16.to_u8()).contains(&op.to_u8()) => {
            (op.to_u8() - OP_PUSHNUM_1.to_u8() + 1).to_string()
        }
        _ => op.to_string(),
    }
}
