use std::collections::HashMap;

use bitcoin::absolute::LockTime;
use bitcoin::block::{Header, Version};
use bitcoin::hashes::Hash;
use bitcoin::opcodes::all::OP_RETURN;
use bitcoin::script::Builder;
use bitcoin::transaction::Version as TxVersion;
use bitcoin::{
    Amount, Block, BlockHash, CompactTarget, OutPoint, Script, ScriptBuf, Sequence, Transaction, TxIn,
    TxMerkleNode, TxOut, Weight, Witness,
};

use super::check::check_form;
use super::{Chain, Coin, Res, RpcErr, clock, subsidy};

/// Regtest's difficulty: every second hash will do.
const BITS: u32 = 0x207f_ffff;
/// Version bits without any signal.
const VERSION: i32 = 0x2000_0000;
/// BIP141: the coinbase's witness, and what its commitment is salted with.
const WITNESS_RESERVED: [u8; 32] = [0; 32];
const COMMITMENT_TAG: [u8; 4] = [0xaa, 0x21, 0xa9, 0xed];
/// Block limit less room for header and coinbase.
const MAX_WEIGHT: Weight = Weight::from_wu(3_996_000);

impl Chain {
    /// Mines one block of the whole mempool; `script` gets the subsidy and the fees.
    pub fn mine_to(&mut self, script: &Script) -> BlockHash {
        let mut weight = Weight::ZERO;
        let mut left_out = Vec::new();
        let (mut chosen, mut fees) = (Vec::new(), 0);
        for entry in self.mem_entries() {
            let orphaned = entry.tx.input.iter().any(|input| left_out.contains(&input.previous_output.txid));
            if orphaned || weight + entry.tx.weight() > MAX_WEIGHT {
                left_out.push(entry.txid);
                continue;
            }
            weight += entry.tx.weight();
            fees += entry.fee;
            chosen.push(entry.tx.clone());
        }
        let block = self.assemble(script, chosen, fees);
        self.connect(block)
    }

    /// Mines one block of these transactions and no others.
    ///
    /// # Errors
    ///
    /// Code −25 if a transaction breaks a rule, spends what does not exist, or comes before its parent.
    pub fn mine_exactly(&mut self, script: &Script, txs: Vec<Transaction>) -> Res<BlockHash> {
        let invalid = |reason: String| RpcErr::new(-25, format!("TestBlockValidity failed: {reason}"));
        let mut made: HashMap<OutPoint, Coin> = HashMap::new();
        let mut spent = Vec::new();
        let mut fees = 0;
        for tx in &txs {
            check_form(tx).map_err(|error| invalid(error.message))?;
            let coins: Option<Vec<Coin>> = tx
                .input
                .iter()
                .map(|input| {
                    let place = &input.previous_output;
                    let coin = self.utxo(place).or_else(|| made.get(place))?;
                    (!spent.contains(place)).then(|| coin.clone())
                })
                .collect();
            let coins = coins.ok_or_else(|| invalid("bad-txns-inputs-missingorspent".to_owned()))?;
            fees += self.check_spend(tx, &coins).map_err(|error| invalid(error.message))?;
            super::script::verify(tx, &coins).map_err(|error| invalid(error.message))?;
            spent.extend(tx.input.iter().map(|input| input.previous_output));
            let txid = tx.compute_txid();
            made.extend((0u32..).zip(&tx.output).map(|(vout, out)| {
                let coin = Coin { out: out.clone(), height: self.height() + 1, coinbase: false };
                (OutPoint::new(txid, vout), coin)
            }));
        }
        let block = self.assemble(script, txs, fees);
        Ok(self.connect(block))
    }

    /// Mines `count` blocks whose rewards nobody can spend.
    pub fn mine(&mut self, count: u32) -> Vec<BlockHash> {
        let nobody = Builder::new().push_int(0).push_slice([0u8; 20]).into_script();
        (0..count).map(|_| self.mine_to(&nobody)).collect()
    }

    fn assemble(&self, script: &Script, txs: Vec<Transaction>, fees: u64) -> Block {
        let height = self.height() + 1;
        // Blocks of one height must differ even when they pay the same script: number them as they are made.
        let number = u64::try_from(self.blocks.len()).expect("a count fits 64 bits");
        let reward = subsidy(height) + Amount::from_sat(fees);
        let mut block = Block {
            header: Header {
                version: Version::from_consensus(VERSION),
                prev_blockhash: self.tip().hash,
                merkle_root: TxMerkleNode::all_zeros(),
                time: clock(height),
                bits: CompactTarget::from_consensus(BITS),
                nonce: 0,
            },
            txdata: [vec![coinbase(height, number, script, reward)], txs].concat(),
        };
        let root = block.witness_root().expect("the block has a coinbase");
        let commitment = Block::compute_witness_commitment(&root, &WITNESS_RESERVED);
        block.txdata[0]
            .output
            .push(TxOut { value: Amount::ZERO, script_pubkey: commit(commitment.as_byte_array()) });
        block.header.merkle_root = block.compute_merkle_root().expect("the block has a coinbase");
        while block.header.validate_pow(block.header.target()).is_err() {
            block.header.nonce += 1;
        }
        block
    }
}

fn coinbase(height: u32, number: u64, script: &Script, value: Amount) -> Transaction {
    let script_sig =
        Builder::new().push_int(i64::from(height)).push_slice(number.to_le_bytes()).into_script();
    Transaction {
        version: TxVersion::TWO,
        lock_time: LockTime::ZERO,
        input: vec![TxIn {
            previous_output: OutPoint::null(),
            script_sig,
            sequence: Sequence::MAX,
            witness: Witness::from_slice(&[WITNESS_RESERVED]),
        }],
        output: vec![TxOut { value, script_pubkey: script.to_owned() }],
    }
}

fn commit(commitment: &[u8; 32]) -> ScriptBuf {
    let mut data = [0; 36];
    data[..4].copy_from_slice(&COMMITMENT_TAG);
    data[4..].copy_from_slice(commitment);
    Builder::new().push_opcode(OP_RETURN).push_slice(data).into_script()
}
