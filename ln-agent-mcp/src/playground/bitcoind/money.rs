use bitcoin::{Address, Amount};
use serde_json::{Value, json};

use super::answer::{Answer, Fields, list, object};
use super::method::{Call, Method};
use super::params::{Kind, optional, parse_address};
use super::render::hex;
use crate::playground::chain::{Chain, Res, RpcErr};
use crate::playground::wallet::{Holding, Wallet};

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "getbalance",
        params: &[
            optional("dummy", Kind::Text),
            optional("minconf", Kind::Number),
            optional("include_watchonly", Kind::Bool),
            optional("avoid_reuse", Kind::Bool),
        ],
        about: "Returns the total available balance, trusted and mature.",
        run: getbalance,
    },
    Method {
        name: "getbalances",
        params: &[],
        about: "Returns an object with all balances in BTC.",
        run: getbalances,
    },
    Method {
        name: "getunconfirmedbalance",
        params: &[],
        about: "Returns the untrusted pending balance.",
        run: |call| Ok(call.wallet()?.balances(call.chain).untrusted_pending.into()),
    },
    Method {
        name: "listunspent",
        params: &[
            optional("minconf", Kind::Number),
            optional("maxconf", Kind::Number),
            optional("addresses", Kind::List),
            optional("include_unsafe", Kind::Bool),
            optional("query_options", Kind::Object),
        ],
        about: "Returns array of unspent transaction outputs with between minconf and maxconf (inclusive) confirmations.",
        run: listunspent,
    },
];

/// The block that every balance is as of.
pub(super) fn last_block(chain: &Chain) -> Fields {
    object().with("hash", chain.tip().hash.to_string()).with("height", chain.height())
}

fn getbalance(call: &mut Call<'_>) -> Res<Answer> {
    if call.args.text(0).is_some_and(|dummy| dummy != "*" && !dummy.is_empty()) {
        return Err(RpcErr::new(-32, "dummy first argument must be excluded or set to \"*\"."));
    }
    let least = call.args.integer(1)?.unwrap_or(0);
    let holdings = call.wallet()?.holdings(call.chain).into_iter();
    let counted = holdings.filter(|holding| {
        holding.trusted && holding.is_mature() && i64::from(holding.confirmations) >= least
    });
    Ok(counted.map(|holding| holding.out.value).sum::<Amount>().into())
}

fn getbalances(call: &mut Call<'_>) -> Res<Answer> {
    let balances = call.wallet()?.balances(call.chain);
    let mine = object()
        .with("trusted", balances.trusted)
        .with("untrusted_pending", balances.untrusted_pending)
        .with("immature", balances.immature);
    Ok(object().with("mine", mine).with("lastprocessedblock", last_block(call.chain)).into())
}

fn listunspent(call: &mut Call<'_>) -> Res<Answer> {
    if call.args.value(4).and_then(Value::as_object).is_some_and(|options| !options.is_empty()) {
        return Err(RpcErr::new(-8, "query_options are not supported by the playground; leave them out"));
    }
    let least = call.args.integer(0)?.unwrap_or(1);
    let most = call.args.integer(1)?.unwrap_or(9_999_999);
    let only = addresses(call.args.value(2))?;
    let with_unsafe = call.args.flag(3).unwrap_or(true);
    let wallet = call.wallet()?;
    let chosen = wallet.holdings(call.chain).into_iter().filter(|holding| {
        (least..=most).contains(&i64::from(holding.confirmations))
            && (only.is_empty() || only.contains(&holding.owner.address))
            && (with_unsafe || holding.trusted)
            && holding.is_mature()
    });
    Ok(list(chosen.map(|holding| describe(call.chain, wallet, &holding))))
}

fn addresses(list: Option<&Value>) -> Res<Vec<Address>> {
    let mut found: Vec<Address> = Vec::new();
    for item in list.and_then(Value::as_array).into_iter().flatten() {
        let text = item.as_str().unwrap_or_default();
        let address =
            parse_address(text).ok_or_else(|| RpcErr::new(-5, format!("Invalid Bitcoin address: {text}")))?;
        if found.contains(&address) {
            return Err(RpcErr::new(-8, format!("Invalid parameter, duplicated address: {text}")));
        }
        found.push(address);
    }
    Ok(found)
}

fn describe(chain: &Chain, wallet: &Wallet, holding: &Holding) -> Fields {
    let owner = &holding.owner;
    let start = object()
        .with("txid", holding.place.txid.to_string())
        .with("vout", holding.place.vout)
        .with("address", owner.address.to_string())
        .with_some("label", wallet.label(&owner.address))
        .with_some("redeemScript", owner.redeem_script().map(|script| hex(script.as_bytes())))
        .with("scriptPubKey", hex(holding.out.script_pubkey.as_bytes()))
        .with("amount", holding.out.value)
        .with("confirmations", holding.confirmations);
    start
        .and_some((holding.confirmations == 0).then(|| ancestry(chain, holding)))
        .with("spendable", true)
        .with("solvable", true)
        .with("desc", wallet.descriptor(owner))
        .with("parent_descs", json!([wallet.parent_descriptor(owner)]))
        .with("safe", holding.trusted)
}

fn ancestry(chain: &Chain, holding: &Holding) -> Fields {
    let txids = chain.mem_ancestors(&holding.place.txid);
    let entries: Vec<_> = txids.iter().filter_map(|txid| chain.mem_entry(txid)).collect();
    object()
        .with("ancestorcount", entries.len())
        .with("ancestorsize", entries.iter().map(|entry| entry.vsize()).sum::<u64>())
        .with("ancestorfees", entries.iter().map(|entry| entry.fee).sum::<u64>())
}
