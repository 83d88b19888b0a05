use bitcoin::{Address, Network};
use serde_json::{Value, json};

use super::call::{Answer, Call, Outcome, object};
use super::channel_view::{balance_msat, details};
use super::methods::Method;
use crate::playground::node::{ChannelRow, Coins};

pub(super) const METHODS: &[Method] =
    &[Method { name: "listfunds", params: &["spent?"], writes: false, run }];

fn run(call: &mut Call<'_>) -> Outcome {
    call.params.flag("spent")?;
    let chain = call.world.chain.borrow();
    let wallet = &call.node().wallet;
    let mut coins = wallet.spendable(&chain);
    let fundings = call.node().book.channels.iter().filter_map(|(_, row)| row.funding()).collect();
    coins.extend(wallet.unconfirmed(&chain, &fundings));
    let outputs: Vec<Value> = coins.iter().map(output).collect();
    drop(chain);
    let rows = call.node().book.channels.iter().map(|(_, row)| row);
    let channels: Vec<Value> = rows.map(|row| channel(call, row)).collect();
    Ok(Answer::Done(json!({ "outputs": outputs, "channels": channels })))
}

fn output(coin: &Coins) -> Value {
    let address = Address::from_script(&coin.out.script_pubkey, Network::Regtest).ok();
    Value::Object(object([
        ("txid", Some(json!(coin.place.txid.to_string()))),
        ("output", Some(json!(coin.place.vout))),
        ("amount_msat", Some(json!(coin.out.value.to_sat() * 1_000))),
        ("scriptpubkey", Some(json!(coin.out.script_pubkey.to_hex_string()))),
        ("address", address.map(|address| json!(address.to_string()))),
        ("status", Some(json!(if coin.height.is_some() { "confirmed" } else { "unconfirmed" }))),
        ("blockheight", coin.height.map(|height| json!(height))),
        ("reserved", Some(json!(false))),
    ]))
}

fn channel(call: &Call<'_>, row: &ChannelRow) -> Value {
    let details = details(call, row);
    let connected = details.is_some()
        && call
            .live()
            .peers
            .list_peers()
            .iter()
            .any(|peer| peer.counterparty_node_id.to_string() == row.peer_id);
    Value::Object(object([
        ("peer_id", Some(json!(row.peer_id))),
        ("connected", Some(json!(connected))),
        ("state", Some(json!(row.state))),
        ("channel_id", Some(json!(row.channel_id))),
        ("short_channel_id", row.scid.as_ref().map(|scid| json!(scid))),
        ("our_amount_msat", Some(json!(balance_msat(row, details.as_ref())))),
        ("amount_msat", Some(json!(row.capacity_sat * 1_000))),
        ("funding_txid", Some(json!(row.funding_txid))),
        ("funding_output", Some(json!(row.funding_outnum))),
    ]))
}
