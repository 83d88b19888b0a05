use bitcoin::consensus::encode::serialize_hex;
use bitcoin::psbt::Psbt;
use bitcoin::{Address, Amount, Network, ScriptBuf, Transaction, TxOut, Witness};
use serde_json::json;

use super::call::{Answer, Call, Outcome};
use super::error::RpcError;
use super::feerate;
use super::fundchannel::{too_poor, usable_coins};
use super::methods::Method;
use crate::playground::node::{Coins, Wallet};

pub(super) const METHODS: &[Method] = &[Method {
    name: "withdraw",
    params: &["destination", "satoshi", "feerate?", "minconf?", "utxos?"],
    writes: true,
    run,
}];

fn run(call: &mut Call<'_>) -> Outcome {
    let address = call.params.required_text("destination")?;
    let address =
        address.parse::<Address<_>>().ok().and_then(|address| address.require_network(Network::Regtest).ok());
    let address = address.ok_or_else(|| {
        RpcError::new(-1, "Could not parse destination address, destination should be a valid address")
    })?;
    let amount = call.params.sat_or_all("satoshi")?;
    let feerate = feerate::read(&call.params, "feerate")?;
    let coins = usable_coins(call)?;
    let script = address.script_pubkey();
    let wallet = &call.node().wallet;
    let tx = match amount {
        Some(sat) => {
            let most = Amount::MAX_MONEY.to_sat();
            let output = TxOut { value: Amount::from_sat(sat.min(most)), script_pubkey: script };
            let paid = wallet.pay(&coins, &output, feerate);
            paid.map_err(|error| too_poor(&format!("{sat}sat"), &error))?
        }
        None => {
            let sat =
                Wallet::sweep_amount(&coins, &script, feerate).map_err(|error| too_poor("all", &error))?;
            wallet.sweep(&coins, TxOut { value: Amount::from_sat(sat), script_pubkey: script })
        }
    };
    let psbt = psbt(&tx, &coins);
    let raw = serialize_hex(&tx);
    let txid = call.world.chain.borrow_mut().accept(tx).map_err(|error| {
        let (code, words) = (error.code, error.message);
        let why = format!("error code: {code}\nerror message:\n{words}\n");
        RpcError::new(-1, format!("Error broadcasting transaction: {why}. Unsent tx discarded {raw}."))
    })?;
    Ok(Answer::Done(json!({"tx": raw, "txid": txid.to_string(), "psbt": psbt})))
}

/// The signed transaction as a PSBT.
fn psbt(tx: &Transaction, coins: &[Coins]) -> String {
    let mut bare = tx.clone();
    for input in &mut bare.input {
        input.script_sig = ScriptBuf::new();
        input.witness = Witness::new();
    }
    let mut psbt = Psbt::from_unsigned_tx(bare).expect("scripts and witnesses were removed");
    for (input, signed) in psbt.inputs.iter_mut().zip(&tx.input) {
        input.final_script_witness = Some(signed.witness.clone());
        input.witness_utxo =
            coins.iter().find(|coin| coin.place == signed.previous_output).map(|coin| coin.out.clone());
    }
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(psbt.serialize())
}
