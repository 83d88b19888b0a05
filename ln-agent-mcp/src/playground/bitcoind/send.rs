use bitcoin::{Address, Amount, Txid};
use serde_json::{Map, Value};

use super::amount::{amount, sat_per_kvb};
use super::answer::{Answer, object};
use super::method::{Call, Method};
use super::params::{Kind, optional, parse_address, required};
use crate::playground::chain::{MIN_RELAY_SAT_PER_KVB, Res, RpcErr};
use crate::playground::wallet::{Sent, Spend};

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "sendtoaddress",
        params: &[
            required("address", Kind::Text),
            required("amount", Kind::Any),
            optional("comment", Kind::Text),
            optional("comment_to", Kind::Text),
            optional("subtractfeefromamount", Kind::Bool),
            optional("replaceable", Kind::Bool),
            optional("conf_target", Kind::Number),
            optional("estimate_mode", Kind::Text),
            optional("avoid_reuse", Kind::Bool),
            optional("fee_rate", Kind::Any),
            optional("verbose", Kind::Bool),
        ],
        about: "Send an amount to a given address.",
        run: sendtoaddress,
    },
    Method {
        name: "sendmany",
        params: &[
            optional("dummy", Kind::Text),
            required("amounts", Kind::Object),
            optional("minconf", Kind::Number),
            optional("comment", Kind::Text),
            optional("subtractfeefrom", Kind::List),
            optional("replaceable", Kind::Bool),
            optional("conf_target", Kind::Number),
            optional("estimate_mode", Kind::Text),
            optional("fee_rate", Kind::Any),
            optional("verbose", Kind::Bool),
        ],
        about: "Pays several addresses in one transaction.",
        run: sendmany,
    },
    Method {
        name: "bumpfee",
        params: &[required("txid", Kind::Text), optional("options", Kind::Object)],
        about: "Replaces an unconfirmed payment of the wallet by one with a higher fee; options: fee_rate in sat/vB.",
        run: bumpfee,
    },
];

fn bumpfee(call: &mut Call<'_>) -> Res<Answer> {
    let txid: Txid = call.args.hash(0, "txid")?;
    let none = Map::new();
    let options = call.args.value(1).and_then(Value::as_object).unwrap_or(&none);
    if let Some(name) = options.keys().find(|name| *name != "fee_rate") {
        return Err(RpcErr::new(-8, format!("the playground's bumpfee takes fee_rate only, not {name}")));
    }
    let rate = rate(None, options.get("fee_rate"))?;
    let original = call.chain.mem_entry(&txid).map_or(0, |entry| entry.fee);
    let sent = call.wallets.select_mut(call.wallet)?.bump(call.chain, &txid, rate)?;
    Ok(object()
        .with("txid", sent.txid.to_string())
        .with("origfee", Amount::from_sat(original))
        .with("fee", sent.fee)
        .with("errors", Answer::List(Vec::new()))
        .into())
}

fn sendtoaddress(call: &mut Call<'_>) -> Res<Answer> {
    let args = &call.args;
    let rate = rate(args.value(6), args.value(9))?;
    call.wallet()?;
    let (address, value) = payment(args.required_text(0), args.value(1))?;
    let spend = Spend {
        sat_per_kvb: rate.unwrap_or(MIN_RELAY_SAT_PER_KVB),
        subtract_fee: args.flag(4).unwrap_or(false),
        comment: args.text(2).unwrap_or_default().to_owned(),
        comment_to: args.text(3).unwrap_or_default().to_owned(),
        ..Spend::to(address, value)
    };
    let sent = call.wallets.select_mut(call.wallet)?.send(call.chain, &spend)?;
    Ok(reply(&sent, args.flag(10), rate))
}

fn sendmany(call: &mut Call<'_>) -> Res<Answer> {
    let args = &call.args;
    if args.text(0).is_some_and(|dummy| !dummy.is_empty()) {
        return Err(RpcErr::new(-8, "Dummy value must be set to \"\""));
    }
    if args.value(4).and_then(Value::as_array).is_some_and(|list| !list.is_empty()) {
        return Err(RpcErr::new(-8, "subtractfeefrom is not supported by the playground; leave it out"));
    }
    let rate = rate(args.value(6), args.value(8))?;
    let none = Map::new();
    let amounts = args.value(1).and_then(Value::as_object).unwrap_or(&none);
    let to = amounts.iter().map(|(address, value)| payment(address, Some(value))).collect::<Res<Vec<_>>>()?;
    let spend = Spend {
        sat_per_kvb: rate.unwrap_or(MIN_RELAY_SAT_PER_KVB),
        comment: args.text(3).unwrap_or_default().to_owned(),
        ..Spend::to_all(to)
    };
    let sent = call.wallets.select_mut(call.wallet)?.send(call.chain, &spend)?;
    Ok(reply(&sent, args.flag(9), rate))
}

fn payment(address: &str, value: Option<&Value>) -> Res<(Address, Amount)> {
    let parsed = parse_address(address)
        .ok_or_else(|| RpcErr::new(-5, format!("Invalid Bitcoin address: {address}")))?;
    Ok((parsed, amount(value.unwrap_or(&Value::Null))?))
}

/// The fee rate asked for, in satoshis per thousand virtual bytes.
fn rate(conf_target: Option<&Value>, fee_rate: Option<&Value>) -> Res<Option<u64>> {
    let Some(fee_rate) = fee_rate else { return Ok(None) };
    if conf_target.is_some() {
        return Err(RpcErr::new(
            -8,
            "Cannot specify both conf_target and fee_rate. Please provide either a confirmation target in blocks \
             for automatic fee estimation, or an explicit fee rate.",
        ));
    }
    let rate = sat_per_kvb(fee_rate)?;
    if rate < MIN_RELAY_SAT_PER_KVB {
        let shown = |rate: u64| format!("{}.{:03} sat/vB", rate / 1_000, rate % 1_000);
        let message = "is lower than the minimum fee rate setting";
        return Err(RpcErr::new(
            -6,
            format!("Fee rate ({}) {message} ({})", shown(rate), shown(MIN_RELAY_SAT_PER_KVB)),
        ));
    }
    Ok(Some(rate))
}

fn reply(sent: &Sent, verbose: Option<bool>, rate: Option<u64>) -> Answer {
    let txid = sent.txid.to_string();
    if verbose != Some(true) {
        return txid.into();
    }
    object()
        .with("txid", txid)
        .with("fee_reason", if rate.is_some() { "PayTxFee set" } else { "Fallback fee" })
        .into()
}
