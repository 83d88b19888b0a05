use std::collections::BTreeSet;

use bitcoin::consensus::encode::serialize_hex;
use bitcoin::secp256k1::PublicKey;
use bitcoin::{Amount, OutPoint, ScriptBuf, TxOut, Txid};
use lightning::util::errors::APIError;
use serde_json::json;

use super::call::{Answer, Call, Outcome};
use super::channel_view::channel_type;
use super::connect::attach;
use super::error::RpcError;
use super::feerate;
use super::methods::Method;
use crate::playground::node::{Coins, Funding, Wallet, WalletError, user_config};

pub(super) const METHODS: &[Method] = &[Method {
    name: "fundchannel",
    params: &[
        "id",
        "amount",
        "feerate?",
        "announce?",
        "minconf?",
        "push_msat?",
        "close_to?",
        "request_amt?",
        "compact_lease?",
        "utxos?",
        "mindepth?",
        "reserve?",
        "channel_type?",
    ],
    writes: true,
    run,
}];

/// bitcoind relays no smaller output of this kind.
const DUST_SAT: u64 = 330;

fn run(call: &mut Call<'_>) -> Outcome {
    refuse_unsupported(call)?;
    let id = call.params.node_id("id")?.ok_or_else(|| RpcError::usage("missing required parameter: id"))?;
    let amount = call.params.sat_or_all("amount")?;
    let feerate = feerate::read(&call.params, "feerate")?;
    let push_msat = call.params.msat("push_msat")?.unwrap_or_default();
    let coins = usable_coins(call)?;
    let sat = afford(call, amount, &coins, feerate, &id)?;
    if push_msat > sat.saturating_mul(1_000) {
        return Err(RpcError::new(
            301,
            format!(
                "Requested to push_msat of {push_msat}msat is greater than available funding amount {sat}sat"
            ),
        ));
    }
    attach(call, &id)?;
    open(call, &id, sat, push_msat, Funding { coins, feerate, all: amount.is_none() })
}

/// What the playground cannot do it refuses, instead of doing something else.
fn refuse_unsupported(call: &Call<'_>) -> Result<(), RpcError> {
    for name in ["close_to", "request_amt", "compact_lease", "mindepth", "reserve", "channel_type"] {
        if call.params.get(name).is_some() {
            return Err(RpcError::usage(format!("{name}: the playground does not support this parameter")));
        }
    }
    Ok(())
}

/// Confirmed coins, narrowed to `utxos` where given.
pub(super) fn usable_coins(call: &Call<'_>) -> Result<Vec<Coins>, RpcError> {
    let minconf = call.params.number32("minconf")?.unwrap_or(1);
    let chain = call.world.chain.borrow();
    let mut coins = call.node().wallet.spendable(&chain);
    if minconf == 0 {
        coins.extend(call.node().wallet.unconfirmed(&chain, &BTreeSet::new()));
    }
    coins.retain(|coin| coin.height.map_or(minconf == 0, |height| chain.height() + 1 - height >= minconf));
    let Some(given) = call.params.get("utxos") else { return Ok(coins) };
    let invalid = || RpcError::invalid("utxos", "Could not decode the outpoint array", given);
    let wanted: Vec<OutPoint> = given
        .as_array()
        .ok_or_else(invalid)?
        .iter()
        .map(|place| place.as_str().and_then(|text| text.parse().ok()).ok_or_else(invalid))
        .collect::<Result<_, _>>()?;
    coins.retain(|coin| wanted.contains(&coin.place));
    if coins.len() < wanted.len() {
        return Err(invalid());
    }
    Ok(coins)
}

/// The channel's size in satoshis, once it is sure that the wallet can pay for it.
fn afford(
    call: &Call<'_>,
    amount: Option<u64>,
    coins: &[Coins],
    feerate: u32,
    id: &PublicKey,
) -> Result<u64, RpcError> {
    let script = ScriptBuf::new_p2wsh(&bitcoin::hashes::Hash::all_zeros());
    let Some(sat) = amount else {
        return Wallet::sweep_amount(coins, &script, feerate).map_err(|error| too_poor("all", &error));
    };
    if sat < DUST_SAT {
        return Err(RpcError::invalid(
            "destinations",
            "output would be dust",
            &json!({"id": id.to_string(), "amount": sat}),
        ));
    }
    let output =
        TxOut { value: Amount::from_sat(sat.min(Amount::MAX_MONEY.to_sat())), script_pubkey: script };
    match call.node().wallet.pay(coins, &output, feerate) {
        Ok(_) if sat <= Amount::MAX_MONEY.to_sat() => Ok(sat),
        Ok(_) => Err(RpcError::new(300, "Amount exceeds 21 million bitcoins")),
        Err(error) => Err(too_poor(&format!("{sat}sat"), &error)),
    }
}

/// Error 301.
pub(super) fn too_poor(wanted: &str, error: &WalletError) -> RpcError {
    let WalletError::Short { coins, short_sat } = error;
    RpcError::new(
        301,
        format!("Could not afford {wanted} using all {coins} available UTXOs: {short_sat}sat short"),
    )
}

fn open(call: &mut Call<'_>, id: &PublicKey, sat: u64, push_msat: u64, funding: Funding) -> Outcome {
    let mut config = user_config();
    config.channel_handshake_config.announce_for_forwarding = call.params.flag("announce")?.unwrap_or(true);
    let known = call.node().book.channels.len();
    let request = u128::from(call.node_mut().book.next_request());
    call.world.funding = Some(funding);
    call.world.refused = None;
    let created = call.live().manager.create_channel(*id, sat, push_msat, request, None, Some(config));
    created.map_err(|error| RpcError::new(-1, refusal(error)))?;
    call.world.pump();
    call.world.funding = None;
    let rows = &call.node().book.channels;
    let newest = rows.iter().next_back().filter(|_| rows.len() > known).map(|(_, row)| row);
    let Some(row) = newest else {
        let why =
            call.world.refused.take().unwrap_or_else(|| "the peer did not accept the channel".to_owned());
        return Err(RpcError::new(-1, format!("Channel refused: {why}")));
    };
    let txid: Txid = row.funding_txid.parse().expect("a row holds the id that it was given");
    let tx = call.world.chain.borrow().get_tx(&txid).map(|(tx, _)| serialize_hex(&tx));
    Ok(Answer::Done(json!({
        "tx": tx.unwrap_or_default(),
        "txid": row.funding_txid,
        "channel_id": row.channel_id,
        "channel_type": channel_type(),
        "outnum": row.funding_outnum,
    })))
}

fn refusal(error: APIError) -> String {
    match error {
        APIError::APIMisuseError { err } | APIError::ChannelUnavailable { err } => err,
        other => format!("{other:?}"),
    }
}
